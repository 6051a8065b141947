#include "fairlead/running/quote_offer.h"

#include <algorithm>
#include <cmath>

#include "fairlead/domain/promised_share.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/running/quote_world.h"

namespace fairlead {
namespace {

constexpr double kLeastRateShare = 0.05;  // less is no offer
constexpr double kLeastTarget = 0.05;
constexpr double kRateGrain = 0.02;  // of the rate asked for: what is offered may lack so much
constexpr double kTargetGrain = 0.005;
constexpr double kTargetStep = 0.001;  // targets are offered in tenths of a percent
constexpr double kCaution = 0.97;      // of where a line crosses 0

// The largest value that is kept, where `fails` is not.
struct Interval {
  double least = 0;
  double fails = 1;
  double guess = 0.5;
  double grain = 0;
  int tries = 0;
};
Result<std::optional<double>> LargestKept(const Interval& interval,
                                          const std::function<Result<bool>(double)>& keeps) {
  std::optional<double> kept;
  double fails = interval.fails;
  double next = std::clamp(interval.guess, interval.least, fails - interval.grain);
  for (int halved = 0; halved < interval.tries;) {
    ASSIGN_OR_RETURN(const bool holds, keeps(next));
    if (holds) {
      kept = next;
    } else {
      fails = next;
    }
    if (fails - kept.value_or(interval.least) <= interval.grain) break;
    if (kept.has_value()) ++halved;
    // As long as nothing is kept, twice as far from what was asked for.
    next = kept.has_value() ? (*kept + fails) / 2
                            : std::max(interval.least, 2 * fails - interval.fails);
  }
  return kept;
}

class OfferFinder {
 public:
  explicit OfferFinder(const OfferSearch& search) : search_(search) {}

  Result<std::optional<double>> RateShare() {
    return LargestKept({.least = kLeastRateShare,
                        .fails = 1,
                        .guess = kCaution * GuessedRateShare(),
                        .grain = kRateGrain,
                        .tries = search_.tries},
                       [this](double share) {
                         return search_.keeps(WithRates(search_.world, search_.asked, share));
                       });
  }

  Result<std::optional<double>> TargetChange() {
    const double lowest = LowestTarget();
    if (lowest < kLeastTarget + 2 * kTargetGrain) return std::optional<double>{};
    ASSIGN_OR_RETURN(const auto change,
                     LargestKept({.least = kLeastTarget - lowest,
                                  .fails = 0,
                                  .guess = -Shortfall(),
                                  .grain = kTargetGrain,
                                  .tries = search_.tries},
                                 [this](double by) {
                                   return search_.keeps(WithLowerTargets(
                                       search_.world, search_.asked, -InSteps(by)));
                                 }));
    if (!change.has_value()) return change;
    return std::optional(InSteps(*change));
  }

 private:
  static double InSteps(double change) { return std::floor(change / kTargetStep) * kTargetStep; }

  // The margin falls with the rate, from what it is without them. Where all rates change, shares
  // are inverse to them past capacity.
  double GuessedRateShare() const {
    const double margin = MarginOfAll();
    const double without = search_.before.value_or(MeanShare());
    if (!search_.before.has_value()) {
      const double inverse = (MeanShare() + margin) / MeanShare();
      if (inverse > 0 && inverse < 1) return inverse;
    }
    return without > margin ? without / (without - margin) : 1;
  }

  double MarginOfAll() const {
    double worst = 1;
    for (const Trial& trial : search_.trials) {
      if (const auto margin = trial.Worst(); margin.has_value())
        worst = std::min(worst, margin->margin);
    }
    return worst;
  }

  double MeanShare() const {
    double sum = 0;
    for (const PlannedAgreement& planned : search_.world.agreements)
      sum += PromisedShare(planned.agreement);
    return sum / static_cast<double>(search_.world.agreements.size());
  }

  double LowestTarget() const {
    double lowest = 1;
    for (std::size_t a : search_.asked)
      lowest = std::min(lowest, search_.world.agreements[a].agreement.target.value_or(0));
    return lowest;
  }

  bool Asked(std::size_t a) const {
    return std::ranges::find(search_.asked, a) != search_.asked.end();
  }

  // What they lack themselves; and what all others lack together, per request of theirs.
  double Shortfall() const {
    double own = 1;  // what is left beyond what is needed
    double others = 0;
    for (const Trial& trial : search_.trials) {
      double lacking = 0;
      double rate_of_asked = 0;
      for (std::size_t a = 0; a < trial.margins.size(); ++a) {
        const double rate = RateOf(search_.world.agreements[a]);
        if (Asked(a)) rate_of_asked += rate;
        if (!trial.margins[a].has_value()) continue;
        const double margin = trial.margins[a]->margin;
        if (Asked(a)) own = std::min(own, margin);
        if (!Asked(a)) lacking += std::max(0.0, -margin) * rate;
      }
      others = std::max(others, lacking / rate_of_asked);
    }
    return std::max(0.0, -own) + others + kTargetGrain;
  }

  const OfferSearch& search_;
};

}  // namespace

Result<QuoteOffer> FindOffer(const OfferSearch& search) {
  OfferFinder finder(search);
  QuoteOffer offer;
  ASSIGN_OR_RETURN(offer.rate_share, finder.RateShare());
  ASSIGN_OR_RETURN(offer.target_change, finder.TargetChange());
  return offer;
}

}  // namespace fairlead
