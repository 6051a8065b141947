#include "fairlead/running/share.h"

#include <algorithm>
#include <limits>

#include "fairlead/config/mechanism_registry.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/sharing/agent_queues.h"
#include "fairlead/sharing/oracle.h"
#include "fairlead/sharing/time_equal.h"

namespace fairlead {
namespace {

// phi within this of 1 counts as 1: time-equal rounds parts of an inference down.
constexpr double kRounding = 1e-4;

// What a seed's runs are measured against.
struct Yardsticks {
  std::vector<std::int64_t> weights;
  std::vector<AgentOutcome> exclusive;
  double oracle = 0;
  double fair_oracle = 0;
};

Result<Yardsticks> MeasureYardsticks(const RoundWorld& world, const RoundArrivals& arrivals) {
  Yardsticks yardsticks;
  for (int a = 0; a < world.market.agents(); ++a)
    yardsticks.weights.push_back(world.market.weight(a));
  const auto alone = MakeTimeEqual();
  yardsticks.exclusive = RunRounds(world, arrivals, {}, *alone).agents;
  std::vector<double> floors;
  for (const AgentOutcome& agent : yardsticks.exclusive) floors.push_back(agent.utility);
  ASSIGN_OR_RETURN(yardsticks.oracle, OracleWelfare(world, arrivals, {}));
  ASSIGN_OR_RETURN(yardsticks.fair_oracle, OracleWelfare(world, arrivals, floors));
  return yardsticks;
}

void AddAgents(const RoundsOutcome& outcome, const Yardsticks& yardsticks, int seeds,
               ShareFigures& figures) {
  const double n = static_cast<double>(outcome.agents.size());
  for (std::size_t a = 0; a < outcome.agents.size(); ++a) {
    const AgentOutcome& agent = outcome.agents[a];
    const double phi = SharingIncentive(agent.utility, yardsticks.exclusive[a].utility);
    if (phi >= 1 - kRounding) figures.gaining += 1 / n / seeds;
    figures.least_phi = std::min(figures.least_phi, phi);
    figures.largest_cost_phi = std::max(
        figures.largest_cost_phi, SharingIncentive(agent.backlog, yardsticks.exclusive[a].backlog));
    figures.longest_wait = std::max(figures.longest_wait, agent.longest_wait);
    figures.inferences += static_cast<double>(agent.served) / static_cast<double>(kInference) /
                          static_cast<double>(outcome.allocations.size()) / seeds;
  }
}

Status AddSeed(const RoundWorld& world, const RoundArrivals& arrivals, const SharePlan& plan,
               const Yardsticks& yardsticks, ShareFigures& figures) {
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(figures.mechanism));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(world.market));
  const std::vector<double> thresholds(yardsticks.weights.size(), plan.threshold);
  const RoundsOutcome outcome = RunRounds(world, arrivals, thresholds, *mechanism);
  std::vector<double> utilities;
  for (const AgentOutcome& agent : outcome.agents) utilities.push_back(agent.utility);
  const double welfare = WeightedWelfare(yardsticks.weights, utilities);
  figures.welfare += welfare / plan.seeds;
  figures.of_oracle += SharingIncentive(welfare, yardsticks.oracle) / plan.seeds;
  figures.of_fair_oracle += SharingIncentive(welfare, yardsticks.fair_oracle) / plan.seeds;
  figures.largest_gap = std::max(figures.largest_gap, outcome.largest_gap);
  AddAgents(outcome, yardsticks, plan.seeds, figures);
  if (!plan.envy) return {};
  const Envy envy = WeightedEnvy(yardsticks.weights,
                                 SwappedUtilities(world, arrivals, outcome.allocations), kRounding);
  figures.envious += envy.envious / static_cast<double>(utilities.size()) / plan.seeds;
  figures.largest_envy = std::max(figures.largest_envy, envy.largest);
  return {};
}

}  // namespace

Result<std::vector<ShareFigures>> RunShare(const SharingScenario& scenario, const SharePlan& plan) {
  std::vector<ShareFigures> all;
  for (std::size_t w = 0; w < scenario.worlds.size(); ++w) {
    const RoundWorld& world = scenario.worlds[w];
    std::vector<ShareFigures> here;
    for (const std::string& mechanism : plan.mechanisms) {
      here.push_back({.mechanism = mechanism, .queue_utility = scenario.queue_utilities[w]});
      here.back().least_phi = std::numeric_limits<double>::infinity();
    }
    for (int s = 0; s < plan.seeds; ++s) {
      const RoundArrivals arrivals(world, plan.seed + static_cast<std::uint64_t>(s));
      ASSIGN_OR_RETURN(const Yardsticks yardsticks, MeasureYardsticks(world, arrivals));
      for (ShareFigures& figures : here)
        RETURN_IF_ERROR(AddSeed(world, arrivals, plan, yardsticks, figures));
    }
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

}  // namespace fairlead
