// What single agents could have had by behaving otherwise, found by running the whole world again:
// regret against the best fixed threshold, gain by misreporting, by idling and by splitting; and
// how many rounds were efficient.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "experiments/kinds/kinds.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/running/share.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

struct HonestyCase {
  const RoundWorld& world;
  const RoundArrivals& arrivals;
  std::uint64_t seed = 0;
  MechanismChoice mechanism;
};

// The first agent of each weight and row of rates.
std::vector<int> Representatives(const RoundWorld& world) {
  std::set<std::pair<std::int64_t, std::vector<std::int64_t>>> seen;
  std::vector<int> agents;
  for (int a = 0; a < world.market.agents(); ++a) {
    const auto row = world.rates.begin() + a * world.market.kinds();
    if (seen.emplace(world.market.weight(a), std::vector(row, row + world.market.kinds())).second)
      agents.push_back(a);
  }
  return agents;
}

using Change = std::function<void(int round, std::size_t agent, Reports& reports)>;

// The agent's utility where it changes its reports in every round. Thresholds stay as they were,
// but for what is changed; others' budgets and turns follow from what it does.
Result<double> UtilityUnder(const HonestyCase& in, const RoundsOutcome& before, std::size_t agent,
                            const Change& change) {
  ASSIGN_OR_RETURN(const auto mechanism, in.mechanism.make(in.world.market));
  const auto misreport = [&](int round, Reports& reports) {
    reports.thresholds = before.reports[static_cast<std::size_t>(round)].thresholds;
    change(round, agent, reports);
  };
  return RunRounds(in.world, in.arrivals, {.misreport = misreport}, *mechanism)
      .agents[agent]
      .utility;
}

// The same where it comes as two agents of half its weight, which both report what waits for it.
Result<double> UtilitySplit(const HonestyCase& in, const RoundsOutcome& before, std::size_t agent) {
  const Market& market = in.world.market;
  std::vector<SharingAgent> agents;
  for (int a = 0; a < market.agents(); ++a) {
    const bool split = a == static_cast<int>(agent);
    agents.push_back({market.agent(a).name, market.weight(a) * (split ? 1 : 2)});
  }
  const auto other = agents.size();
  agents.push_back({"other half", agents[agent].weight});
  std::vector<AcceleratorGroup> groups;
  for (int g = 0; g < market.groups(); ++g) groups.push_back(market.group(g));
  ASSIGN_OR_RETURN(Market halved, Market::Make(std::move(agents), groups));
  RoundWorld world = in.world;
  world.market = std::move(halved);
  world.arrivals.push_back(0);
  const auto row = static_cast<std::ptrdiff_t>(market.of_kind(static_cast<int>(agent), 0));
  const std::vector<std::int64_t> rates(world.rates.begin() + row,
                                        world.rates.begin() + row + market.kinds());
  world.rates.insert(world.rates.end(), rates.begin(), rates.end());
  const auto misreport = [&](int round, Reports& reports) {
    reports.thresholds = before.reports[static_cast<std::size_t>(round)].thresholds;
    if (!reports.thresholds.empty()) reports.thresholds.push_back(reports.thresholds[agent]);
    const auto n = static_cast<std::ptrdiff_t>(market.groups());
    for (std::vector<double>* all : {&reports.utilities, &reports.stakes}) {
      if (all->empty()) continue;
      std::copy_n(all->begin() + static_cast<std::ptrdiff_t>(agent) * n, n,
                  all->begin() + static_cast<std::ptrdiff_t>(other) * n);
    }
  };
  const auto pass_on = [agent, other](Allocation& allocation) {
    std::ranges::replace(allocation.holder, static_cast<int>(other), static_cast<int>(agent));
  };
  const RoundArrivals arrivals(world, in.seed);  // streams go by name: the same for all
  ASSIGN_OR_RETURN(const auto mechanism, in.mechanism.make(world.market));
  return RunRounds(world, arrivals, {.misreport = misreport, .pass_on = pass_on}, *mechanism)
      .agents[agent]
      .utility;
}

// The most that an agent gains by one of the changes, or by doing nothing about it.
Result<double> LargestGain(const HonestyCase& in, const RoundsOutcome& before,
                           const std::vector<Change>& changes) {
  double largest = 0;
  for (const int agent : Representatives(in.world)) {
    const auto a = static_cast<std::size_t>(agent);
    const double had = before.agents[a].utility;
    for (const Change& change : changes) {
      ASSIGN_OR_RETURN(const double has, UtilityUnder(in, before, a, change));
      if (had > 0) largest = std::max(largest, has / had - 1);
    }
  }
  return largest;
}

Result<double> GainBySplitting(const HonestyCase& in, const RoundsOutcome& before) {
  double largest = -1;
  for (const int agent : Representatives(in.world)) {
    const auto a = static_cast<std::size_t>(agent);
    const double had = before.agents[a].utility;
    ASSIGN_OR_RETURN(const double has, UtilitySplit(in, before, a));
    if (had > 0) largest = std::max(largest, has / had - 1);
  }
  return largest;
}

// Each threshold in turn.
std::vector<Change> OtherThresholds() {
  std::vector<Change> changes;
  for (int t = 0; t < kThresholds; ++t)
    changes.emplace_back([t](int /*round*/, std::size_t a, Reports& reports) {
      reports.thresholds[a] = ThresholdValue(t);
    });
  return changes;
}

// What the agent tells of each utility and each stake.
Change Telling(std::size_t n, std::function<double(int round, double told)> tell) {
  return [n, tell = std::move(tell)](int round, std::size_t a, Reports& reports) {
    for (std::vector<double>* all : {&reports.utilities, &reports.stakes}) {
      if (all->empty()) continue;
      for (std::size_t c = 0; c < n; ++c) (*all)[a * n + c] = tell(round, (*all)[a * n + c]);
    }
  };
}

// Utilities and stakes are told as so many times what they are, or as all that is of use at the
// most.
std::vector<Change> FalseReports(std::size_t n) {
  std::vector<Change> changes;
  for (const double times : {0.25, 0.5, 0.8, 1.25, 2.0, 4.0, 16.0})
    changes.push_back(
        Telling(n, [times](int /*round*/, double u) { return std::min(times * u, 0.999); }));
  changes.push_back(Telling(n, [](int /*round*/, double u) { return u > 0 ? 0.999 : 0; }));
  return changes;
}

// To save what it would spend, it asks for nothing in some rounds, or for nothing that is little.
std::vector<Change> Idling(std::size_t n) {
  std::vector<Change> changes;
  for (const int every : {2, 3, 5, 10})
    changes.push_back(
        Telling(n, [every](int round, double u) { return round % every == 0 ? 0 : u; }));
  for (const double least : {0.02, 0.05, 0.1, 0.25, 0.5})
    changes.push_back(Telling(n, [least](int /*round*/, double u) { return u < least ? 0 : u; }));
  return changes;
}

// Shares of rounds that are proved efficient by what was reported, and such as are not.
void AddPareto(const RoundWorld& world, const RoundsOutcome& outcome, ExperimentRow& row) {
  double efficient = 0;
  double improvable = 0;
  const double one = 1.0 / world.rounds;
  for (std::size_t r = 0; r < outcome.allocations.size(); ++r) {
    if (outcome.allocations[r].divided) continue;
    const ParetoVerdict verdict = JudgePareto({.agents = world.market.agents(),
                                               .utilities = outcome.reports[r].utilities,
                                               .holders = outcome.allocations[r].holder});
    efficient += verdict == ParetoVerdict::kEfficient ? one : 0;
    improvable += verdict == ParetoVerdict::kImprovable ? one : 0;
  }
  row.Add("pareto_efficient", efficient);
  row.Add("pareto_improvable", improvable);
}

Result<ExperimentRow> Measure(const RoundWorld& world, const Contestant& policy,
                              std::uint64_t seed) {
  const RoundArrivals arrivals(world, seed);
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(policy.Field("policy")));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(world.market));
  ASSIGN_OR_RETURN(const ThresholdsChoice rule,
                   ChooseThresholds(policy.Field("thresholds", "fixed:0")));
  const auto thresholds = rule.make(world.market, *mechanism, seed);
  const RoundsOutcome before = RunRounds(
      world, arrivals, {.thresholds = thresholds.get(), .keep_reports = true}, *mechanism);
  ExperimentRow row{.policy = policy.name, .seed = seed};
  AddPareto(world, before, row);
  const HonestyCase in{world, arrivals, seed, choice};
  const std::string spec = policy.Field("policy");
  if (spec.substr(0, spec.find(':')) == "most-token-first") {  // others ask for no thresholds
    ASSIGN_OR_RETURN(const double regret, LargestGain(in, before, OtherThresholds()));
    row.Add("regret", regret);
  }
  const auto n = static_cast<std::size_t>(world.market.accelerators());
  ASSIGN_OR_RETURN(const double lies, LargestGain(in, before, FalseReports(n)));
  ASSIGN_OR_RETURN(const double idling, LargestGain(in, before, Idling(n)));
  ASSIGN_OR_RETURN(const double splitting, GainBySplitting(in, before));
  row.Add("gain_by_misreporting", lies);
  row.Add("gain_by_idling", idling);
  row.Add("gain_by_splitting", splitting);
  return row;
}

}  // namespace

// At the largest queue utility of each world.
Tasks SharingHonestyTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const auto worlds, SharingWorlds(of, plan));
    std::string key = of.name + worlds.text;
    for (const Setting& setting : of.settings)
      key += fmt::format("\n{}={}", setting.key, setting.value);
    for (const Contestant& policy : grid.policies) {
      for (const std::uint64_t seed : grid.Seeds(plan))
        tasks.push_back({fmt::format("{} {} {} {}", key, policy.Field("policy"),
                                     policy.Field("thresholds"), seed),
                         [world = worlds.points.back().second, policy, seed,
                          name = of.name]() -> Result<std::vector<ExperimentRow>> {
                           ASSIGN_OR_RETURN(ExperimentRow row, Measure(*world, policy, seed));
                           row.world = name;
                           return std::vector{std::move(row)};
                         }});
    }
  }
  return tasks;
}

}  // namespace fairlead
