// fairlead quote: can this agreement be signed?
//
// Three kinds of evidence, the cheapest first:
//   1. Some hundred traffics are drawn, not simulated. If no schedule could keep all promises on a
//      traffic than which at most one in a hundred is heavier, that is a proof.
//   2. Two of the heaviest are simulated: harsher than what is to be expected.
//   3. Others are simulated, and the worst margin of all promises on a new traffic is predicted
//      (quote_prediction.h). Yes takes a predicted margin of at least 0, with the confidence, and
//      no broken promise on any simulated traffic.
// Where that fails, the same traffics without what is asked for say whom it would hurt; and a lower
// rate and a lower target are looked for, each judged in the same way as if it had been asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/quote_results.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

inline constexpr double kQuoteConfidence = 0.99;
inline constexpr int kQuoteDraws = 200;

struct QuoteOptions {
  std::string policy;                 // empty: PolicyToQuote
  std::optional<std::uint64_t> seed;  // the first of the draws; none: the scenario's
  int trials = 0;                     // traffics, from 4 on; 0: as the work of one allows
  int threads = 1;
  FileReader read = &ReadFile;
  bool thorough = false;  // more simulations, and more tries for what is offered instead
  // How far the work has come, from 0 to 1, from any thread. May be empty.
  std::function<void(double share)> progressed;
};

// The scenario's policy if it names one alone; else `fairlead`.
std::string PolicyToQuote(const Scenario& scenario);

// Whether the scenario's agreements and the added ones can all be kept; without added ones, whether
// the scenario's can.
Result<QuoteResults> Quote(const Scenario& scenario, const std::vector<TenantsConfig>& added,
                           const QuoteOptions& options);

}  // namespace fairlead
