// Who wants to be told what the engine did, for results, traces and recordings. A listener cannot
// influence a run.
#pragma once

#include "fairlead/domain/request.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/job.h"
#include "fairlead/scheduling/plan.h"

namespace fairlead {

// What happens to jobs and segments, and to the policy.
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) = 0;
  virtual void SegmentEnded(const Assignment& assignment, Instant now) = 0;
  // The assignment has its new units already.
  virtual void SegmentResized(const Assignment& /*assignment*/, int /*units_before*/,
                              Instant /*now*/) {}
  // A guard has complained of the policy, replaced it, or let it come back.
  virtual void GuardActed(const GuardAct& /*act*/, Instant /*now*/) {}
  // The policy has given up a promise.
  virtual void PromiseSacrificed(AgreementId /*agreement*/, Instant /*now*/) {}
  // And again it tries to keep it, or it need not any more.
  virtual void PromiseRestored(AgreementId /*agreement*/, Instant /*now*/) {}
};

// What went into the engine and what it decided, in order.
class RunRecorder {
 public:
  virtual ~RunRecorder() = default;
  virtual void Advanced(Instant now) = 0;
  virtual void Applied(const Input& input) = 0;
  virtual void Decided(const SchedulingPlan& plan) = 0;
  virtual void Committed() = 0;
};

}  // namespace fairlead
