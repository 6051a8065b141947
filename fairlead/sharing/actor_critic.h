// actor-critic: thresholds by two small networks (thesis, 4.2.2; equations 4.3 to 4.7).
//
// Assumes: nothing of the mechanism but budgets; agents of one kind, so that one pair of networks
// serves them all.
// Steps: the actor maps an agent's state to chances of the ten thresholds, one is drawn. While it
// learns, each round gives every agent a transition: reward R is what it was allocated (4.3),
// delta = R + gamma V(s') - V(s) (4.5); the critic descends delta^2 (4.6), the actor
// -log pi(threshold | s) delta (4.7).
// State: the budget over the one it began with, and eight of its utilities from the largest to the
// smallest, evenly spaced. The thesis puts in all utilities by accelerator, so that a network fits
// one number of accelerators alone.
// Guarantees: none.
// Cost per round: agents x (groups x log + 500 multiplications); learning three times that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "fairlead/neural/dense_network.h"
#include "fairlead/sharing/thresholds.h"

namespace fairlead {

inline constexpr std::string_view kActorName = "sharing-actor";
inline constexpr std::string_view kCriticName = "sharing-critic";
inline constexpr int kActorVersion = 1;
inline constexpr int kActorInputs = 9;

struct ActorCriticOptions {
  double actor_rate = 0.002;  // of gradient steps
  double critic_rate = 0.02;
  double discount = 0.9;  // gamma
  int hidden = 16;        // units of the one hidden layer, where networks are made
};

struct ActorCriticNetworks {
  DenseNetwork actor;
  DenseNetwork critic;
};

// Random small weights.
ActorCriticNetworks NewActorCritic(const ActorCriticOptions& options, std::uint64_t seed);

// The market outlives it; the actor has kActorInputs inputs and kThresholds outputs.
std::unique_ptr<ThresholdChooser> MakeActor(const Market& market, DenseNetwork actor,
                                            std::uint64_t seed);

// Learns while it chooses; `networks`, one pair for all agents or one each, outlives it and holds
// what was learned.
std::unique_ptr<ThresholdChooser> MakeActorCriticLearner(const Market& market,
                                                         const ActorCriticOptions& options,
                                                         std::span<ActorCriticNetworks> networks,
                                                         std::uint64_t seed);
// The same with a pair of new networks for each agent.
std::unique_ptr<ThresholdChooser> MakeOwnActorCritics(const Market& market,
                                                      const ActorCriticOptions& options,
                                                      std::uint64_t seed);

}  // namespace fairlead
