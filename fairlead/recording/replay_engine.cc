#include "fairlead/recording/replay_engine.h"

#include <utility>

namespace fairlead {

ReplayEngine::ReplayEngine(const Recording& recording, std::unique_ptr<SchedulingPolicy> policy,
                           SchedulingEngine::PolicyFactory policies, ExecutionBackend& backend)
    : engine_(recording.world().ForEngine(), recording.header().engine, std::move(policy), backend),
      inputs_(engine_, std::move(policies)) {}

Status ReplayEngine::Apply(const RecordedStep& step) {
  if (step.kind == RecordedStep::Kind::kAdvance) {
    engine_.Advance(step.now);
    return {};
  }
  auto made = inputs_.Apply(step.input);
  if (!made.has_value()) return Fail("{}", made.error().message);
  if (made->job.id.valid()) last_arrival_ = made->job;
  return {};
}

}  // namespace fairlead
