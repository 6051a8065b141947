#include "fairlead/running/training/rollouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/running/worker_threads.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kFirstTrainingSeed = 1'000'000;

// Histories of all agreements, as if the run had gone on for a while: shares around a common one,
// closely or far apart, out of few or many outcomes. Or around what was promised, where something
// was: there a policy that works spends its time.
std::vector<KeptAgreement> DrawHistories(const SeededWorld& seeded, RandomStream& random) {
  const World& world = seeded.world();
  constexpr double kMostOutcomes = 600;
  const double outcomes = std::exp(random.Uniform() * std::log(kMostOutcomes));
  const double common = 0.6 + 0.4 * random.Uniform();
  const double spread = 0.25 * random.Uniform() * random.Uniform();
  const bool around_targets = random.Uniform() < 0.6;
  const double margin = 0.2 * random.Uniform() - 0.08;
  std::vector<KeptAgreement> books;
  for (const ServiceAgreement& agreement : seeded.agreements()) {
    const double ended = std::floor(outcomes * (0.5 + random.Uniform()));
    const bool around = around_targets && agreement.target.has_value();
    const double middle = around ? agreement.TargetRate() + margin : common;
    const double rate = std::clamp(middle + spread * random.Normal(), 0.0, 1.0);
    AgreementHistory history;
    const auto hits = static_cast<std::int64_t>(std::lround(rate * ended));
    history.lifetime.by_outcome[static_cast<std::size_t>(Outcome::kHit)] = hits;
    history.lifetime.by_outcome[static_cast<std::size_t>(Outcome::kMiss)] =
        static_cast<std::int64_t>(ended) - hits;
    books.push_back({.tenant = world.tenants[agreement.tenant.index()].name,
                     .network = world.networks[agreement.network.index()].name(),
                     .history = history});
  }
  return books;
}

struct Shared {
  const RolloutOptions& options;
  const GruNetwork* network;
  WhoActs acts;
};

Result<CollectingOptions> PolicyOptions(const Shared& shared) {
  CollectingOptions policy{.frame = shared.options.frame,
                           .reward = shared.options.reward,
                           .exploration = shared.options.exploration,
                           .acts = shared.acts,
                           .network = shared.network};
  if (!shared.options.teacher.empty()) {
    ASSIGN_OR_RETURN(policy.teacher, MakeTeacher(shared.options.teacher));
  }
  return policy;
}

Result<std::shared_ptr<const Trajectory>> CollectOne(const TrainingWorld& world,
                                                     const Shared& shared,
                                                     const CollectRequest& request, int run) {
  RandomStream random(request.seed, fmt::format("rollout/round={}/run={}", request.round, run));
  const std::uint64_t seed = kFirstTrainingSeed + random.Below(std::uint64_t{1} << 40);
  SeededWorld seeded(*world.world, seed);
  if (random.Uniform() < shared.options.drawn_histories)
    seeded.Continue(DrawHistories(seeded, random));
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->decisions.reserve(request.decisions_per_run);
  ASSIGN_OR_RETURN(CollectingOptions policy, PolicyOptions(shared));
  policy.trajectory = trajectory.get();
  policy.most_decisions = request.decisions_per_run;
  policy.stop = std::stop_source();
  const std::stop_callback asked(request.stop,
                                 [stop = policy.stop]() mutable { stop.request_stop(); });
  SimulationSetup setup = seeded.Setup();
  setup.stop = policy.stop.get_token();
  Simulator simulator(std::move(setup),
                      std::make_unique<CollectingPolicy>(std::move(policy), random));
  RETURN_IF_ERROR(simulator.Run());
  // What the last one earned is not known.
  if (!trajectory->decisions.empty()) trajectory->decisions.pop_back();
  return trajectory;
}

Evaluation Judge(const SchedulingEngine& engine) {
  const FairnessLedger& ledger = engine.state().ledger;
  Evaluation figures{.decisions = engine.counters().decisions};
  const OutcomeCounts total = ledger.MeasuredTotal();
  figures.hit_rate = total.HitRateOr(1);
  std::vector<double> margins;
  double sum = 0;
  double squares = 0;
  figures.worst = 1;
  for (std::size_t a = 0; a < ledger.size(); ++a) {
    const AgreementId id{a};
    const double rate = ledger.MeasuredRate(id);
    const double margin = rate - ledger.TargetRate(id);
    margins.push_back(margin);
    sum += rate;
    squares += rate * rate;
    figures.worst = std::min(figures.worst, rate);
    const bool promised = ledger.Promise(id).IsPromised();
    figures.promises += promised ? 1 : 0;
    figures.met += !promised || margin >= 0 ? 1 : 0;
    figures.shortfall += promised ? std::max(0.0, -margin) : 0;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(ledger.size(), 1));
  figures.met /= count;
  figures.deviation = std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
  std::ranges::sort(margins);
  const std::size_t tenth = std::max<std::size_t>(1, margins.size() / 10);
  for (std::size_t i = 0; i < tenth && i < margins.size(); ++i)
    figures.worst_margin += margins[i] / static_cast<double>(tenth);
  return figures;
}

Result<Evaluation> EvaluateOne(const TrainingWorld& world, const Shared& shared, std::uint64_t seed,
                               const std::stop_token& stop) {
  SeededWorld seeded(*world.world, seed);
  ASSIGN_OR_RETURN(CollectingOptions policy, PolicyOptions(shared));
  SimulationSetup setup = seeded.Setup();
  setup.stop = stop;
  Simulator simulator(std::move(setup), std::make_unique<CollectingPolicy>(
                                            std::move(policy), RandomStream(seed, "policy")));
  RETURN_IF_ERROR(simulator.Run());
  return Judge(simulator.engine());
}

// Does `job(i)` for all i below `count`; results by i, or the first error.
template <typename T, typename Job>
Result<std::vector<T>> OnThreads(int threads, int count, const Job& job) {
  std::vector<std::optional<Result<T>>> results(static_cast<std::size_t>(count));
  std::atomic<int> next = 0;
  WorkOnThreads(threads, [&] {
    for (int i = next++; i < count; i = next++) results[static_cast<std::size_t>(i)] = job(i);
  });
  std::vector<T> all;
  for (std::optional<Result<T>>& result : results) {
    if (!result->has_value()) return tl::unexpected(result->error());
    all.push_back(std::move(**result));
  }
  return all;
}

void AddTo(Evaluation& mean, const Evaluation& one, double share) {
  mean.hit_rate += share * one.hit_rate;
  mean.worst += share * one.worst;
  mean.deviation += share * one.deviation;
  mean.met += share * one.met;
  mean.shortfall += share * one.shortfall;
  mean.worst_margin += share * one.worst_margin;
  mean.promises = one.promises;
  mean.decisions += one.decisions;
}

}  // namespace

Result<std::vector<std::shared_ptr<const Trajectory>>> Collect(
    const std::vector<TrainingWorld>& worlds, const RolloutOptions& options,
    const GruNetwork* network, const CollectRequest& request) {
  CHECK(!worlds.empty());
  const Shared shared{options, network, request.acts};
  return OnThreads<std::shared_ptr<const Trajectory>>(options.threads, request.runs, [&](int run) {
    const auto world = static_cast<std::size_t>(request.round + run) % worlds.size();
    return CollectOne(worlds[world], shared, request, run);
  });
}

Result<std::vector<Evaluation>> Evaluate(const std::vector<TrainingWorld>& worlds,
                                         const RolloutOptions& options, const GruNetwork* network,
                                         const EvaluateRequest& request) {
  std::vector<const TrainingWorld*> judged;
  for (const TrainingWorld& world : worlds) {
    if (world.judged) judged.push_back(&world);
  }
  const Shared shared{options, network, request.acts};
  const int count = static_cast<int>(judged.size()) * request.seeds;
  ASSIGN_OR_RETURN(
      const std::vector<Evaluation> runs, OnThreads<Evaluation>(options.threads, count, [&](int i) {
        const auto world = static_cast<std::size_t>(i / request.seeds);
        const auto seed = request.first_seed + static_cast<std::uint64_t>(i % request.seeds);
        return EvaluateOne(*judged[world], shared, seed, request.stop);
      }));
  std::vector<Evaluation> means;
  for (std::size_t w = 0; w < judged.size(); ++w) {
    Evaluation& mean = means.emplace_back(Evaluation{.world = judged[w]->name});
    for (int s = 0; s < request.seeds; ++s)
      AddTo(mean, runs[w * static_cast<std::size_t>(request.seeds) + static_cast<std::size_t>(s)],
            1.0 / request.seeds);
  }
  return means;
}

}  // namespace fairlead
