// The two platforms of the experiments on goals: what slows their segments in truth, and what may
// be believed of that.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/interference/machine_data.h"
#include "fairlead/interference/slowdown_model.h"
#include "fairlead/world/world.h"

namespace fairlead {

// A file of data/h200, which the program carries.
TableText TableOfH200(std::string_view name);

struct GoalPlatform {
  std::string name;   // of the experiment's rows
  std::string ready;  // of the platform
  std::shared_ptr<const SlowdownModel> truth{};
  std::shared_ptr<const SlowdownModel> learned{};
  std::shared_ptr<const SlowdownModel> constant{};
  double factor = 1;    // of the constant
  double accuracy = 0;  // of the learned one on placements of networks that it was not fitted to
  bool synthetic = false;
};

// The H200 cut into four. Truth: data/h200/truth.slowdown, a decision tree and a perceptron fitted
// to even lines of the co-runs and mixes. Beliefs: boosting, and the mean, of odd lines.
Result<GoalPlatform> MeasuredGoalPlatform(bool quick);
// The Xavier, with as little bandwidth as makes half of all placements 1.22 times as slow, as Kim
// et al. measured. Truth: that bandwidth, shared. Beliefs: boosting, and the mean, of simulated
// co-runs of single layers.
Result<GoalPlatform> SyntheticGoalPlatform(bool quick);

// A world of networks whose requests come in a ratio, at load 1, with so many requests.
Result<World> GoalWorld(const GoalPlatform& platform, std::span<const std::string_view> networks,
                        std::span<const int> ratio, double requests);

// Slowdowns of each of all accelerators' segments in random placements that leave none idle.
std::vector<double> PlacementSlowdowns(const World& world,
                                       const std::shared_ptr<const SlowdownModel>& model,
                                       std::size_t placements, std::uint64_t seed);

}  // namespace fairlead
