#include "fairlead/policies/deficit.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace fairlead {
namespace {

constexpr double kSteps = 1000;

class LargestDeficitFirst final : public ScoringRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    ranks_.assign(view.ledger().size(), kUnknown);
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      std::int32_t& rank = ranks_[job.agreement.index()];
      if (rank == kUnknown) rank = -DeficitSteps(view, job.agreement);
      segment.rank = rank;
      segment.score = SlackOf(view, job, segment.segment);
    }
  }

 private:
  static constexpr std::int32_t kUnknown = INT32_MIN;
  std::vector<std::int32_t> ranks_;  // per agreement, in this decision
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
