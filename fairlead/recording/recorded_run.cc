#include "fairlead/recording/recorded_run.h"

#include <string_view>

namespace fairlead {
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
