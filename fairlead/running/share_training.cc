#include "fairlead/running/share_training.h"

#include "fairlead/world/mechanism_registry.h"

namespace fairlead {

Result<ShareTrained> TrainThresholds(const SharingScenario& scenario, const ShareTraining& plan) {
  constexpr std::uint64_t kApart = 1'000'000;
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(plan.mechanism));
  ShareTrained trained{.networks = NewActorCritic(plan.options, plan.seed), .rewards = {}};
  for (int e = 0; e < plan.episodes; ++e) {
    const std::uint64_t seed = kApart + plan.seed + static_cast<std::uint64_t>(e);
    const RoundWorld& world = scenario.worlds[static_cast<std::size_t>(e) % scenario.worlds.size()];
    const RoundArrivals arrivals(world, seed);
    ASSIGN_OR_RETURN(const auto mechanism, choice.make(world.market));
    const auto learner = MakeActorCriticLearner(world.market, plan.options, trained.networks, seed);
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
