// A sharing scenario under several mechanisms and seeds: all meet the same arrivals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/sharing/actor_critic.h"
#include "fairlead/world/sharing_scenario.h"

namespace fairlead {

struct ShareEntry {
  std::string mechanism;   // as the registry takes it
  std::string thresholds;  // likewise: "fixed:0.3", "hedge"
};

struct SharePlan {
  std::vector<ShareEntry> entries;
  std::uint64_t seed = 1;
  int seeds = 1;
  bool envy = false;  // costs a replay of each agent with each other's accelerators
};

// What agents of one weight had, on average.
struct ShareClass {
  std::int64_t weight = 1;
  int agents = 0;
  double throughput = 0;  // inferences in a round
  double utility = 0;     // in rounds of one's fastest accelerator
};

// Of one mechanism at one queue utility and seed.
struct ShareRun {
  ShareEntry entry;
  double queue_utility = 0;
  std::uint64_t seed = 0;
  double welfare = 0;         // weighted mean of utilities
  double of_oracle = 0;       // welfare over the upper bound
  double of_fair_oracle = 0;  // over the bound for divisions in which nobody loses by sharing
  // With the bound asked for and a deadline alone: welfare over what whole rounds can bring at
  // most, and the share of agents for whom they can bring a phi of 1 at most.
  double of_deadline_bound = 0;
  double phi_bound = 0;
  double throughput = 0;            // inferences in a round, of all agents
  double inferences = 0;            // weighted mean over agents, in a round
  double backlog = 0;               // weighted mean, in rounds of one's fastest accelerator (3.2)
  double dropped = 0;               // the share of inferences
  std::vector<ShareClass> classes;  // by rising weight
  std::vector<double> phi;          // of each agent
  double gaining = 0;               // the share of agents with phi of 1 or more
  std::vector<double> cost_phi;     // of backlogs (3.2): 1 or less where sharing costs nobody
  double saving = 0;                // the share of agents with that of 1 or less
  double largest_cost_phi = 0;
  int envy_pairs = 0;  // with envy alone, as the next two
  double envious = 0;  // the share of agents that envy another
  double largest_envy = 0;
  std::vector<double> swapped;  // likewise: u_i(X_j) of all pairs, row by row
  // As chapter 3's tables compute: of what waited in this very run, with no replay. phi against the
  // share of what all accelerators would have done round by round; u_i(X_j) in inferences.
  std::vector<double> phi_at_hand;
  double gaining_at_hand = 0;
  std::vector<double> swapped_at_hand;
  int envy_pairs_at_hand = 0;
  int longest_wait = 0;  // rounds with work and nothing done, of all agents
  double gap = 0;        // the largest, of integer programs that were cut short
  double round_us = 0;   // that the mechanism thought, on average, in real time
};

// Of one mechanism at one queue utility; means over seeds unless said otherwise.
struct ShareFigures {
  ShareEntry entry;
  double queue_utility = 0;
  double welfare = 0;
  double of_oracle = 0;
  double of_fair_oracle = 0;
  double throughput = 0;
  double gaining = 0;
  double least_phi = 0;         // of all seeds
  double largest_cost_phi = 0;  // of all seeds
  double envious = 0;
  double largest_envy = 0;  // of all seeds
  int longest_wait = 0;     // of all seeds
  double gap = 0;           // of all seeds
};

// What a seed's runs are measured against.
struct ShareYardsticks {
  std::vector<std::int64_t> weights;
  std::vector<AgentOutcome> exclusive;  // each agent's share of every accelerator alone
  double oracle = 0;
  double fair_oracle = 0;
};

Result<ShareYardsticks> MeasureYardsticks(const RoundWorld& world, const RoundArrivals& arrivals);

// phi within this of 1 counts as 1: time-equal rounds parts of an inference down.
inline constexpr double kPhiRounding = 1e-4;

struct ShareCase {
  const RoundWorld& world;
  const RoundArrivals& arrivals;
  const ShareYardsticks& yardsticks;
  std::uint64_t seed = 0;
  bool envy = false;
  bool bound = false;
};

Result<ShareRun> MeasureShare(const ShareCase& in, const ShareEntry& entry);

// World by world, seed by seed, entry by entry.
Result<std::vector<ShareRun>> RunShare(const SharingScenario& scenario, const SharePlan& plan);

// World by world, entry by entry.
std::vector<ShareFigures> SumUp(const std::vector<ShareRun>& runs, const SharePlan& plan);

// Training of thresholds: most-token-first, all queue utilities in turns.
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
