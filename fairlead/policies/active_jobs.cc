#include "fairlead/policies/active_jobs.h"

#include <set>

namespace fairlead {

void ActiveJobs::Observe(const SystemView& view, const Event& event) {
  switch (event.kind) {
    case EventKind::kJobArrived: return Count(view.job(event.job), 1);
    case EventKind::kJobFinished: return Count(view.job(event.job), -1);
    case EventKind::kPolicyChanged: return Recount(view);
    default: return;
  }
}

void ActiveJobs::Count(const Job& job, std::int64_t change) {
  if (by_tenant_.size() <= job.tenant.index()) by_tenant_.resize(job.tenant.index() + 1);
  by_tenant_[job.tenant.index()] += change;
  total_ += change;
}

// An active job has a segment that is ready, runs, or is enqueued.
void ActiveJobs::Recount(const SystemView& view) {
  total_ = 0;
  by_tenant_.assign(view.tenants().size(), 0);
  std::set<JobId> jobs;
  for (const ReadySegment& ready : view.ready()) jobs.insert(ready.job);
  for (const AcceleratorState& accelerator : view.accelerators()) {
    for (const auto* list : {&accelerator.running, &accelerator.queue}) {
      for (AssignmentId id : *list) {
        const Assignment& assignment = view.assignment(id);
        jobs.insert(assignment.jobs.begin(), assignment.jobs.end());
      }
    }
  }
  for (JobId job : jobs) {
    if (view.job(job).active) Count(view.job(job), 1);
  }
}

}  // namespace fairlead
