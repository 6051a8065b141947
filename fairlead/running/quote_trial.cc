#include "fairlead/running/quote_trial.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/domain/promised_share.h"
#include "fairlead/running/quote_prediction.h"
#include "fairlead/running/run.h"

namespace fairlead {
namespace {

// A figure that never changed deviates by a quarter of its grain; one that stood at its ceiling,
// all hits, by a whole one: what lies below is seldom seen.
constexpr double kLeastOfGrain = 0.25;
constexpr double kLeastAtCeiling = 1;
constexpr std::size_t kFewestTrials = 4;

std::optional<PromiseMargin> TargetMargin(const ServiceAgreement& agreement,
                                          const AgreementFigures& figures) {
  if (!figures.target.has_value()) return std::nullopt;
  const double hit_rate = figures.counts.HitRateOr(*figures.target);
  auto requests = static_cast<double>(figures.counts.ended());
  double rate = hit_rate;
  if (agreement.period.has_value() && figures.periods.has_value() && figures.periods->periods > 0) {
    rate = figures.periods->worst;
    const double overlap = agreement.period_kind == PeriodKind::kSliding ? kSlices : 1;
    requests =
        std::min(requests, overlap * requests / static_cast<double>(figures.periods->periods));
  }
  return PromiseMargin{
      .margin = rate - *figures.target, .share = hit_rate, .grain = 1 / std::max(requests, 1.0)};
}

std::optional<PromiseMargin> WindowMargin(const ServiceAgreement& agreement,
                                          const AgreementFigures& figures) {
  if (agreement.window == 0) return std::nullopt;
  const double window = agreement.window;
  return PromiseMargin{.margin = figures.worst_window - (1 - agreement.max_misses / window),
                       .share = figures.counts.HitRateOr(1),
                       .grain = 1 / window};
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
using AlikeKey = std::tuple<std::size_t, std::size_t, double>;
AlikeKey KeyOf(const PlannedAgreement& planned) {
  return {planned.group, planned.agreement.network.index(), PromisedShare(planned.agreement)};
}

struct Variances {
  double margin = 0;
  double share = 0;
  double count = 0;
};

}  // namespace

std::optional<PromiseMargin> MarginOf(const ServiceAgreement& agreement,
                                      const AgreementFigures& figures) {
  if (figures.counts.ended() == 0) return std::nullopt;
  const auto by_target = TargetMargin(agreement, figures);
  const auto by_window = WindowMargin(agreement, figures);
  if (!by_target.has_value()) return by_window;
  if (!by_window.has_value() || by_target->margin < by_window->margin) return by_target;
  return by_window;
}

std::optional<PromiseMargin> Trial::Worst() const {
  std::optional<PromiseMargin> worst;
  for (const auto& margin : margins) {
    if (margin.has_value() && (!worst.has_value() || margin->margin < worst->margin))
      worst = margin;
  }
  return worst;
}

bool Trial::Broken() const {
  const auto worst = Worst();
  return worst.has_value() && worst->margin < 0;
}

Result<std::vector<Trial>> RunTrials(const World& world, const TrialPlan& plan,
                                     std::span<const Traffic> traffics) {
  RunPlan runs{.threads = plan.threads, .progressed = plan.progressed};
  for (const Traffic& traffic : traffics)
    runs.specs.push_back({.policy = plan.policy, .seed = traffic.seed, .bounds = false});
  ASSIGN_OR_RETURN(const auto figures, RunAll(world, runs));
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < traffics.size(); ++i) {
    Trial trial{.seed = traffics[i].seed, .weight = traffics[i].weight, .margins = {}};
    for (std::size_t a = 0; a < world.agreements.size(); ++a) {
      trial.margins.push_back(MarginOf(world.agreements[a].agreement, figures[i].per_agreement[a]));
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

Forecast Predict(const World& world, std::span<const Trial> trials, std::span<const Traffic> drawn,
                 double confidence) {
  CHECK(trials.size() >= kFewestTrials);
  std::vector<double> weights;
  for (const Traffic& traffic : drawn) weights.push_back(traffic.weight);
  const double middle = MeanOf(weights);

  Observed worst;
  std::vector<Observed> each(world.agreements.size());
  for (const Trial& trial : trials) {
    if (const auto margin = trial.Worst(); margin.has_value()) worst.Add(trial.weight, *margin);
    for (std::size_t a = 0; a < each.size(); ++a) {
      if (trial.margins[a].has_value()) each[a].Add(trial.weight, *trial.margins[a]);
    }
  }
  std::map<AlikeKey, Variances> alike;
  for (std::size_t a = 0; a < each.size(); ++a) {
    if (each[a].margins.size() < 2) continue;
    Variances& sum = alike[KeyOf(world.agreements[a])];
    sum.margin += Prediction(each[a].margins, each[a].least()).variance();
    sum.share += Prediction(each[a].shares, 0).variance();
    ++sum.count;
  }

  Forecast forecast;
  if (worst.margins.size() >= 2)
    forecast.worst_margin =
        Prediction(worst.margins, worst.least()).ExceededWith(confidence, weights);
  for (std::size_t a = 0; a < each.size(); ++a) {
    std::optional<PredictedShare>& predicted = forecast.shares.emplace_back();
    if (each[a].margins.size() < 2) continue;
    const Variances& sum = alike[KeyOf(world.agreements[a])];
    const Prediction margin =
        Prediction(each[a].margins, each[a].least()).WithVariance(sum.margin / sum.count);
    const Prediction share = Prediction(each[a].shares, 0).WithVariance(sum.share / sum.count);
    predicted = {.mean = share.At(middle),
                 .low = std::max(0.0, share.ExceededWith(confidence, weights)),
                 .high = std::min(1.0, share.ExceededWith(1 - confidence, weights)),
                 .margin = margin.ExceededWith(confidence, weights)};
  }
  return forecast;
}

}  // namespace fairlead
