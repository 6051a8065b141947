// A sharing scenario under several mechanisms and seeds: all meet the same arrivals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/config/sharing_scenario.h"

namespace fairlead {

struct SharePlan {
  std::vector<std::string> mechanisms;
  double threshold = 0;
  std::uint64_t seed = 1;
  int seeds = 1;
  bool envy = false;  // costs a replay of each agent with each other's accelerators
};

// Of one mechanism at one queue utility; means over seeds unless said otherwise.
struct ShareFigures {
  std::string mechanism;
  double queue_utility = 0;
  double welfare = 0;           // weighted mean of utilities
  double of_oracle = 0;         // welfare over the upper bound
  double of_fair_oracle = 0;    // over the bound for divisions in which nobody loses by sharing
  double inferences = 0;        // in a round, of all agents
  double gaining = 0;           // the share of agents with phi of 1 or more
  double least_phi = 0;         // the smallest of all seeds
  double largest_cost_phi = 0;  // of backlogs: 1 or less where sharing costs nobody; of all seeds
  double envious = 0;           // the share of agents that envy another; with envy alone
  double largest_envy = 0;      // of all seeds
  int longest_wait = 0;         // rounds with work and nothing done, of all agents and seeds
  double largest_gap = 0;       // of integer programs that were cut short
};

Result<std::vector<ShareFigures>> RunShare(const SharingScenario& scenario, const SharePlan& plan);

}  // namespace fairlead
