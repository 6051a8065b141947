#include "fairlead/running/share.h"

#include <algorithm>
#include <limits>
#include <map>

#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/sharing/agent_queues.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/oracle.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kApart = 1'000'000;  // seeds of trainings from those of runs

double InARound(const AgentOutcome& agent, const RoundWorld& world) {
  return static_cast<double>(agent.served) / static_cast<double>(kInference) / world.rounds;
}

void AddClasses(const RoundWorld& world, const RoundsOutcome& outcome, ShareRun& run) {
  std::map<std::int64_t, ShareClass> classes;
  for (int a = 0; a < world.market.agents(); ++a) {
    const AgentOutcome& agent = outcome.agents[static_cast<std::size_t>(a)];
    ShareClass& in = classes[world.market.weight(a)];
    in.weight = world.market.weight(a);
    ++in.agents;
    in.throughput += InARound(agent, world);
    in.utility += agent.utility;
  }
  for (auto& [weight, in] : classes) {
    in.throughput /= in.agents;
    in.utility /= in.agents;
    run.classes.push_back(in);
  }
}

void AddAgents(const ShareCase& in, const RoundsOutcome& outcome, ShareRun& run) {
  const auto n = static_cast<double>(outcome.agents.size());
  std::vector<double> backlogs;
  double arrived = 0;
  double dropped = 0;
  for (std::size_t a = 0; a < outcome.agents.size(); ++a) {
    const AgentOutcome& agent = outcome.agents[a];
    const AgentOutcome& alone = in.yardsticks.exclusive[a];
    run.phi.push_back(SharingIncentive(agent.utility, alone.utility));
    if (run.phi.back() >= 1 - kPhiRounding) run.gaining += 1 / n;
    run.cost_phi.push_back(SharingIncentive(agent.backlog, alone.backlog));
    if (run.cost_phi.back() <= 1 + kPhiRounding) run.saving += 1 / n;
    run.largest_cost_phi = std::max(run.largest_cost_phi, run.cost_phi.back());
    run.longest_wait = std::max(run.longest_wait, agent.longest_wait);
    run.throughput += InARound(agent, in.world);
    backlogs.push_back(agent.backlog);
    arrived += static_cast<double>(agent.arrived);
    dropped += static_cast<double>(agent.dropped);
  }
  run.backlog = WeightedWelfare(in.yardsticks.weights, backlogs);
  run.dropped = arrived > 0 ? dropped / arrived : 0;
}

void AddAtHand(const ShareCase& in, const RoundsOutcome& outcome, ShareRun& run) {
  const std::size_t n = outcome.agents.size();
  run.swapped_at_hand = outcome.at_hand;
  run.envy_pairs_at_hand = WeightedEnvy(in.yardsticks.weights, outcome.at_hand, kPhiRounding).pairs;
  std::vector<double> inferences;
  for (std::size_t a = 0; a < n; ++a) {
    const Market& market = in.world.market;
    const auto agent = static_cast<int>(a);
    const double share =
        static_cast<double>(market.weight(agent)) / static_cast<double>(market.total_weight());
    run.phi_at_hand.push_back(
        SharingIncentive(outcome.at_hand[a * n + a], share * outcome.agents[a].offered));
    if (run.phi_at_hand.back() >= 1 - kPhiRounding)
      run.gaining_at_hand += 1 / static_cast<double>(n);
    inferences.push_back(InARound(outcome.agents[a], in.world));
    for (std::size_t j = 0; j < n; ++j)
      run.swapped_at_hand[a * n + j] *=
          static_cast<double>(in.world.fastest(agent)) / static_cast<double>(kInference);
  }
  run.inferences = WeightedWelfare(in.yardsticks.weights, inferences);
}

// No agent's phi is below 0, so a mean of so much has no more agents at 1.
void AddDeadlineBound(const ShareCase& in, const RoundsOutcome& outcome, ShareRun& run) {
  if (in.world.deadline == 0 || in.world.queues == QueueLayout::kPooled) return;
  const Market& market = in.world.market;
  std::vector<double> welfare;
  std::vector<double> phi;
  for (int a = 0; a < market.agents(); ++a) {
    const double one = static_cast<double>(kInference) / static_cast<double>(in.world.fastest(a)) /
                       in.world.rounds;
    const double alone = in.yardsticks.exclusive[static_cast<std::size_t>(a)].utility;
    welfare.push_back(one * static_cast<double>(market.weight(a)) /
                      static_cast<double>(market.total_weight()));
    phi.push_back(alone > 0 ? one / alone / market.agents() : 0);
  }
  run.of_deadline_bound =
      SharingIncentive(run.welfare, DeadlineBound(in.world, outcome.placed, welfare));
  run.phi_bound = std::min(1.0, DeadlineBound(in.world, outcome.placed, phi));
}

void AddEnvy(const ShareCase& in, const RoundsOutcome& outcome, ShareRun& run) {
  run.swapped = SwappedUtilities(in.world, in.arrivals, outcome.allocations);
  const Envy envy = WeightedEnvy(in.yardsticks.weights, run.swapped, kPhiRounding);
  run.envy_pairs = envy.pairs;
  run.envious = envy.envious / static_cast<double>(outcome.agents.size());
  run.largest_envy = envy.largest;
}

}  // namespace

Result<ShareYardsticks> MeasureYardsticks(const RoundWorld& world, const RoundArrivals& arrivals) {
  ShareYardsticks yardsticks;
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

Result<ShareRun> MeasureShare(const ShareCase& in, const ShareEntry& entry) {
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(entry.mechanism));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(in.world.market));
  ASSIGN_OR_RETURN(const ThresholdsChoice rule, ChooseThresholds(entry.thresholds));
  const auto thresholds = rule.make(in.world.market, *mechanism, in.seed);
  for (int e = 0; e < rule.episodes; ++e) {
    ASSIGN_OR_RETURN(const auto fresh, choice.make(in.world.market));
    const RoundArrivals other(in.world, kApart + in.seed + static_cast<std::uint64_t>(e));
    RunRounds(in.world, other, {.thresholds = thresholds.get()}, *fresh);
  }
  const RoundsConduct conduct{.thresholds = thresholds.get(), .keep_placed = in.bound};
  const RoundsOutcome outcome = RunRounds(in.world, in.arrivals, conduct, *mechanism);
  std::vector<double> utilities;
  for (const AgentOutcome& agent : outcome.agents) utilities.push_back(agent.utility);
  ShareRun run{.entry = entry, .seed = in.seed};
  run.welfare = WeightedWelfare(in.yardsticks.weights, utilities);
  run.of_oracle = SharingIncentive(run.welfare, in.yardsticks.oracle);
  run.of_fair_oracle = SharingIncentive(run.welfare, in.yardsticks.fair_oracle);
  run.gap = outcome.largest_gap;
  run.round_us = static_cast<double>(outcome.nanoseconds) * 1e-3 / in.world.rounds;
  AddClasses(in.world, outcome, run);
  AddAgents(in, outcome, run);
  AddAtHand(in, outcome, run);
  if (in.bound) AddDeadlineBound(in, outcome, run);
  if (in.envy) AddEnvy(in, outcome, run);
  return run;
}

Result<std::vector<ShareRun>> RunShare(const SharingScenario& scenario, const SharePlan& plan) {
  std::vector<ShareRun> all;
  for (std::size_t w = 0; w < scenario.worlds.size(); ++w) {
    const RoundWorld& world = scenario.worlds[w];
    for (int s = 0; s < plan.seeds; ++s) {
      const std::uint64_t seed = plan.seed + static_cast<std::uint64_t>(s);
      const RoundArrivals arrivals(world, seed);
      ASSIGN_OR_RETURN(const ShareYardsticks yardsticks, MeasureYardsticks(world, arrivals));
      const ShareCase in{world, arrivals, yardsticks, seed, plan.envy};
      for (const ShareEntry& entry : plan.entries) {
        ASSIGN_OR_RETURN(ShareRun run, MeasureShare(in, entry));
        run.queue_utility = scenario.queue_utilities[w];
        all.push_back(std::move(run));
      }
    }
  }
  return all;
}

std::vector<ShareFigures> SumUp(const std::vector<ShareRun>& runs, const SharePlan& plan) {
  const std::size_t entries = plan.entries.size();
  const std::size_t world = entries * static_cast<std::size_t>(plan.seeds);
  std::vector<ShareFigures> all;
  for (std::size_t first = 0; first < runs.size(); ++first) {
    if (first % world >= entries) continue;
    ShareFigures figures{.entry = runs[first].entry, .queue_utility = runs[first].queue_utility};
    figures.least_phi = std::numeric_limits<double>::infinity();
    for (std::size_t i = first; i < first / world * world + world; i += entries) {
      const ShareRun& run = runs[i];
      figures.welfare += run.welfare / plan.seeds;
      figures.of_oracle += run.of_oracle / plan.seeds;
      figures.of_fair_oracle += run.of_fair_oracle / plan.seeds;
      figures.throughput += run.throughput / plan.seeds;
      figures.gaining += run.gaining / plan.seeds;
      figures.envious += run.envious / plan.seeds;
      figures.least_phi = std::min(figures.least_phi, *std::ranges::min_element(run.phi));
      figures.largest_cost_phi = std::max(figures.largest_cost_phi, run.largest_cost_phi);
      figures.largest_envy = std::max(figures.largest_envy, run.largest_envy);
      figures.longest_wait = std::max(figures.longest_wait, run.longest_wait);
      figures.gap = std::max(figures.gap, run.gap);
    }
    all.push_back(std::move(figures));
  }
  return all;
}

Result<ShareTrained> TrainThresholds(const SharingScenario& scenario, const ShareTraining& plan) {
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(plan.mechanism));
  ShareTrained trained{.networks = NewActorCritic(plan.options, plan.seed), .rewards = {}};
  for (int e = 0; e < plan.episodes; ++e) {
    const std::uint64_t seed = kApart + plan.seed + static_cast<std::uint64_t>(e);
    const RoundWorld& world = scenario.worlds[static_cast<std::size_t>(e) % scenario.worlds.size()];
    const RoundArrivals arrivals(world, seed);
    ASSIGN_OR_RETURN(const auto mechanism, choice.make(world.market));
    const auto learner =
        MakeActorCriticLearner(world.market, plan.options, std::span(&trained.networks, 1), seed);
    const RoundsOutcome outcome =
        RunRounds(world, arrivals, {.thresholds = learner.get()}, *mechanism);
    double sum = 0;
    for (const AgentOutcome& agent : outcome.agents) sum += agent.utility;
    trained.rewards.push_back(sum / world.market.agents());
    if (!CheckNetwork(trained.networks.actor) || !CheckNetwork(trained.networks.critic))
      return Fail(
          "the training has diverged in episode {} of {}; it takes smaller steps of the actor "
          "({}) or of the critic ({})",
          e + 1, plan.episodes, plan.options.actor_rate, plan.options.critic_rate);
  }
  RETURN_IF_ERROR(CheckNetwork(trained.networks.actor));
  return trained;
}

}  // namespace fairlead
