// How far is each policy from the best that could have been done? Small random worlds, the exact
// optimum of each by CBC, and every registered policy that needs no plan in it.
//
// The optimum is checked from both sides: our simulator carries it out and must count the same
// hits, and no policy may have more.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/harness.h"
#include "benchmarks/optimal_schedule.h"
#include "benchmarks/small_world.h"
#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"
#include "fairlead/running/run.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

struct Options {
  int worlds = 100;
  int seed = 1;
  int jobs = 0;  // 0: drawn
  std::string policies;
};

// Each policy as it is, and with early drops where it has to be asked for them.
std::vector<std::string> PolicySpecs() {
  std::vector<std::string> specs;
  for (const PolicyEntry& entry : Policies()) {
    if (entry.needs.plan) continue;
    specs.emplace_back(entry.name);
    const auto drop = std::ranges::find(entry.options, "drop", &OptionInfo::key);
    if (drop != entry.options.end() && drop->default_value != "early")
      specs.push_back(fmt::format("{}:drop=early", entry.name));
  }
  return specs;
}

// ---- One world -----------------------------------------------------------------------------

class HitListener final : public EngineListener {
 public:
  void JobEnded(const Job& job, Outcome outcome, Reason /*reason*/, Instant /*now*/) override {
    if (outcome == Outcome::kHit) hits_.push_back(job.request);
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}

  const std::vector<std::size_t>& hits() const { return hits_; }

 private:
  std::vector<std::size_t> hits_;  // jobs
};

// Carries the schedule out, and holds it to its word.
Status Verify(const SmallWorld& small, const OptimalSchedule& schedule) {
  ASSIGN_OR_RETURN(const auto world, BuildSmallWorld(small, schedule.hits));
  const FixedPlan plan = PlanOf(schedule);
  std::vector<PlannedRequest> requests;
  requests.reserve(schedule.hits.size());
  for (std::size_t job : schedule.hits)
    requests.push_back({.request = job, .network = NetworkId{small.jobs[job].network}});
  RETURN_IF_ERROR(CheckFixedPlan(plan, requests, world->networks, world->platform, *world->truth));
  HitListener listener;
  RETURN_IF_ERROR(Simulate(*world, {.plan = &plan, .listener = &listener}));
  CHECK_MSG(listener.hits().size() == schedule.hits.size(),
            fmt::format("the optimum has {} hits, carried out {}\n{}", schedule.hits.size(),
                        listener.hits().size(), Describe(small)));
  return {};
}

constexpr double kBoundTolerance = 1e-6;

// What was reached in a world, by a policy or by an optimum.
struct Reached {
  int hits = 0;
  HitShare worst;  // tenant
};

Reached ReachedBy(const SmallWorld& small, const std::vector<std::size_t>& hits) {
  return {.hits = static_cast<int>(hits.size()), .worst = WorstTenant(small, hits)};
}

struct WorldResult {
  std::size_t jobs = 0;
  Reached most;
  Reached fairest;
  double most_seconds = 0;  // of processor time, to find it
  double fairest_seconds = 0;
  std::vector<Reached> policies;
  double bound = 0;  // hits
};

Result<WorldResult> RunWorld(const SmallWorld& small, const std::vector<std::string>& specs) {
  WorldResult result{.jobs = small.jobs.size()};
  Meter meter;
  const auto most = MostHits(small);
  result.most_seconds = meter.Read().processor;
  CHECK(most.has_value());
  meter = Meter();
  const OptimalSchedule fairest = FairestHits(small);
  result.fairest_seconds = meter.Read().processor;
  RETURN_IF_ERROR(Verify(small, *most));
  RETURN_IF_ERROR(Verify(small, fairest));
  result.most = ReachedBy(small, most->hits);
  result.fairest = ReachedBy(small, fairest.hits);

  std::vector<std::size_t> all(small.jobs.size());
  std::iota(all.begin(), all.end(), 0);
  ASSIGN_OR_RETURN(const auto world, BuildSmallWorld(small, all));
  const auto bounds = BoundsOn(*world, ArrivalsOf(*world));
  CHECK(bounds.has_value());
  result.bound = bounds->hit_rate * static_cast<double>(small.jobs.size());
  CHECK_MSG(result.most.hits <= result.bound + kBoundTolerance,
            fmt::format("the optimum has {} hits, and the fluid bound {}\n{}", result.most.hits,
                        result.bound, Describe(small)));
  for (const std::string& spec : specs) {
    HitListener listener;
    RETURN_IF_ERROR(Simulate(*world, {.policy = spec, .listener = &listener}));
    const Reached reached = ReachedBy(small, listener.hits());
    CHECK_MSG(reached.hits <= result.most.hits && !(result.fairest.worst < reached.worst),
              fmt::format("{} is better than the optimum: {} hits, not {}; worst tenant {:.3f}, "
                          "not {:.3f}\n{}",
                          spec, reached.hits, result.most.hits, reached.worst.Value(),
                          result.fairest.worst.Value(), Describe(small)));
    result.policies.push_back(reached);
  }
  return result;
}

// ---- All worlds ----------------------------------------------------------------------------

// A column of a policy: one value for each world.
template <typename Value>
std::vector<double> OverWorlds(const std::vector<WorldResult>& worlds, const Value& value) {
  std::vector<double> values(worlds.size());
  std::ranges::transform(worlds, values.begin(), value);
  return values;
}

std::string Percent(const std::vector<double>& values) {
  const Estimate estimate = EstimateMean(values);
  if (!estimate.half_width.has_value()) return fmt::format("{:.1f}", 100 * estimate.mean);
  return fmt::format("{:.1f} ± {:.1f}", 100 * estimate.mean, 100 * *estimate.half_width);
}

struct Row {
  std::string name;
  double mean = 0;  // of hits over optimal hits
  std::vector<std::string> cells;
};

template <typename Of>
Row MakeRow(std::string_view name, const std::vector<WorldResult>& worlds, const Of& of) {
  const std::vector<double> ratios = OverWorlds(worlds, [&](const WorldResult& world) {
    return static_cast<double>(of(world).hits) / world.most.hits;
  });
  const auto optimal = OverWorlds(worlds, [&](const WorldResult& world) {
    return of(world).hits == world.most.hits ? 1.0 : 0.0;
  });
  const auto worst =
      OverWorlds(worlds, [&](const WorldResult& world) { return of(world).worst.Value(); });
  const auto fair = OverWorlds(worlds, [&](const WorldResult& world) {
    return of(world).worst == world.fairest.worst ? 1.0 : 0.0;
  });
  return {.name = std::string(name),
          .mean = EstimateMean(ratios).mean,
          .cells = {Percent(ratios), fmt::format("{:.1f}", 100 * std::ranges::min(ratios)),
                    Percent(optimal), Percent(worst), Percent(fair)}};
}

void PrintRow(std::string_view name, const std::vector<std::string>& cells) {
  fmt::print("| {:<24} |", name);
  for (const std::string& cell : cells) fmt::print(" {:>14} |", cell);
  fmt::print("\n");
}

// In the form of Markdown, the best first.
void PrintTable(const std::vector<std::string>& specs, const std::vector<WorldResult>& worlds) {
  std::vector<Row> rows;
  for (std::size_t p = 0; p < specs.size(); ++p) {
    rows.push_back(
        MakeRow(specs[p], worlds, [p](const WorldResult& world) { return world.policies[p]; }));
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &Row::mean);
  const Row fairest =
      MakeRow("fairest optimum", worlds, [](const WorldResult& world) { return world.fairest; });
  rows.insert(rows.begin(), fairest);

  PrintRow("%", {"hits / optimum", "worst world", "optimal", "worst tenant", "fairest"});
  PrintRow(":---", {"---:", "---:", "---:", "---:", "---:"});
  for (const Row& row : rows) PrintRow(row.name, row.cells);
}

void PrintTimes(std::string_view what, const std::vector<double>& seconds) {
  fmt::print("{}: median {:.3f} s, 95 in 100 at most {:.3f} s, longest {:.3f} s\n", what,
             Quantile(seconds, 0.5), Quantile(seconds, 0.95), Quantile(seconds, 1));
}

Status RunAsTold(const Options& options) {
  if (options.jobs > kMostJobs) return Fail("--jobs: at most {}", kMostJobs);
  std::vector<std::string> specs = PolicySpecs();
  if (!options.policies.empty()) {
    ASSIGN_OR_RETURN(specs, ParsePolicyList(options.policies));
  }
  const std::optional<int> jobs =
      options.jobs > 0 ? std::optional<int>(options.jobs) : std::nullopt;
  std::vector<WorldResult> worlds;
  for (int w = 0; w < options.worlds; ++w) {
    const std::uint64_t seed = static_cast<std::uint64_t>(options.seed) + static_cast<unsigned>(w);
    ASSIGN_OR_RETURN(WorldResult result, RunWorld(DrawSmallWorld(seed, jobs), specs));
    worlds.push_back(std::move(result));
  }

  const auto served = OverWorlds(worlds, [](const WorldResult& world) {
    return static_cast<double>(world.most.hits) / static_cast<double>(world.jobs);
  });
  fmt::print(
      "{} worlds, seeds {} to {}. The optimum serves {} % of the jobs ({:.0f} to {:.0f} %), "
      "in {} worlds all.\n\n",
      options.worlds, options.seed, options.seed + options.worlds - 1, Percent(served),
      100 * std::ranges::min(served), 100 * std::ranges::max(served),
      std::ranges::count(served, 1.0));
  PrintTable(specs, worlds);
  const auto allowed =
      OverWorlds(worlds, [](const WorldResult& world) { return world.bound / world.most.hits; });
  const auto met = OverWorlds(worlds, [](const WorldResult& world) {
    return world.bound + kBoundTolerance < world.most.hits + 1 ? 1.0 : 0.0;
  });
  fmt::print(
      "\nThe fluid bound is {} % of the optimum; in {} % of the worlds it leaves no hit more.\n\n",
      Percent(allowed), Percent(met));
  PrintTimes("CBC, most hits",
             OverWorlds(worlds, [](const WorldResult& world) { return world.most_seconds; }));
  PrintTimes("CBC, fairest (a few programs)",
             OverWorlds(worlds, [](const WorldResult& world) { return world.fairest_seconds; }));
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("optimality",
                                "How far is each policy from the best that could have been done?");
  arguments.Add("--worlds", options.worlds, "how many; 100");
  arguments.Add("--seed", options.seed, "of the first world, the others follow; 1");
  arguments.Add("--jobs", options.jobs, "in each world, at most 12; 6 to 12, drawn");
  arguments.Add("--policies", options.policies, "A,B,... instead of all");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  const fairlead::Status status = fairlead::RunAsTold(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "optimality: {}\n", status.error().message);
  return 1;
}
