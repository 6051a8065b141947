#include "fairlead/running/quote_offer.h"

#include <algorithm>
#include <cmath>

#include "fairlead/running/quote_traffic.h"
#include "fairlead/running/quote_world.h"

namespace fairlead {
namespace {

constexpr double kLeastRateShare = 0.05;  // less is no offer
constexpr double kLeastTarget = 0.05;
constexpr double kCaution = 0.97;  // of where a line crosses 0

struct Point {
  double at = 0;
  double margin = 0;
};

// Where the line through both crosses `margin`.
double Crossing(const Point& one, const Point& other, double margin) {
  return one.at + (other.at - one.at) * (margin - one.margin) / (other.margin - one.margin);
}

class OfferFinder {
 public:
  explicit OfferFinder(const OfferSearch& search) : search_(search) {
    margin_ = MarginOfAll();
    // What a prediction asks for beyond what the heavy traffics show.
    if (search.predicted.has_value()) needed_ = std::max(0.0, margin_ - *search.predicted);
  }

  // The margin falls with the rate, from what it is without them.
  Result<std::optional<double>> RateShare() {
    Point above{.at = 0, .margin = search_.before.value_or(MeanShare())};
    Point below{.at = 1, .margin = margin_};
    std::optional<double> found;
    if (!search_.before.has_value()) {
      // All rates change: past capacity shares are inverse to them.
      above = {.at = (MeanShare() + margin_) / MeanShare(), .margin = needed_};
      if (above.at <= 0 || above.at >= 1) above = {.at = 0, .margin = MeanShare()};
    }
    for (int i = 0; i < search_.tries; ++i) {
      if (above.margin <= below.margin || above.margin < needed_) return found;
      const double share = Crossing(above, below, needed_) * (found.has_value() ? 1 : kCaution);
      if (share < kLeastRateShare || share >= below.at) return found;
      if (found.has_value() && share - *found < (1 - kCaution) * share) return found;
      ASSIGN_OR_RETURN(const double margin,
                       search_.keeps(WithRates(search_.world, search_.asked, share)));
      if (margin >= needed_) {
        found = share;
        if (!search_.refine) return found;
        above = {.at = share, .margin = margin};
      } else {
        below = {.at = share, .margin = margin};
      }
    }
    return found;
  }

  Result<std::optional<double>> TargetChange() {
    const double lowest = LowestTarget();
    if (lowest == 0) return std::optional<double>{};
    double less = Shortfall();
    for (int i = 0; i < search_.tries; ++i, less *= 2) {
      less = std::ceil(less * 1000) / 1000;
      if (lowest - less < kLeastTarget) return std::optional<double>{};
      ASSIGN_OR_RETURN(const double margin,
                       search_.keeps(WithLowerTargets(search_.world, search_.asked, less)));
      if (margin >= needed_) return std::optional<double>{-less};
    }
    return std::optional<double>{};
  }

 private:
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
        const double margin = trial.margins[a]->margin - needed_;
        if (Asked(a)) own = std::min(own, margin);
        if (!Asked(a)) lacking += std::max(0.0, -margin) * rate;
      }
      others = std::max(others, lacking / rate_of_asked);
    }
    return std::max(0.0, -own) + others + 0.001;
  }

  const OfferSearch& search_;
  double margin_ = 0;
  double needed_ = 0;  // on the heavy traffics
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
