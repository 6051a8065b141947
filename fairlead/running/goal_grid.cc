#include "fairlead/running/goal_grid.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "fairlead/policies/edf.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/slo_mael.h"
#include "fairlead/running/worker_threads.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {
namespace {

// Searches simulate traffic of these, and of the few seeds behind each; what is found is tried in
// the believed world on traffic that none has seen.
constexpr std::uint64_t kSearchSeed = 101;
constexpr std::uint64_t kSeedsPerSearch = 10;
constexpr std::uint64_t kUnseenSeed = 201;

std::uint64_t AsSeed(int number) { return static_cast<std::uint64_t>(number); }

TriedPolicy Routed(const AllocationRatios& ratios, RouteAt route) {
  return [ratios, route](DropRule drop) {
    return MakeGoalDirected("goal-directed", {.route = route, .drop = drop}, ratios);
  };
}

}  // namespace

GoalGrid::GoalGrid(const ExperimentPlan& plan, GoalKind goal) : plan_(plan), goal_(goal) {
  if (plan.quick)
    sizes_ = {.sets = 1, .ratios = 2, .requests = 400, .budget = 24, .seeds = 2, .searches = 2};
  else
    sizes_.seeds = plan.seeds;
  sizes_.searches = std::min(sizes_.searches, sizes_.seeds);
  if (goal == GoalKind::kSlo99) sizes_.budget *= 4;
}

Status GoalGrid::Run() {
  ASSIGN_OR_RETURN(GoalPlatform measured, MeasuredGoalPlatform(plan_.quick));
  ASSIGN_OR_RETURN(GoalPlatform synthetic, SyntheticGoalPlatform(plan_.quick));
  platforms_ = {std::move(measured), std::move(synthetic)};
  for (const GoalPlatform& platform : platforms_) {
    for (std::size_t s = 0; s < sizes_.sets; ++s) {
      for (std::size_t r = 0; r < sizes_.ratios; ++r)
        cases_.push_back({.platform = &platform, .set = s, .ratio = r});
    }
  }
  std::mutex mutex;
  std::optional<Error> failed;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  WorkOnThreads(threads, [&] {
    for (std::size_t i = next++; i < cases_.size() && !plan_.stop.stop_requested(); i = next++) {
      const Status status = RunCase(cases_[i]);
      const std::lock_guard lock(mutex);
      if (!status.has_value() && !failed.has_value()) failed = status.error();
      if (plan_.progressed)
        plan_.progressed(static_cast<double>(++done) / static_cast<double>(cases_.size()));
    }
  });
  if (failed.has_value()) return tl::unexpected(*failed);
  std::erase_if(cases_, [](const GoalCase& one) { return one.scores.empty(); });
  return {};
}

Status GoalGrid::RunCase(GoalCase& one) const {
  ASSIGN_OR_RETURN(World world, GoalWorld(*one.platform, kGoalSets[one.set], kGoalRatios[one.ratio],
                                          sizes_.requests));
  std::vector<std::vector<double>> scores;
  std::vector<FoundAssignment> first;  // of the first rival, by repetition
  for (const GoalRival& rival : kGoalRivals) {
    World believing = world;
    if (rival.belief == GoalBelief::kConstant) Believe(believing, one.platform->constant);
    if (rival.belief == GoalBelief::kLearned) Believe(believing, one.platform->learned);
    const World as_believed = AsBelieved(believing);
    std::vector<double> believed;
    std::vector<double>& by_repetition = scores.emplace_back();
    for (int repetition = 0; repetition < sizes_.searches; ++repetition) {
      ASSIGN_OR_RETURN(const TriedPolicy policy, PolicyOf(rival, believing, repetition, first));
      ASSIGN_OR_RETURN(by_repetition.emplace_back(), Judge(believing, policy, repetition));
      ASSIGN_OR_RETURN(
          believed.emplace_back(),
          GoalTrial(as_believed).Score(goal_, policy, kUnseenSeed + AsSeed(repetition)));
    }
    one.believed.push_back(EstimateMean(believed).mean);
  }
  one.draws = first.front().draws;
  one.scores = std::move(scores);
  return {};
}

// In truth. Repetitions share the seeds out among them.
Result<double> GoalGrid::Judge(const World& world, const TriedPolicy& policy,
                               int repetition) const {
  const GoalTrial trial(world);
  std::vector<double> by_seed;
  for (int s = repetition; s < sizes_.seeds; s += sizes_.searches) {
    ASSIGN_OR_RETURN(by_seed.emplace_back(), trial.Score(goal_, policy, plan_.seed + AsSeed(s)));
  }
  return EstimateMean(by_seed).mean;
}

Result<TriedPolicy> GoalGrid::PolicyOf(const GoalRival& rival, const World& world, int repetition,
                                       std::vector<FoundAssignment>& first) const {
  if (rival.kind == RivalKind::kMael)
    return TriedPolicy([](DropRule drop) { return MakeSloMael("slo-mael", {.drop = drop}); });
  if (rival.kind == RivalKind::kEdf || rival.kind == RivalKind::kBeside) {
    return TriedPolicy([beside = rival.kind == RivalKind::kBeside](DropRule drop) {
      ListPolicyOptions options;
      if (beside) options.placement.beside = AcceleratorSlots::Beside::kNow;
      options.drop = drop;
      return MakeListPolicy("edf-h", MakeEarliestDeadlineFirst(), options,
                            RandomStream(1, "policy"));
    });
  }
  if (rival.kind == RivalKind::kIdle)
    return Routed(first[static_cast<std::size_t>(repetition)].ratios, RouteAt::kIdle);
  AssignmentSearchOptions options;
  options.method = rival.method;
  options.budget = sizes_.budget;
  options.seed = kSearchSeed + kSeedsPerSearch * AsSeed(repetition);
  options.route = rival.route;
  options.goal.parts = {{.kind = rival.throughput ? GoalKind::kThroughput : goal_}};
  // One simulation tells a throughput, several a rate at 99 %: as many assignments are drawn.
  if (rival.throughput) options.budget /= GoalTrial::Simulations(goal_);
  options.stop = plan_.stop;
  ASSIGN_OR_RETURN(const FoundAssignment found, SearchAssignment(world, options));
  if (&rival == kGoalRivals.data()) first.push_back(found);
  return Routed(found.ratios, rival.route);
}

}  // namespace fairlead
