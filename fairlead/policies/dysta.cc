#include "fairlead/policies/dysta.h"

#include <algorithm>

#include "fairlead/policies/active_jobs.h"

namespace fairlead {
namespace {

constexpr double kBeta = 0.01;

class Dysta final : public ScoringRule {
 public:
  void Observe(const SystemView& view, const Event& event) override { jobs_.Observe(view, event); }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    const auto jobs = static_cast<double>(jobs_.total());
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const Duration slack = std::max(job.deadline - view.now() - job.work_left, Duration::zero());
      const double waiting = static_cast<double>(WaitingTime(view, job).count()) /
                             Divisor(view.costs().FastestTotal(job.network));
      segment.score = Seconds(job.work_left) + kBeta * (Seconds(slack) + waiting / jobs);
    }
  }

 private:
  ActiveJobs jobs_;
};

}  // namespace

std::unique_ptr<ScoringRule> MakeDysta() { return std::make_unique<Dysta>(); }

}  // namespace fairlead
