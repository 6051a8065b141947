#include "fairlead/policies/vtc.h"

#include <algorithm>
#include <tuple>
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
    std::ranges::sort(segments, [](const ScoredSegment& a, const ScoredSegment& b) {
      return std::tie(a.serial, a.segment) < std::tie(b.serial, b.segment);
    });
    tags_ = counters_;
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      double& tag = tags_[job.tenant.index()];
      segment.score = tag;
      tag += Price(view, job, segment.segment);
    }
  }

 private:
  static double Price(const SystemView& view, const Job& job, SegmentId segment) {
    return static_cast<double>(view.costs().Fastest(job.network, segment).count()) /
           view.tenants()[job.tenant.index()].weight;
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
  std::vector<double> counters_;  // per tenant: nanoseconds of work over weight
  std::vector<double> tags_;      // the same in the course of a decision
  double last_left_ = 0;          // the counter of the tenant that ran out of jobs last
};

}  // namespace

std::unique_ptr<ScoringRule> MakeVirtualTokenCounters() {
  return std::make_unique<VirtualTokenCounters>();
}

}  // namespace fairlead
