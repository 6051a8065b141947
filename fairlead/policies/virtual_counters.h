// What each tenant has received, in nanoseconds of work over its weight, as VTC counts it.
//
// A segment that starts is charged at its believed latency where it is fastest. A tenant who has
// nothing in the queue and gets a job is lifted to the least counter of those who have some;
// without any, to that of the tenant who left the queue last: idling earns no credit. Whoever is
// admitted leaves the queue; without admission jobs stand in it until they end.
// O(1) per event, O(tenants) when a tenant comes back.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/policies/active_jobs.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class VirtualCounters {
 public:
  // To be told of every event, before Charge and Admit.
  void Observe(const SystemView& view, const Event& event);
  // A segment of the job has started.
  void Charge(const SystemView& view, const Job& job, SegmentId segment) {
    counters_[job.tenant.index()] += Price(view, job, segment);
  }
  // The job leaves the queue; false: it had left before.
  bool Admit(const Job& job, JobId id);

  double Of(TenantId tenant) const {
    return tenant.index() < counters_.size() ? counters_[tenant.index()] : 0;
  }
  static double Price(const SystemView& view, const Job& job, SegmentId segment) {
    return static_cast<double>(view.costs().Fastest(job.network, segment).count()) /
           view.tenants()[job.tenant.index()].weight;
  }

 private:
  // How many jobs of a tenant wait to be admitted.
  std::int64_t Queued(TenantId tenant) const {
    return jobs_.Of(tenant) - admitted_[tenant.index()];
  }
  void Leave(const Job& job, JobId id);
  void Lift(TenantId back);

  ActiveJobs jobs_;
  std::vector<double> counters_;                // per tenant
  std::vector<std::int64_t> admitted_;          // per tenant: jobs that were, and have not ended
  std::vector<std::uint64_t> admitted_serial_;  // per job slot: who was admitted there last
  double last_left_ = 0;                        // the counter of the tenant who left the queue last
};

}  // namespace fairlead
