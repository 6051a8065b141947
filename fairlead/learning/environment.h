// A simulated run as an environment for learners: it stops at each decision that needs an answer,
// shows what a learned policy would see, takes the answer, and says what came of it.
//
// There is no second loop: the ordinary simulator drives an ordinary policy, and is left and
// resumed between its turns (Simulator::RunToDecision). Decisions in which nothing can start pass
// by unseen. One environment is one run and one thread; many run side by side.
//
//   Environment environment(setup, options);
//   RETURN_IF_ERROR(environment.Begin());
//   while (!environment.over()) {
//     actor.Act(environment.features(), actions);
//     ASSIGN_OR_RETURN(const StepResult step, environment.Step(actions));
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/learning/reward.h"
#include "fairlead/simulation/simulator.h"

namespace fairlead {

struct EnvironmentOptions {
  FrameOptions frame;
  RewardOptions reward;
};

// What a decision led to, up to the next that needs an answer, or the end.
struct StepResult {
  double reward = 0;    // discounted to the decision
  double discount = 1;  // of what comes after: exp(-time / tau)
  Duration time{};      // that passed
};

class SteppedPolicy;

class Environment {
 public:
  // The setup as for a Simulator; what it points to outlives the environment.
  Environment(SimulationSetup setup, const EnvironmentOptions& options);
  ~Environment();

  // Runs to the first decision. Once, before everything else.
  Status Begin();
  // Nothing is left to decide: the requests are exhausted, and every job has ended.
  bool over() const { return over_; }
  // Of the decision that waits for an answer; not when over.
  const DecisionFeatures& features() const;
  // Answers it: kActionsPerRow numbers for each row.
  Result<StepResult> Step(std::span<const float> actions);

  Instant now() const { return simulator_->engine().state().now; }
  // Decisions answered, and all that were made.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t decisions() const { return simulator_->engine().counters().decisions; }
  const SchedulingEngine& engine() const { return simulator_->engine(); }
  const RunTotals& totals() const { return simulator_->totals(); }

 private:
  Status GoOn();

  std::unique_ptr<Simulator> simulator_;
  SteppedPolicy* policy_;  // the simulator's
  RewardMeter* meter_;     // the policy's
  std::uint64_t steps_ = 0;
  bool over_ = false;
};

}  // namespace fairlead
