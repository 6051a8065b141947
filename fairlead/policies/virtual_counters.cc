#include "fairlead/policies/virtual_counters.h"

#include <algorithm>

namespace fairlead {

void VirtualCounters::Observe(const SystemView& view, const Event& event) {
  jobs_.Observe(view, event);
  if (counters_.size() < view.tenants().size()) {
    counters_.resize(view.tenants().size());
    admitted_.resize(view.tenants().size());
  }
  if (event.kind == EventKind::kJobArrived) {
    const TenantId tenant = view.job(event.job).tenant;
    if (Queued(tenant) == 1) Lift(tenant);
  } else if (event.kind == EventKind::kJobFinished) {
    Leave(view.job(event.job), event.job);
  }
}

bool VirtualCounters::Admit(const Job& job, JobId id) {
  if (admitted_serial_.size() <= id.index()) admitted_serial_.resize(id.index() + 1);
  if (admitted_serial_[id.index()] == job.serial) return false;
  admitted_serial_[id.index()] = job.serial;
  ++admitted_[job.tenant.index()];
  if (Queued(job.tenant) == 0) last_left_ = Of(job.tenant);
  return true;
}

void VirtualCounters::Leave(const Job& job, JobId id) {
  const bool was_admitted =
      id.index() < admitted_serial_.size() && admitted_serial_[id.index()] == job.serial;
  if (was_admitted) {
    --admitted_[job.tenant.index()];
  } else if (Queued(job.tenant) == 0) {
    last_left_ = Of(job.tenant);
  }
}

void VirtualCounters::Lift(TenantId back) {
  bool alone = true;
  double least = 0;
  for (std::size_t t = 0; t < counters_.size(); ++t) {
    if (TenantId{t} == back || Queued(TenantId{t}) == 0) continue;
    least = alone ? counters_[t] : std::min(least, counters_[t]);
    alone = false;
  }
  double& counter = counters_[back.index()];
  counter = std::max(counter, alone ? last_left_ : least);
}

}  // namespace fairlead
