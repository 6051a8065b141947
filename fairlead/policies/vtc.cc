#include "fairlead/policies/vtc.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "fairlead/policies/active_jobs.h"

namespace fairlead {
namespace {

class VirtualTokenCounters final : public ScoringRule {
 public:
  explicit VirtualTokenCounters(Preemption preemption) : preemption_(preemption) {}

  void Observe(const SystemView& view, const Event& event) override {
    jobs_.Observe(view, event);
    if (counters_.size() < view.tenants().size()) {
      counters_.resize(view.tenants().size());
      admitted_.resize(view.tenants().size());
    }
    switch (event.kind) {
      case EventKind::kJobArrived: {
        const TenantId tenant = view.job(event.job).tenant;
        if (Queued(tenant) == 1) Lift(tenant);
        return;
      }
      case EventKind::kJobFinished: return Leave(view.job(event.job), event.job);
      case EventKind::kSegmentStarted: {
        const Assignment& assignment = view.assignment(event.assignment);
        for (JobId id : assignment.jobs) {
          const Job& job = view.job(id);
          counters_[job.tenant.index()] += Price(view, job, assignment.segment);
          if (preemption_ == Preemption::kNone) Admit(job, id);
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
        const Job& job = view.job(segment->job);
        if (preemption_ == Preemption::kNone && job.started()) {
          segment->score = static_cast<double>(Nanoseconds(job.first_start));
          continue;
        }
        segment->rank = 1;
        segment->score = tag;
        tag += Price(view, job, segment->segment);
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

  // How many jobs of a tenant wait to be admitted; with preemption all of them do until they end.
  std::int64_t Queued(TenantId tenant) const {
    return jobs_.Of(tenant) - admitted_[tenant.index()];
  }
  void Admit(const Job& job, JobId id) {
    if (admitted_serial_.size() <= id.index()) admitted_serial_.resize(id.index() + 1);
    if (admitted_serial_[id.index()] == job.serial) return;
    admitted_serial_[id.index()] = job.serial;
    ++admitted_[job.tenant.index()];
    if (Queued(job.tenant) == 0) last_left_ = counters_[job.tenant.index()];
  }
  void Leave(const Job& job, JobId id) {
    const bool was_admitted =
        id.index() < admitted_serial_.size() && admitted_serial_[id.index()] == job.serial;
    if (was_admitted) {
      --admitted_[job.tenant.index()];
    } else if (Queued(job.tenant) == 0) {
      last_left_ = counters_[job.tenant.index()];
    }
  }

  void Lift(TenantId back) {
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

  Preemption preemption_;
  ActiveJobs jobs_;
  std::vector<double> counters_;                // per tenant: nanoseconds of work over weight
  std::vector<std::int64_t> admitted_;          // per tenant: jobs that have started
  std::vector<std::uint64_t> admitted_serial_;  // per job slot: who started there last
  std::vector<std::size_t> ends_;  // per tenant: where its segments end, in groups by tenant
  std::vector<ScoredSegment*> by_tenant_;
  double last_left_ = 0;  // the counter of the tenant that ran out of jobs last
};

}  // namespace

std::unique_ptr<ScoringRule> MakeVirtualTokenCounters(Preemption preemption) {
  return std::make_unique<VirtualTokenCounters>(preemption);
}

}  // namespace fairlead
