#include "fairlead/recording/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/recording/recorded_run.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {
namespace {

// Nothing is carried out: what came of it stands in the file.
class IdleBackend final : public ExecutionBackend {
 public:
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

// Shows the plan of the last decision.
class PlanWatcher final : public RunRecorder {
 public:
  void Advanced(Instant /*now*/) override {}
  void Applied(const Input& /*input*/) override {}
  void Decided(const SchedulingPlan& plan) override { plan_ = &plan; }
  void Committed() override {}

  const SchedulingPlan& plan() const { return *plan_; }

 private:
  const SchedulingPlan* plan_ = nullptr;
};

bool SameEntry(const SchedulingPlan& a, const PlanEntry& x, const SchedulingPlan& b,
               const PlanEntry& y) {
  return x.verb == y.verb && x.accelerator == y.accelerator && x.segment == y.segment &&
         x.options.units == y.options.units && x.options.version == y.options.version &&
         x.options.bandwidth_cap == y.options.bandwidth_cap && x.assignment == y.assignment &&
         x.reason == y.reason && x.at == y.at && x.agreement == y.agreement &&
         std::ranges::equal(a.JobsOf(x), b.JobsOf(y));
}

// The first entry in which the plans differ; their size when they do not.
std::size_t FirstDifference(const SchedulingPlan& a, const SchedulingPlan& b) {
  const std::size_t common = std::min(a.entries().size(), b.entries().size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!SameEntry(a, a.entries()[i], b, b.entries()[i])) return i;
  }
  return common;
}

class Comparison {
 public:
  Comparison(const Recording& recording, std::unique_ptr<SchedulingPolicy> policy,
             const ReplayPolicyFactory& policies)
      : reader_(recording),
        replay_(
            recording, std::move(policy),
            [&recording, &policies](std::string_view name) { return policies(name, recording); },
            backend_) {
    replay_.engine().set_recorder(&watcher_);
    report_.policy_then = recording.header().policy_name;
    report_.policy_now = replay_.engine().policy_name();
  }

  Result<ReplayReport> Run() {
    while (true) {
      ASSIGN_OR_RETURN(const RecordedStep* const step, reader_.Next());
      if (step->kind == RecordedStep::Kind::kEnd) break;
      if (!report_.stopped.empty()) {
        Differ(*step, "this plan is wrong now, but the recorded run went on: " + report_.stopped);
        report_.stopped.clear();
        break;
      }
      if (Status status = Take(*step); !status.has_value())
        return FailAt(reader_.PlaceOf(*step), "{}", status.error().message);
      if (!report_.identical()) break;
    }
    return std::move(report_);
  }

 private:
  Status Take(const RecordedStep& step) {
    switch (step.kind) {
      case RecordedStep::Kind::kAdvance:
        ++report_.instants;
        report_.end = step.now;
        return replay_.Apply(step);
      case RecordedStep::Kind::kInput: ++report_.inputs; return replay_.Apply(step);
      case RecordedStep::Kind::kDecision: Compare(step); return {};
      case RecordedStep::Kind::kCommit:
        if (Status status = replay_.engine().Commit(); !status.has_value())
          report_.stopped = status.error().message;
        return {};
      case RecordedStep::Kind::kEnd: return {};
    }
    return {};
  }

  void Compare(const RecordedStep& step) {
    replay_.engine().Decide();
    ++report_.decisions;
    const std::size_t recorded = step.plan.entries().size();
    const std::size_t replayed = watcher_.plan().entries().size();
    report_.entries += recorded;
    const std::size_t at = FirstDifference(step.plan, watcher_.plan());
    if (at == recorded && at == replayed) return;
    Differ(step, at < recorded && at < replayed
                     ? fmt::format("entry {} of the plan differs", at + 1)
                     : fmt::format("the recorded plan has {} entries, the new one {}", recorded,
                                   replayed));
    report_.difference->recorded = Describe(replay_.state(), step.plan);
    report_.difference->replayed = Describe(replay_.state(), watcher_.plan());
  }

  void Differ(const RecordedStep& step, std::string what) {
    report_.difference = ReplayDifference{.at = replay_.state().now,
                                          .decision = report_.decisions,
                                          .line = step.line,
                                          .what = std::move(what)};
  }

  RecordingReader reader_;
  IdleBackend backend_;
  PlanWatcher watcher_;
  ReplayEngine replay_;
  ReplayReport report_;
};

}  // namespace

Result<ReplayReport> Replay(const Recording& recording, const ReplayPolicyFactory& policies) {
  CHECK(policies != nullptr);
  auto policy = policies(recording.header().policy, recording);
  if (!policy.has_value()) return FailAt({recording.file(), 2, 0}, "{}", policy.error().message);
  return Comparison(recording, std::move(*policy), policies).Run();
}

std::string ToText(const ReplayReport& report) {
  std::string text = fmt::format(
      "{} instants, {} inputs, {} decisions with {} entries, up to {} ns\n", report.instants,
      report.inputs, report.decisions, report.entries, Nanoseconds(report.end));
  if (report.policy_then != report.policy_now)
    text += fmt::format("the policy was called '{}' and is now '{}'\n", report.policy_then,
                        report.policy_now);
  if (!report.stopped.empty())
    text += fmt::format("as recorded, the run ends with a wrong plan: {}\n", report.stopped);
  if (report.identical()) return text + "every decision is the same\n";
  const ReplayDifference& difference = *report.difference;
  text += fmt::format("decision {} at {} ns (line {}) differs: {}\n", difference.decision,
                      Nanoseconds(difference.at), difference.line, difference.what);
  if (!difference.recorded.empty())
    text += fmt::format("recorded:\n{}now:\n{}", difference.recorded, difference.replayed);
  return text;
}

}  // namespace fairlead
