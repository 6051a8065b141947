#include "fairlead/running/quote_chances.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "fairlead/base/check.h"
#include "fairlead/domain/promise_period.h"

namespace fairlead {
namespace {

constexpr double kTailShare = 0.2;
constexpr double kLargestTail = 60;

struct PeriodSlice {
  double requests = 0;
  double hits = 0;
};

// Time is cut as the ledger cuts it (fairness/promise_periods.h).
std::map<std::int64_t, PeriodSlice> SlicesOf(Duration length,
                                             std::span<const JudgedRequest> requests) {
  std::map<std::int64_t, PeriodSlice> slices;
  for (const JudgedRequest& request : requests) {
    PeriodSlice& slice = slices[request.arrival.time_since_epoch() / length];
    ++slice.requests;
    slice.hits += request.hit ? 1 : 0;
  }
  return slices;
}

Chances FromStretches(const std::map<std::int64_t, double>& worst, double grain) {
  Chances chances{.grain = grain};
  for (const auto& [stretch, margin] : worst) chances.margins.push_back(margin);
  return chances;
}

void TakeWorst(std::map<std::int64_t, double>& worst, std::int64_t stretch, double margin) {
  const auto [place, first] = worst.emplace(stretch, margin);
  if (!first) place->second = std::min(place->second, margin);
}

}  // namespace

Chances PeriodChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests) {
  const int in_period = agreement.period_kind == PeriodKind::kSliding ? kSlices : 1;
  const Duration length{(agreement.period->count() + in_period - 1) / in_period};
  const auto slices = SlicesOf(length, requests);
  if (slices.empty()) return {};
  const std::int64_t first = slices.begin()->first;
  const std::int64_t last = slices.rbegin()->first;
  std::map<std::int64_t, double> worst;
  double periods = 0;
  double counted = 0;
  // Periods of several slices are judged from the first whole one on.
  for (std::int64_t end = std::min(first + in_period - 1, last); end <= last; ++end) {
    PeriodSlice sum;
    for (auto one = slices.lower_bound(end - in_period + 1);
         one != slices.end() && one->first <= end; ++one) {
      sum.requests += one->second.requests;
      sum.hits += one->second.hits;
    }
    if (sum.requests == 0) continue;
    ++periods;
    counted += sum.requests;
    TakeWorst(worst, end / in_period, sum.hits / sum.requests - *agreement.target);
  }
  return FromStretches(worst, periods / std::max(counted, 1.0));
}

Chances WindowChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests) {
  const auto window = static_cast<std::size_t>(agreement.window);
  const auto size = static_cast<double>(window);
  std::map<std::int64_t, double> worst;
  int failures = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    failures += requests[i].hit ? 0 : 1;
    if (i >= window) failures -= requests[i - window].hit ? 0 : 1;
    if (i + 1 >= window)
      TakeWorst(worst, static_cast<std::int64_t>(i / window),
                (agreement.max_misses - failures) / size);
  }
  Chances chances = FromStretches(worst, 1 / size);
  chances.step = 1 / size;
  return chances;
}

TailPrediction::TailPrediction(const Chances& seen, double per_traffic)
    : margins_(seen.margins), per_traffic_(per_traffic), step_(seen.step) {
  CHECK(!margins_.empty() && per_traffic > 0);
  std::ranges::sort(margins_);
  const auto count = static_cast<double>(margins_.size());
  tail_ = std::clamp(std::floor(kTailShare * count), 1.0, kLargestTail);
  const auto below = std::min(static_cast<std::size_t>(tail_), margins_.size() - 1);
  threshold_ = margins_[below];
  for (std::size_t i = 0; i < below; ++i) excess_ += (threshold_ - margins_[i]) / tail_;
  excess_ = std::max(excess_, seen.grain);
}

TailPrediction TailPrediction::OfOne(double alike) const {
  TailPrediction one = *this;
  one.per_traffic_ /= alike;
  return one;
}

double TailPrediction::ChanceFallsBelow(double value) const {
  const auto count = static_cast<double>(margins_.size());
  if (value > threshold_) {
    const auto below = std::ranges::lower_bound(margins_, value) - margins_.begin();
    return std::max(tail_, static_cast<double>(below)) / count;
  }
  return tail_ / count * std::pow(1 + (threshold_ - value) / (tail_ * excess_), -tail_);
}

double TailPrediction::FallsBelow(double value) const {
  // Between two multiples of a step it makes no difference where.
  const double chance = std::min(ChanceFallsBelow(value - step_ / 2), 1.0);
  return 1 - std::pow(1 - chance, per_traffic_);
}

}  // namespace fairlead
