#include "fairlead/policies/sdrm3.h"

#include <algorithm>

namespace fairlead {
namespace {

class Sdrm3 final : public ScoringRule {
 public:
  explicit Sdrm3(LateRule late) : late_(late) {}

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const double starvation = static_cast<double>(WaitingTime(view, job).count()) /
                                Divisor(view.costs().Fastest(job.network, segment.segment));
      segment.score = -(Urgency(job, job.deadline - view.now()) + starvation);
    }
  }

 private:
  double Urgency(const Job& job, Duration slack) const {
    if (slack.count() == 0) return 1;
    if (slack.count() < 0 && late_ == LateRule::kUrgent) return 1;
    return std::min(
        1.0, static_cast<double>(job.work_left.count()) / static_cast<double>(slack.count()));
  }

  LateRule late_;
};

}  // namespace

std::unique_ptr<ScoringRule> MakeSdrm3(LateRule late) { return std::make_unique<Sdrm3>(late); }

}  // namespace fairlead
