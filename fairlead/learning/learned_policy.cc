#include "fairlead/learning/learned_policy.h"

#include <string_view>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

class LearnedPolicy final : public SchedulingPolicy {
 public:
  LearnedPolicy(std::string name, const FrameOptions& options, std::unique_ptr<DecisionActor> actor)
      : name_(std::move(name)), frame_(options), actor_(std::move(actor)) {
    actions_.reserve(options.encoder.limit * kActionsPerRow);
  }

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (frame_.Look(view)) {
      actions_.resize(frame_.features().size() * kActionsPerRow);
      actor_->Act(frame_.features(), actions_);
    }
    frame_.Decide(view, actions_, plan);
  }

 private:
  std::string name_;
  DecisionFrame frame_;
  std::unique_ptr<DecisionActor> actor_;
  std::vector<float> actions_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeLearnedPolicy(std::string name, const FrameOptions& options,
                                                    std::unique_ptr<DecisionActor> actor) {
  return std::make_unique<LearnedPolicy>(std::move(name), options, std::move(actor));
}

}  // namespace fairlead
