// What agents ask of an accelerator that they pay a token for, round by round.
//
// A chooser stands on the side of the agents, not of the mechanism: it sees what they report and
// may ask what another threshold would have brought, and remembers what came of its choices.
#pragma once

#include <memory>
#include <string>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

class ThresholdChooser {
 public:
  virtual ~ThresholdChooser() = default;

  // Fills in the thresholds of a round whose utilities are reported. `mechanism` is as it is before
  // that round.
  virtual void Choose(const SharingMechanism& mechanism, Reports& reports) = 0;
  // What came of the reports.
  virtual void Observe(const Reports& /*reports*/, const Allocation& /*allocation*/) {}
};

// The same for everybody, always.
std::unique_ptr<ThresholdChooser> MakeFixedThresholds(const Market& market, double threshold);

// The thresholds among which learners choose: 0.0, 0.1, ... 0.9.
inline constexpr int kThresholds = 10;
constexpr double ThresholdValue(int choice) { return static_cast<double>(choice) / kThresholds; }

// Of what an allocation is worth to an agent by its reports.
double AllocatedUtility(const Market& market, const Reports& reports, const Allocation& allocation,
                        int agent);

}  // namespace fairlead
