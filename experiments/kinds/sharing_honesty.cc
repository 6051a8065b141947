// What single agents could have had by behaving otherwise, found by running the whole world again:
// regret against the best fixed threshold, gain by misreporting; and how many rounds were
// efficient.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/kinds/kinds.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/running/share.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/threshold_registry.h"

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

using Change = std::function<void(std::size_t agent, Reports& reports)>;

// The most that an agent gains by one of the changes to its reports in every round. Thresholds stay
// as they were, but for what is changed; others' budgets and turns follow from what it does.
Result<double> LargestGain(const HonestyCase& in, const RoundsOutcome& before,
                           const std::vector<Change>& changes) {
  double largest = -1;
  for (const int agent : Representatives(in.world)) {
    const auto a = static_cast<std::size_t>(agent);
    double best = 0;
    for (const Change& change : changes) {
      ASSIGN_OR_RETURN(const auto mechanism, in.mechanism.make(in.world.market));
      const auto misreport = [&](int round, Reports& reports) {
        reports.thresholds = before.reports[static_cast<std::size_t>(round)].thresholds;
        change(a, reports);
      };
      const RoundsOutcome outcome = RunRounds(
          in.world, in.arrivals, {.thresholds = nullptr, .misreport = misreport}, *mechanism);
      best = std::max(best, outcome.agents[a].utility);
    }
    const double had = before.agents[a].utility;
    largest = std::max(largest, had > 0 ? best / had - 1 : 0);
  }
  return largest;
}

// Each threshold in turn.
std::vector<Change> OtherThresholds() {
  std::vector<Change> changes;
  for (int t = 0; t < kThresholds; ++t)
    changes.emplace_back(
        [t](std::size_t a, Reports& reports) { reports.thresholds[a] = ThresholdValue(t); });
  return changes;
}

// Utilities are told as twice or half of what they are, as all that is of use at the most, or as
// nothing where they are below a half.
std::vector<Change> FalseReports(const Market& market) {
  std::vector<Change> changes;
  for (double (*tell)(double) :
       {+[](double u) { return std::min(2 * u, 0.999); },
        +[](double u) { return u > 0 ? 0.999 : 0; }, +[](double u) { return u / 2; },
        +[](double u) { return u < 0.5 ? 0 : u; }}) {
    changes.emplace_back([tell, n = static_cast<std::size_t>(market.accelerators())](
                             std::size_t a, Reports& reports) {
      for (std::size_t c = 0; c < n; ++c) {
        double& told = reports.utilities[a * n + c];
        told = tell(told);
      }
    });
  }
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
      world, arrivals, {.thresholds = thresholds.get(), .misreport = {}, .keep_reports = true},
      *mechanism);
  ExperimentRow row{.policy = policy.name, .seed = seed};
  AddPareto(world, before, row);
  const HonestyCase in{world, arrivals, seed, choice};
  if (policy.Field("policy").starts_with("most-token-first:")) {  // others ask for no thresholds
    ASSIGN_OR_RETURN(const double regret, LargestGain(in, before, OtherThresholds()));
    row.Add("regret", regret);
  }
  ASSIGN_OR_RETURN(const double gain, LargestGain(in, before, FalseReports(world.market)));
  row.Add("gain_by_misreporting", gain);
  return row;
}

}  // namespace

// At the largest queue utility of each world.
Tasks SharingHonestyTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const auto worlds, SharingWorlds(of, plan));
    for (const Contestant& policy : grid.policies) {
      for (const std::uint64_t seed : grid.Seeds(plan))
        tasks.push_back({fmt::format("{} {} {} {} {}", of.name, worlds.text, policy.Field("policy"),
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
