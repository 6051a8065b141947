#include "fairlead/running/quote_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::size_t kHeavy = 2;
constexpr double kHeavierShare = 0.01;
constexpr int kFewest = 6;
constexpr int kMost = 12;
// A core finishes some 350,000 segments a second: about ten seconds of two cores.
constexpr double kSegmentsInAll = 6e6;

int TrafficsThatFit(const World& world) {
  double segments_per_s = 0;
  for (const PlannedAgreement& planned : world.agreements) {
    segments_per_s += MeanRate(planned.arrivals) *
                      static_cast<double>(world.networks[planned.agreement.network.index()].size());
  }
  const double fit = kSegmentsInAll / (segments_per_s * Seconds(world.scenario.horizon));
  return static_cast<int>(std::clamp<double>(fit, kFewest, kMost));
}

}  // namespace

ChosenTraffic ChooseTraffic(const World& world, const TrafficDraw& draw, int simulated) {
  CHECK(draw.draws > 2 * kMost);
  ChosenTraffic chosen{.drawn = DrawTraffic(world, draw), .heavy = {}, .others = {}};
  std::vector<std::size_t> heaviest_first(chosen.drawn.size());
  std::iota(heaviest_first.begin(), heaviest_first.end(), std::size_t{0});
  std::ranges::stable_sort(heaviest_first, std::greater<>(),
                           [&](std::size_t i) { return chosen.drawn[i].weight; });
  const auto heavier =
      static_cast<std::size_t>(std::lround(kHeavierShare * static_cast<double>(draw.draws)));
  const std::size_t first = heavier - std::min<std::size_t>(heavier, 1);
  for (std::size_t i = first; i < first + kHeavy; ++i)
    chosen.heavy.push_back(chosen.drawn[heaviest_first[i]]);
  const auto all = static_cast<std::size_t>(simulated > 0 ? simulated : TrafficsThatFit(world));
  for (std::size_t i = 0; i < chosen.drawn.size() && kHeavy + chosen.others.size() < all; ++i) {
    const bool heavy =
        std::ranges::find(chosen.heavy, chosen.drawn[i].seed, &Traffic::seed) != chosen.heavy.end();
    if (!heavy) chosen.others.push_back(chosen.drawn[i]);
  }
  return chosen;
}

Result<Evidence> Judge(const World& world, const ChosenTraffic& traffic,
                       const JudgingPlan& judging) {
  Evidence evidence;
  const bool proven = ProvablyNot(world, traffic.heavy.front());
  if (proven) evidence.verdict = Verdict::kProvablyNot;
  if (proven && judging.after_proof == AfterProof::kStop) return evidence;
  ASSIGN_OR_RETURN(evidence.trials, RunTrials(world, judging.plan, traffic.heavy));
  if (proven || std::ranges::any_of(evidence.trials, &Trial::Broken)) return evidence;
  TrialPlan plan = judging.plan;
  if (plan.progressed) {
    plan.progressed = [&](std::size_t run, double share) {
      judging.plan.progressed(run + traffic.heavy.size(), share);
    };
  }
  ASSIGN_OR_RETURN(auto others, RunTrials(world, plan, traffic.others));
  std::ranges::move(others, std::back_inserter(evidence.trials));
  evidence.forecast = Predict(world, evidence.trials, traffic.drawn, judging.confidence);
  if (std::ranges::any_of(evidence.trials, &Trial::Broken)) return evidence;
  const bool keeps = evidence.forecast->worst_margin.value_or(0) >= 0;
  evidence.verdict = keeps ? Verdict::kKeeps : Verdict::kUncertain;
  return evidence;
}

double WorstMargin(const std::vector<Trial>& trials) {
  double worst = std::numeric_limits<double>::infinity();
  for (const Trial& trial : trials) {
    if (const auto margin = trial.Worst(); margin.has_value())
      worst = std::min(worst, margin->margin);
  }
  return worst;
}

double KeptShare(const std::vector<Trial>& trials) {
  std::size_t promises = 0;
  std::size_t kept = 0;
  for (std::size_t a = 0; a < trials.front().margins.size(); ++a) {
    const auto promised = [&](const Trial& trial) { return trial.margins[a].has_value(); };
    const auto keeps = [&](const Trial& trial) {
      return trial.margins[a].value_or(PromiseMargin{}).margin >= 0;
    };
    if (!std::ranges::any_of(trials, promised)) continue;
    ++promises;
    if (std::ranges::all_of(trials, keeps)) ++kept;
  }
  return promises == 0 ? 1 : static_cast<double>(kept) / static_cast<double>(promises);
}

}  // namespace fairlead
