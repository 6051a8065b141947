// What single agents could have had by behaving otherwise, found by running the whole world again:
// regret against the best fixed threshold, gain by misreporting; and how many rounds were
// efficient.
#pragma once

#include <string>
#include <vector>

#include "fairlead/running/share.h"

namespace fairlead {

struct ParetoShares {  // of rounds
  double efficient = 0;
  double improvable = 0;
  double undecided = 0;
};

// By what agents reported, round by round.
Result<ParetoShares> MeasurePareto(const ShareCase& in, const ShareEntry& entry);

struct AgentProbe {
  int agent = 0;
  double utility = 0;    // as it was
  double best = 0;       // of all the other ways tried
  std::string best_way;  // "threshold 0.3", "overstates"
  double gain() const { return utility > 0 ? best / utility - 1 : 0; }
};

// One agent of each weight and row of rates asks for each threshold in turn, in every round; the
// others' thresholds stay as they were. Others' budgets and turns follow from what it does.
Result<std::vector<AgentProbe>> MeasureRegret(const ShareCase& in, const ShareEntry& entry);

// The same agents lie about their utilities: twice or half of what they are, all that is of use at
// the most, nothing of what is below a half. What they really had is measured.
Result<std::vector<AgentProbe>> MeasureMisreporting(const ShareCase& in, const ShareEntry& entry);

}  // namespace fairlead
