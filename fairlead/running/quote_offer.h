// What could be promised instead of what was asked for: the largest part of the rate at the same
// target, and the highest target at the same rate.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/config/world.h"
#include "fairlead/running/quote_trial.h"

namespace fairlead {

struct QuoteOffer {
  std::optional<double> rate_share;     // of the rate asked for; 1: all of it
  std::optional<double> target_change;  // to the targets asked for; 0: none
};

// References only: they must outlive the call.
struct OfferSearch {
  const World& world;                  // with what is asked for
  std::span<const std::size_t> asked;  // agreements
  std::optional<double> before;        // the worst margin without them; none: they are all
  std::span<const Trial> trials;       // of that world, on the heavy traffics
  std::optional<double> predicted;     // worst margin, where more than these was simulated
  int tries = 2;                       // for each of the two
  bool refine = false;                 // whether to look for more where one holds
  std::function<Result<double>(const World& world)> keeps;  // the worst margin in that world
};

// Each guess comes from where a line through what is known crosses 0, and is offered only if
// `keeps` finds its margin large enough; so an offer was simulated, but a larger one may exist.
Result<QuoteOffer> FindOffer(const OfferSearch& search);

}  // namespace fairlead
