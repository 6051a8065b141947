#include "fairlead/recording/recorded_run.h"

#include <string_view>
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

namespace {

// Decides what was decided.
class RecordedDecisions final : public SchedulingPolicy {
 public:
  // The plan is not owned; it holds the recorded one whenever the engine decides.
  explicit RecordedDecisions(const SchedulingPlan* const* plan) : plan_(plan) {}

  std::string_view Name() const override { return "recorded"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& plan) override { plan = **plan_; }

 private:
  const SchedulingPlan* const* plan_;
};

}  // namespace

RecordedRun::RecordedRun(const Recording& recording, const Watchers& watchers)
    : reader_(recording),
      replay_(
          recording, std::make_unique<RecordedDecisions>(&plan_),
          [this](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
            return std::make_unique<RecordedDecisions>(&plan_);
          },
          watchers.backend) {
  replay_.engine().set_listener(&watchers.listener);
  replay_.engine().set_recorder(&watchers.recorder);
}

Result<const RecordedStep*> RecordedRun::Next() {
  ASSIGN_OR_RETURN(const RecordedStep* const step, reader_.Next());
  if (step->kind == RecordedStep::Kind::kEnd) return nullptr;
  if (Status status = Take(*step); !status.has_value())
    return FailAt(reader_.PlaceOf(*step), "{}", status.error().message);
  return step;
}

Status RecordedRun::Take(const RecordedStep& step) {
  switch (step.kind) {
    case RecordedStep::Kind::kAdvance:
    case RecordedStep::Kind::kInput: return replay_.Apply(step);
    case RecordedStep::Kind::kDecision:
      plan_ = &step.plan;
      replay_.engine().Decide();
      return {};
    case RecordedStep::Kind::kCommit: return replay_.engine().Commit();
    case RecordedStep::Kind::kEnd: return {};
  }
  return {};
}

}  // namespace fairlead
