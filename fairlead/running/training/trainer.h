// Learning a policy from simulated runs: rounds of collecting and of steps of the optimiser, first
// by imitation of a teacher if there is one, then by DDPG; judged on other traffic as it goes.
//
// While the learner works on what the last round brought, simulators on other threads collect the
// next with the weights that the round began with. So a training is a function of its plan, however
// many threads run, as long as no limit of time ends it.
//
// What is on disk while it goes on: OUT (the weights that were best so far), OUT.checkpoint (all
// that is needed to go on after a kill: networks, optimisers, curves; decisions are not in it, and
// are collected anew with the weights of the checkpoint, so a training that was resumed is as good,
// not the same), OUT.csv and OUT.html (the curves). Each is written beside its name and renamed.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/torch/learner.h"
#include "fairlead/running/training/learning_curve.h"
#include "fairlead/running/training/rollouts.h"

namespace fairlead {

// Which policy is learned: what it sees and what it is rewarded for.
struct LearnedPolicyKind {
  std::string_view name;  // of the policy: rl-baseline, rl-sla
  Awareness awareness;
  RewardKind reward;
  std::string_view teacher;  // unless another one is asked for
};
Result<LearnedPolicyKind> FindLearnedPolicy(std::string_view name);

struct TrainingPlan {
  std::string out;
  std::uint64_t seed = 1;
  int hidden = 192;
  LearnerOptions learner;
  RolloutOptions rollouts;    // its threads are those of the simulators
  int learner_threads = 1;    // of libtorch's arithmetic
  RewardKind judged_by{};     // hits: the overall rate; else the worst margins
  int imitation_rounds = 60;  // 0: from random weights
  int ddpg_rounds = 0;        // after that
  int runs_per_round = 4;     // of the simulator
  int decisions_per_run = 6000;
  int steps_per_round = 100;  // of the optimiser
  // Rounds whose decisions are kept for further steps.
  int rounds_kept = 12;
  int rounds_per_evaluation = 10;
  int seeds_per_evaluation = 2;
  bool judge_start = true;  // before the first round
  int patience = 0;    // evaluations of DDPG without a better one after which it ends; 0: never
  double minutes = 0;  // of real time, after which it ends; 0: never
  double ddpg_share = 0.4;  // of those minutes, if there are both phases
  bool resume = true;       // from OUT.checkpoint where there is one
  std::stop_token stop{};
  std::function<void(std::string_view)> tell;  // a line now and then; may be empty
};

struct TrainingResult {
  LearningCurve curve;
  double best = 0;
  std::string device;
  double decisions_per_s = 0;  // collected, with the learner at work beside
};

Result<TrainingResult> Train(const std::vector<TrainingWorld>& worlds, const TrainingPlan& plan);

}  // namespace fairlead
