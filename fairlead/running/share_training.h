// Training of thresholds on a sharing scenario: most-token-first, all queue utilities in turns.
#pragma once

#include "fairlead/sharing/actor_critic.h"
#include "fairlead/world/sharing_scenario.h"

namespace fairlead {

struct ShareTraining {
  std::string mechanism = "most-token-first:useless=idle";
  int episodes = 200;      // runs of the scenario's rounds, one world after the other
  std::uint64_t seed = 1;  // episode e meets the arrivals of seed 1'000'000 + seed + e
  ActorCriticOptions options;
};

struct ShareTrained {
  ActorCriticNetworks networks;
  std::vector<double> rewards;  // of each episode: allocated utility by agent and round
};

// Arrivals are of seeds that no experiment uses.
Result<ShareTrained> TrainThresholds(const SharingScenario& scenario, const ShareTraining& plan);

}  // namespace fairlead
