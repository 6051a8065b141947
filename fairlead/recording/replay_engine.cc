#include "fairlead/recording/replay_engine.h"

#include <utility>
#include <variant>

namespace fairlead {

ReplayEngine::ReplayEngine(const Recording& recording, std::unique_ptr<SchedulingPolicy> policy,
                           SchedulingEngine::PolicyFactory policies, ExecutionBackend& backend)
    : policies_(std::move(policies)),
      engine_(recording.world().ForEngine(), recording.header().engine, std::move(policy), backend),
      check_(engine_.state()) {
  engine_.set_policy_factory([this](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
    return std::move(next_policy_);
  });
}

Status ReplayEngine::Apply(const RecordedStep& step) {
  if (step.kind == RecordedStep::Kind::kAdvance) {
    engine_.Advance(step.now);
    return {};
  }
  RETURN_IF_ERROR(check_.Check(step.input));
  if (const auto* change = std::get_if<PolicyChange>(&step.input)) {
    ASSIGN_OR_RETURN(next_policy_, policies_(change->policy));
  }
  if (const auto* arrival = std::get_if<Arrival>(&step.input)) {
    last_arrival_ = engine_.Apply(*arrival);
  } else {
    engine_.Apply(step.input);
  }
  return {};
}

}  // namespace fairlead
