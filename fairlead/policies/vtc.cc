#include "fairlead/policies/vtc.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "fairlead/policies/active_jobs.h"

namespace fairlead {
namespace {

class VirtualTokenCounters final : public ScoringRule {
 public:
  void Observe(const SystemView& view, const Event& event) override {
    jobs_.Observe(view, event);
    if (counters_.size() < view.tenants().size()) counters_.resize(view.tenants().size());
    switch (event.kind) {
      case EventKind::kJobArrived: {
        const TenantId tenant = view.job(event.job).tenant;
        if (jobs_.Of(tenant) == 1) Lift(tenant);
        return;
      }
      case EventKind::kJobFinished: {
        const TenantId tenant = view.job(event.job).tenant;
        if (jobs_.Of(tenant) == 0) last_left_ = counters_[tenant.index()];
        return;
      }
      case EventKind::kSegmentStarted: {
        const Assignment& assignment = view.assignment(event.assignment);
        for (JobId id : assignment.jobs) {
          const Job& job = view.job(id);
          counters_[job.tenant.index()] += Price(view, job, assignment.segment);
        }
        return;
      }
      default: return;
    }
  }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    GroupByTenant(view, segments);
    std::size_t begin = 0;
    for (std::size_t t = 0; t < counters_.size(); begin = ends_[t++]) {
      const auto queue = std::span(by_tenant_).subspan(begin, ends_[t] - begin);
      // Without scores the order is that of arrival.
      std::ranges::sort(queue, [](const auto* a, const auto* b) { return *a < *b; });
      double tag = counters_[t];
      for (ScoredSegment* segment : queue) {
        segment->score = tag;
        tag += Price(view, view.job(segment->job), segment->segment);
      }
    }
  }

 private:
  static double Price(const SystemView& view, const Job& job, SegmentId segment) {
    return static_cast<double>(view.costs().Fastest(job.network, segment).count()) /
           view.tenants()[job.tenant.index()].weight;
  }

  // Sorting the short lists of the tenants is quicker than sorting all.
  void GroupByTenant(const SystemView& view, std::span<ScoredSegment> segments) {
    ends_.assign(counters_.size() + 1, 0);
    for (const ScoredSegment& segment : segments) ++ends_[view.job(segment.job).tenant.index() + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());  // where each tenant begins
    by_tenant_.resize(segments.size());
    for (ScoredSegment& segment : segments)
      by_tenant_[ends_[view.job(segment.job).tenant.index()]++] = &segment;
  }

  void Lift(TenantId back) {
    bool alone = true;
    double least = 0;
    for (std::size_t t = 0; t < counters_.size(); ++t) {
      if (TenantId{t} == back || jobs_.Of(TenantId{t}) == 0) continue;
      least = alone ? counters_[t] : std::min(least, counters_[t]);
      alone = false;
    }
    double& counter = counters_[back.index()];
    counter = std::max(counter, alone ? last_left_ : least);
  }

  ActiveJobs jobs_;
  std::vector<double> counters_;   // per tenant: nanoseconds of work over weight
  std::vector<std::size_t> ends_;  // per tenant: where its segments end, in groups by tenant
  std::vector<ScoredSegment*> by_tenant_;
  double last_left_ = 0;  // the counter of the tenant that ran out of jobs last
};

}  // namespace

std::unique_ptr<ScoringRule> MakeVirtualTokenCounters() {
  return std::make_unique<VirtualTokenCounters>();
}

}  // namespace fairlead
