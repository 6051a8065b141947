#include "fairlead/policies/deficit.h"

#include <cmath>

namespace fairlead {
namespace {

constexpr double kSteps = 1000;

class LargestDeficitFirst final : public ScoringRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      segment.rank = -DeficitSteps(view, job.agreement);
      segment.score = SlackOf(view, job, segment.segment);
    }
  }
};

}  // namespace

std::unique_ptr<ScoringRule> MakeLargestDeficitFirst() {
  return std::make_unique<LargestDeficitFirst>();
}

std::int32_t DeficitSteps(const SystemView& view, AgreementId agreement) {
  return static_cast<std::int32_t>(std::lround(kSteps * view.ledger().Deficit(agreement)));
}

double SlackOf(const SystemView& view, const Job& job, SegmentId segment) {
  const Duration tail = view.costs().ShortestTail(job.network, segment);
  return static_cast<double>(Nanoseconds(job.deadline - view.now() - tail));
}

}  // namespace fairlead
