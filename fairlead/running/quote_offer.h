// What could be promised instead of what was asked for: the largest part of the rate at the same
// target, and the highest target at the same rate.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "fairlead/base/result.h"
#include "fairlead/running/quote_trial.h"
#include "fairlead/world/world.h"

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
  int tries = 4;                       // judgements from the first that holds on, for each of two
  std::function<Result<bool>(const World& world)> keeps;  // judges as a quote does
};

// The first guess comes from where a line through what is known crosses 0; as long as nothing is
// kept, the next is twice as far from what was asked for, down to 5 %. From there on the interval
// between what is kept and what is not is halved, until it is small or all tries are made.
// Whatever is offered was judged itself, and is kept.
Result<QuoteOffer> FindOffer(const OfferSearch& search);

}  // namespace fairlead
