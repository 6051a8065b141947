#include <algorithm>
#include <map>
#include <tuple>

#include "fairlead/base/check.h"
#include "fairlead/running/quote_prediction.h"
#include "fairlead/running/quote_trial.h"

namespace fairlead {
namespace {

// A figure that never changed deviates by a quarter of its grain; one that stood at its ceiling,
// all hits, by a whole one: what lies below is seldom seen.
constexpr double kLeastOfGrain = 0.25;
constexpr double kLeastAtCeiling = 1;
constexpr std::size_t kFewestTrials = 4;

std::optional<PromiseMargin> WorstOf(std::span<const std::optional<PromiseMargin>> margins) {
  std::optional<PromiseMargin> worst;
  for (const auto& margin : margins) {
    if (margin.has_value() && (!worst.has_value() || margin->margin < worst->margin))
      worst = margin;
  }
  return worst;
}

// The observations of one agreement, or of the worst at each trial.
struct Observed {
  std::vector<Observation> margins;
  std::vector<Observation> shares;
  double grain = 0;
  bool at_ceiling = false;  // on some traffic

  void Add(double weight, const PromiseMargin& margin) {
    margins.push_back({weight, margin.margin});
    shares.push_back({weight, margin.share});
    grain = std::max(grain, margin.grain);
    at_ceiling = at_ceiling || margin.share >= 1;
  }
  double least() const { return (at_ceiling ? kLeastAtCeiling : kLeastOfGrain) * grain; }
};

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Agreements that are alike have the same key.
using AlikeKey = std::tuple<std::size_t, std::size_t, double, Duration, PeriodKind, int, int>;
AlikeKey KeyOf(const PlannedAgreement& planned) {
  const ServiceAgreement& agreement = planned.agreement;
  return {planned.group,
          agreement.network.index(),
          agreement.target.value_or(-1),
          agreement.period.value_or(Duration::zero()),
          agreement.period_kind,
          agreement.window,
          agreement.max_misses};
}

struct Variances {
  double margin = 0;
  double share = 0;
  double count = 0;
};

// Of one agreement, or of all: what may break a promise on a new traffic.
struct Hazards {
  std::optional<Prediction> once;
  std::vector<TailPrediction> again;

  // That some margin is below this one: no more than the sum.
  double FallsBelow(double margin, std::span<const double> weights) const {
    double sum = once.has_value() ? once->FallsBelow(margin, weights) : 0;
    for (const TailPrediction& tail : again) sum += tail.FallsBelow(margin);
    return sum;
  }
  bool none() const { return !once.has_value() && again.empty(); }
};

// The margin that all exceed with this probability.
double ExceededWith(double probability, const Hazards& hazards, std::span<const double> weights) {
  if (hazards.again.empty()) return hazards.once->ExceededWith(probability, weights);
  double high = hazards.once.has_value() ? hazards.once->ExceededWith(probability, weights) : 1;
  double low = high;
  constexpr double kFarBelow = -1000;
  for (double reach = 1; hazards.FallsBelow(low, weights) > 1 - probability && low > kFarBelow;
       reach *= 2)
    low -= reach;
  constexpr double kExact = 1e-6;
  while (high - low > kExact) {
    const double middle = low + (high - low) / 2;
    (hazards.FallsBelow(middle, weights) > 1 - probability ? high : low) = middle;
  }
  return low;
}

// The chances of all trials and of all agreements that are alike.
struct PooledChances {
  std::vector<Chances> chances;  // by promise that is judged again and again
  std::vector<TailPrediction> tails;
  double agreements = 0;

  void Add(const std::vector<Chances>& more) {
    chances.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) {
      chances[i].margins.insert(chances[i].margins.end(), more[i].margins.begin(),
                                more[i].margins.end());
      chances[i].grain = std::max(chances[i].grain, more[i].grain);
      chances[i].step = more[i].step;
    }
  }
  void Predict(double trials) {
    for (const Chances& seen : chances) {
      if (seen.margins.empty()) continue;
      tails.emplace_back(seen, static_cast<double>(seen.margins.size()) / trials);
    }
  }
};

std::map<AlikeKey, PooledChances> PoolChances(const World& world, std::span<const Trial> trials) {
  std::map<AlikeKey, PooledChances> pools;
  if (trials.front().again.empty()) return pools;
  for (std::size_t a = 0; a < world.agreements.size(); ++a) {
    if (trials.front().again[a].empty()) continue;
    PooledChances& pool = pools[KeyOf(world.agreements[a])];
    ++pool.agreements;
    for (const Trial& trial : trials) pool.Add(trial.again[a]);
  }
  for (auto& [key, pool] : pools) pool.Predict(static_cast<double>(trials.size()));
  return pools;
}

// What trials showed of each agreement, and of the worst of all.
struct Seen {
  Observed worst;               // by what is judged once
  std::vector<Observed> once;   // by agreement
  std::vector<Observed> whole;  // by agreement, with what is judged again and again
};

Seen LookAt(std::span<const Trial> trials, std::size_t agreements) {
  Seen seen{.worst = {},
            .once = std::vector<Observed>(agreements),
            .whole = std::vector<Observed>(agreements)};
  for (const Trial& trial : trials) {
    const auto& once = trial.once.empty() ? trial.margins : trial.once;
    if (const auto worst = WorstOf(once); worst.has_value()) seen.worst.Add(trial.weight, *worst);
    for (std::size_t a = 0; a < agreements; ++a) {
      if (once[a].has_value()) seen.once[a].Add(trial.weight, *once[a]);
      if (trial.margins[a].has_value()) seen.whole[a].Add(trial.weight, *trial.margins[a]);
    }
  }
  return seen;
}

std::map<AlikeKey, Variances> PoolVariances(const World& world, const Seen& seen) {
  std::map<AlikeKey, Variances> alike;
  for (std::size_t a = 0; a < seen.whole.size(); ++a) {
    if (seen.whole[a].margins.size() < 2) continue;
    Variances& sum = alike[KeyOf(world.agreements[a])];
    if (seen.once[a].margins.size() >= 2)
      sum.margin += Prediction(seen.once[a].margins, seen.once[a].least()).variance();
    sum.share += Prediction(seen.whole[a].shares, 0).variance();
    ++sum.count;
  }
  return alike;
}

}  // namespace

Forecast Predict(const World& world, std::span<const Trial> trials, std::span<const Traffic> drawn,
                 double confidence) {
  CHECK(trials.size() >= kFewestTrials);
  std::vector<double> weights;
  for (const Traffic& traffic : drawn) weights.push_back(traffic.weight);
  const double middle = MeanOf(weights);
  const Seen seen = LookAt(trials, world.agreements.size());
  std::map<AlikeKey, Variances> alike = PoolVariances(world, seen);
  const std::map<AlikeKey, PooledChances> pools = PoolChances(world, trials);

  Forecast forecast;
  Hazards all;
  if (seen.worst.margins.size() >= 2) all.once.emplace(seen.worst.margins, seen.worst.least());
  for (const auto& [key, pool] : pools)
    all.again.insert(all.again.end(), pool.tails.begin(), pool.tails.end());
  if (!all.none()) forecast.worst_margin = ExceededWith(confidence, all, weights);
  for (std::size_t a = 0; a < seen.whole.size(); ++a) {
    std::optional<PredictedShare>& predicted = forecast.shares.emplace_back();
    if (seen.whole[a].margins.size() < 2) continue;
    const AlikeKey key = KeyOf(world.agreements[a]);
    const Variances& sum = alike[key];
    const Prediction share =
        Prediction(seen.whole[a].shares, 0).WithVariance(sum.share / sum.count);
    Hazards own;
    if (const Observed& once = seen.once[a]; once.margins.size() >= 2)
      own.once = Prediction(once.margins, once.least()).WithVariance(sum.margin / sum.count);
    if (const auto pool = pools.find(key); pool != pools.end()) {
      for (const TailPrediction& tail : pool->second.tails)
        own.again.push_back(tail.OfOne(pool->second.agreements));
    }
    predicted = {.mean = share.At(middle),
                 .low = std::max(0.0, share.ExceededWith(confidence, weights)),
                 .high = std::min(1.0, share.ExceededWith(1 - confidence, weights)),
                 .margin = own.none() ? 0 : ExceededWith(confidence, own, weights)};
  }
  return forecast;
}

}  // namespace fairlead
