#include "fairlead/learning/decision_frame.h"

#include "fairlead/base/check.h"

namespace fairlead {

DecisionFrame::DecisionFrame(const FrameOptions& options)
    : encoder_(options.encoder), decoder_(options.decoder), early_drop_(DropRule::kEarly) {
  const auto& [awareness, limit] = options.encoder;
  features_.Reserve(limit, DecisionEncoder::Width(awareness));
  decoder_.Reserve(limit);
}

bool DecisionFrame::Look(const SystemView& view) {
  if (looked_) return asking_;
  looked_ = true;
  asking_ = false;
  given_up_.Clear();
  encoder_.Take(view);
  early_drop_.Begin(view, given_up_);
  decoder_.Begin(view);
  if (decoder_.Exhausted()) return false;
  encoder_.Encode(view, early_drop_, features_);
  return asking_ = features_.size() > 0;
}

void DecisionFrame::Decide(const SystemView& view, std::span<const float> actions,
                           SchedulingPlan& plan) {
  CHECK(looked_);
  looked_ = false;
  for (const PlanEntry& entry : given_up_.entries()) plan.Append(entry, given_up_.JobsOf(entry));
  if (!asking_) return;
  decoder_.Decode(view, features_, actions, plan);
  encoder_.Forget(decoder_.started());
}

}  // namespace fairlead
