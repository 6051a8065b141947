// Simulated runs to learn from and to judge by: the worlds of a training, many runs side by side.
//
// Chance: traffic to learn from has seeds from 1,000,000 on, evaluation those from 101 on. Reported
// results use seeds 1 to 10, which nothing here does.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/learning/reward.h"
#include "fairlead/learning/torch/experience.h"
#include "fairlead/learning/torch/training_options.h"
#include "fairlead/neural/gru.h"
#include "fairlead/running/training/collecting_policy.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct TrainingWorld {
  std::string name;                    // of the scenario, with what was set
  std::unique_ptr<const World> world;  // as long as the scenario says
  bool judged = true;                  // an evaluation runs it; else it is only learned from
};

struct RolloutOptions {
  FrameOptions frame;
  RewardOptions reward;
  ExplorationOptions exploration;
  std::string teacher;  // empty: none is asked
  int threads = 1;
  // Runs begin with histories that are drawn, so that indicators look as they do late in a run: the
  // share of runs for which that is so.
  double drawn_histories = 0.7;
};

struct CollectRequest {
  WhoActs acts = WhoActs::kStudent;
  std::uint64_t seed = 1;  // of the training
  int round = 0;           // with the seed it names the traffic
  int runs = 1;
  std::size_t decisions_per_run = 1;
  std::stop_token stop{};
};

// Runs by turns in all worlds; hands back the decisions of each, in the order of the runs whatever
// the threads. `network` may be null where the teacher acts.
Result<std::vector<std::shared_ptr<const Trajectory>>> Collect(
    const std::vector<TrainingWorld>& worlds, const RolloutOptions& options,
    const GruNetwork* network, const CollectRequest& request);

// How the agreements of one world fared, in the mean of several seeds.
struct Evaluation {
  std::string world;
  double hit_rate = 0;
  double worst = 0;      // agreement
  double deviation = 0;  // over agreements
  double met = 0;        // the share at its target; best effort has none and counts as met
  double shortfall = 0;  // summed over agreements
  // How far the worst tenth of agreements is above its target on average (best effort: above 1).
  double worst_margin = 0;
  int promises = 0;  // agreements that were promised something
  std::uint64_t decisions = 0;
};

struct EvaluateRequest {
  WhoActs acts = WhoActs::kStudent;
  std::uint64_t first_seed = 101;
  int seeds = 1;
  std::stop_token stop{};
};

// Whole runs in the worlds that are judged.
Result<std::vector<Evaluation>> Evaluate(const std::vector<TrainingWorld>& worlds,
                                         const RolloutOptions& options, const GruNetwork* network,
                                         const EvaluateRequest& request);

}  // namespace fairlead
