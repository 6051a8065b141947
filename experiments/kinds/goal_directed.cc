// Who serves how much of several sets of networks, by ratios of requests, on two machines: searched
// assignments under beliefs about interference, and list policies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "experiments/kinds/goal_platforms.h"
#include "experiments/kinds/kinds.h"
#include "fairlead/running/assignment_search.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {
namespace {

// Searches simulate traffic of these, and of the few seeds behind each; what is found is tried in
// the believed world on traffic that none has seen.
constexpr std::uint64_t kSearchSeed = 101;
constexpr std::uint64_t kSeedsPerSearch = 10;
constexpr std::uint64_t kUnseenSeed = 201;

struct GoalSizes {
  GoalKind goal = GoalKind::kGoodput;
  std::vector<std::vector<std::string>> sets;
  std::vector<std::vector<int>> ratios;
  double requests = 1500;
  int budget = 150;
  int searches = 5;  // each on draws and traffic of its own, judged by its part of the seeds
};

Result<GoalSizes> GoalSizesOf(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  static const std::vector<std::string_view> kKeys = {"goal",   "sets",     "ratios", "requests",
                                                      "budget", "searches", "quick"};
  GoalSizes sizes;
  if (!grid.options.has_value()) return Fail("goal-directed: expected options");
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(*grid.options, kKeys));
  std::string goal = "goodput";
  RETURN_IF_ERROR(map.ReadText("goal", goal));
  ASSIGN_OR_RETURN(const SearchGoal parsed, ParseSearchGoal(goal));
  sizes.goal = parsed.parts.front().kind;
  ASSIGN_OR_RETURN(const ConfigNode sets, map.Require("sets"));
  ASSIGN_OR_RETURN(const auto set_list, sets.List());
  for (const ConfigNode& set : set_list) {
    ASSIGN_OR_RETURN(const auto names, set.List());
    auto& all = sizes.sets.emplace_back();
    for (const ConfigNode& name : names) {
      ASSIGN_OR_RETURN(all.emplace_back(), name.Text());
    }
  }
  ASSIGN_OR_RETURN(const ConfigNode ratios, map.Require("ratios"));
  ASSIGN_OR_RETURN(const auto ratio_list, ratios.List());
  for (const ConfigNode& ratio : ratio_list) {
    ASSIGN_OR_RETURN(const auto parts, ratio.List());
    auto& all = sizes.ratios.emplace_back();
    for (const ConfigNode& part : parts) {
      ASSIGN_OR_RETURN(const std::int64_t number, part.AsInteger(1, 1000));
      all.push_back(static_cast<int>(number));
    }
  }
  const auto read_sizes = [&sizes](const ConfigMap& from) -> Status {
    RETURN_IF_ERROR(from.ReadNumber("requests", sizes.requests, 1, 1e9));
    RETURN_IF_ERROR(from.ReadInteger("budget", sizes.budget, 1, 1'000'000));
    return from.ReadInteger("searches", sizes.searches, 1, 1000);
  };
  RETURN_IF_ERROR(read_sizes(map));
  if (const auto quick = map.Find("quick"); plan.quick && quick.has_value()) {
    ASSIGN_OR_RETURN(const ConfigMap fewer,
                     ConfigMap::Open(*quick, {"sets", "ratios", "requests", "budget", "searches"}));
    RETURN_IF_ERROR(read_sizes(fewer));
    int count = 0;
    RETURN_IF_ERROR(fewer.ReadInteger("sets", count, 1, static_cast<int>(sizes.sets.size())));
    if (count > 0) sizes.sets.resize(static_cast<std::size_t>(count));
    count = 0;
    RETURN_IF_ERROR(fewer.ReadInteger("ratios", count, 1, static_cast<int>(sizes.ratios.size())));
    if (count > 0) sizes.ratios.resize(static_cast<std::size_t>(count));
  }
  return sizes;
}

TriedPolicy Routed(const AllocationRatios& ratios, RouteAt route) {
  return [ratios, route](DropRule drop) {
    return MakeGoalDirected("goal-directed", {.route = route, .drop = drop}, ratios);
  };
}

// A policy of the registry that gives up early, or not.
TriedPolicy Registered(const std::string& spec) {
  return [spec](DropRule drop) {
    const char separator = spec.find(':') == std::string::npos ? ':' : ';';
    const char* const word = drop == DropRule::kEarly ? "early" : "none";
    auto made = MakePolicy(fmt::format("{}{}drop={}", spec, separator, word), {.seed = 1});
    CHECK(made.has_value());
    return std::move(*made);
  };
}

// All contestants in one scenario of one machine.
class GoalScenario {
 public:
  GoalScenario(const GoalPlatform& platform, const GoalSizes& sizes, const ExperimentPlan& plan,
               std::vector<std::uint64_t> seeds)
      : platform_(platform), sizes_(sizes), plan_(plan), seeds_(std::move(seeds)) {
    sizes_.searches = std::min<int>(sizes_.searches, static_cast<int>(seeds_.size()));
  }

  Status Run(const World& world, const Contestant& rival, std::vector<ExperimentRow>& rows) {
    World believing = world;
    const std::string belief = rival.Field("belief");
    if (belief == "constant") SetBelievedSlowdowns(believing, platform_.constant);
    if (belief == "learned") SetBelievedSlowdowns(believing, platform_.learned);
    const World as_believed = AsBelieved(believing);
    for (int repetition = 0; repetition < sizes_.searches; ++repetition) {
      const auto number = static_cast<std::uint64_t>(repetition);
      ASSIGN_OR_RETURN(const TriedPolicy policy, PolicyOf(rival, believing, repetition));
      ASSIGN_OR_RETURN(const double score, InTruth(believing, policy, repetition));
      ASSIGN_OR_RETURN(const double believed,
                       GoalTrial(as_believed).Score(sizes_.goal, policy, kUnseenSeed + number));
      ExperimentRow& row = rows.emplace_back(ExperimentRow{.policy = rival.name, .seed = number});
      row.Add("score", score);
      row.Add("believed", believed);
    }
    return {};
  }

 private:
  // Repetitions share the seeds out among them.
  Result<double> InTruth(const World& world, const TriedPolicy& policy, int repetition) const {
    const GoalTrial trial(world);
    std::vector<double> by_seed;
    for (std::size_t s = static_cast<std::size_t>(repetition); s < seeds_.size();
         s += static_cast<std::size_t>(sizes_.searches)) {
      ASSIGN_OR_RETURN(by_seed.emplace_back(), trial.Score(sizes_.goal, policy, seeds_[s]));
    }
    return EstimateMean(by_seed).mean;
  }

  // By its fields: a spec of the registry; the ratios that another one found; a search.
  Result<TriedPolicy> PolicyOf(const Contestant& rival, const World& world, int repetition) {
    if (const std::string spec = rival.Field("policy"); !spec.empty()) {
      RETURN_IF_ERROR(ChoosePolicy(spec));
      return Registered(spec);
    }
    const RouteAt route = rival.Field("route") == "idle" ? RouteAt::kIdle : RouteAt::kArrival;
    const auto place = static_cast<std::size_t>(repetition);
    if (const std::string other = rival.Field("ratios_of"); !other.empty()) {
      const auto found = ratios_.find(other);
      if (found == ratios_.end()) return Fail("{}: nothing before it is '{}'", rival.name, other);
      return Routed(found->second.at(place), route);
    }
    AssignmentSearchOptions options;
    ASSIGN_OR_RETURN(options.method, ParseSearchMethod(rival.Field("search", "sampling")));
    options.budget = static_cast<std::size_t>(sizes_.budget);
    options.seed = kSearchSeed + kSeedsPerSearch * static_cast<std::uint64_t>(repetition);
    options.route = route;
    const bool throughput = rival.Field("goal") == "throughput";
    options.goal.parts = {{.kind = throughput ? GoalKind::kThroughput : sizes_.goal}};
    // One simulation tells a throughput, several a rate at 99 %: as many assignments are drawn.
    if (throughput) options.budget /= GoalTrial::Simulations(sizes_.goal);
    options.stop = plan_.stop;
    ASSIGN_OR_RETURN(const FoundAssignment found, SearchAssignment(world, options));
    ratios_[rival.name].push_back(found.ratios);
    return Routed(found.ratios, route);
  }

  const GoalPlatform& platform_;
  GoalSizes sizes_;
  const ExperimentPlan& plan_;
  std::vector<std::uint64_t> seeds_;
  std::map<std::string, std::vector<AllocationRatios>> ratios_{};
};

using LazyPlatform = std::shared_ptr<MadeOnce<GoalPlatform>>;

// Worlds are machines: h200 as it was measured, xavier as it is simulated.
Result<LazyPlatform> PlatformCalled(const std::string& name, bool quick) {
  if (name == "h200")
    return std::make_shared<MadeOnce<GoalPlatform>>(
        [quick] { return MeasuredGoalPlatform(quick); });
  if (name == "xavier")
    return std::make_shared<MadeOnce<GoalPlatform>>(
        [quick] { return SyntheticGoalPlatform(quick); });
  return Fail("goal-directed: there is no machine '{}'; expected h200 or xavier", name);
}

}  // namespace

Tasks GoalDirectedTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  ASSIGN_OR_RETURN(const GoalSizes sizes, GoalSizesOf(grid, plan));
  std::string fields;
  for (const Contestant& rival : grid.policies)
    fields += fmt::format("{} {}\n", rival.name, fmt::join(rival.fields, " "));
  const auto seeds = grid.Seeds(plan);
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const LazyPlatform platform, PlatformCalled(of.name, plan.quick));
    for (std::size_t s = 0; s < sizes.sets.size(); ++s) {
      for (std::size_t r = 0; r < sizes.ratios.size(); ++r) {
        const auto run = [=, &plan, policies = grid.policies,
                          name = of.name]() -> Result<std::vector<ExperimentRow>> {
          const auto& machine = platform->Get();
          if (!machine.has_value()) return tl::unexpected(machine.error());
          const std::vector<std::string_view> set(sizes.sets[s].begin(), sizes.sets[s].end());
          ASSIGN_OR_RETURN(const World world,
                           GoalWorld(*machine, set, sizes.ratios[r], sizes.requests));
          GoalScenario scenario(*machine, sizes, plan, seeds);
          std::vector<ExperimentRow> rows;
          for (const Contestant& rival : policies)
            RETURN_IF_ERROR(scenario.Run(world, rival, rows));
          for (ExperimentRow& row : rows) {
            row.world = name;
            row.x = static_cast<double>(10 * (s + 1) + r + 1);  // set 3 by ratio 2: 32
          }
          return rows;
        };
        tasks.push_back(
            {fmt::format("{} {} {} {} {} {} {} {} {}\n{}", of.name, plan.quick,
                         FormatSearchGoal({{{sizes.goal, 1}}}), sizes.sets[s], sizes.ratios[r],
                         sizes.requests, sizes.budget, sizes.searches, seeds, fields),
             run});
      }
    }
  }
  return tasks;
}

// What beliefs are worth, and how much random placements of all sets are slowed.
Tasks GoalPlatformTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  ASSIGN_OR_RETURN(const GoalSizes sizes, GoalSizesOf(grid, {}));  // of all sets
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const LazyPlatform platform, PlatformCalled(of.name, plan.quick));
    tasks.push_back({fmt::format("{} {} {}", of.name, plan.quick, sizes.sets),
                     [platform, sizes, name = of.name]() -> Result<std::vector<ExperimentRow>> {
                       const auto& machine = platform->Get();
                       if (!machine.has_value()) return tl::unexpected(machine.error());
                       std::vector<double> all;
                       for (const auto& networks : sizes.sets) {
                         const std::vector<std::string_view> set(networks.begin(), networks.end());
                         ASSIGN_OR_RETURN(const World world,
                                          GoalWorld(*machine, set, sizes.ratios[0], 100));
                         const auto some = PlacementSlowdowns(world, machine->truth, 50, 1);
                         all.insert(all.end(), some.begin(), some.end());
                       }
                       std::ranges::sort(all);
                       ExperimentRow row{.world = name};
                       row.Add("p10", Quantile(all, 0.1));
                       row.Add("median", Quantile(all, 0.5));
                       row.Add("p90", Quantile(all, 0.9));
                       row.Add("accuracy", machine->accuracy);
                       row.Add("constant", machine->factor);
                       return std::vector{std::move(row)};
                     }});
  }
  return tasks;
}

}  // namespace fairlead
