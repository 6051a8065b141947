#include "fairlead/policies/sdrm3.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/policies/lane_rule.h"

namespace fairlead {
namespace {

// Lanes: one for each segment of each network, by the end of the job's last segment. Waiting makes
// the score but for an urgency of at most one. While another branch of the job runs or has run, it
// has waited less than its key says.
class Sdrm3 final : public ScoringRule, public LaneRule {
 public:
  explicit Sdrm3(LateRule late) : late_(late) {}

  LaneRule* lanes() override { return this; }

  Spot SpotOf(const SystemView& view, const Job& job, SegmentId segment) override {
    const std::size_t lane = view.costs().SegmentNumber(job.network, segment);
    if (alike_.size() <= lane) alike_.resize(lane + 1);
    alike_[lane] = {job.network, segment};
    return {lane, Nanoseconds(job.last_progress)};
  }
  Standing Best(const SystemView& view, std::size_t lane, std::int64_t key) override {
    const Duration waiting = view.now() - AtNanoseconds(key);
    const auto& [network, segment] = alike_[lane];
    const double latency = Divisor(view.costs().Fastest(network, segment));
    return {.score = -(1 + static_cast<double>(waiting.count()) / latency)};
  }

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
  std::vector<std::pair<NetworkId, SegmentId>> alike_;  // per lane: what its segments are
};

}  // namespace

std::unique_ptr<ScoringRule> MakeSdrm3(LateRule late) { return std::make_unique<Sdrm3>(late); }

}  // namespace fairlead
