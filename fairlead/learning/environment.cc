#include "fairlead/learning/environment.h"

#include <string_view>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// The policy of the run: it knows its answer before it is asked.
class SteppedPolicy final : public SchedulingPolicy {
 public:
  explicit SteppedPolicy(const EnvironmentOptions& options)
      : frame_(options.frame), meter_(options.reward) {}

  std::string_view Name() const override { return "environment"; }
  void Observe(const SystemView& view, const Event& event) override { meter_.Observe(view, event); }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    CHECK(!frame_.Look(view) || answered_);
    answered_ = false;
    frame_.Decide(view, answer_, plan);
  }

  // Whether the decision that comes next needs an answer.
  bool Look(const SystemView& view) { return frame_.Look(view); }
  void Answer(std::span<const float> actions) {
    answer_.assign(actions.begin(), actions.end());
    answered_ = true;
  }
  const DecisionFeatures& features() const { return frame_.features(); }
  RewardMeter& meter() { return meter_; }

 private:
  DecisionFrame frame_;
  RewardMeter meter_;
  std::vector<float> answer_;
  bool answered_ = false;
};

Environment::Environment(SimulationSetup setup, const EnvironmentOptions& options) {
  // Nobody takes its place.
  setup.guard.reset();
  setup.engine.wrong_plan = WrongPlan::kStop;
  std::erase_if(setup.timeline, [](const TimedInput& timed) {
    return std::holds_alternative<PolicyChange>(timed.input);
  });
  auto policy = std::make_unique<SteppedPolicy>(options);
  policy_ = policy.get();
  meter_ = &policy->meter();
  simulator_ = std::make_unique<Simulator>(std::move(setup), std::move(policy));
}

Environment::~Environment() = default;

const DecisionFeatures& Environment::features() const { return policy_->features(); }

Status Environment::GoOn() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, simulator_->RunToDecision());
    over_ = !more;
    if (over_ || policy_->Look(simulator_->engine().view())) return {};
  }
}

Status Environment::Begin() {
  RETURN_IF_ERROR(GoOn());
  meter_->Restart(now());
  return {};
}

Result<StepResult> Environment::Step(std::span<const float> actions) {
  CHECK(!over_ && actions.size() == features().size() * kActionsPerRow);
  const Instant before = now();
  policy_->Answer(actions);
  ++steps_;
  RETURN_IF_ERROR(GoOn());
  const StepResult result{.reward = meter_->reward(),
                          .discount = over_ ? 0 : meter_->Discount(now()),
                          .time = now() - before};
  meter_->Restart(now());
  return result;
}

}  // namespace fairlead
