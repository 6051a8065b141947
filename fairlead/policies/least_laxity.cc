#include "fairlead/policies/least_laxity.h"

namespace fairlead {
namespace {

class LeastLaxityFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    const Job& job = view.job(ready.job);
    return Nanoseconds(job.deadline - view.costs().ShortestTail(job.network, ready.segment));
  }
  bool FollowsOnline() const override { return true; }
};

}  // namespace

std::unique_ptr<TemporalRule> MakeLeastLaxityFirst() {
  return std::make_unique<LeastLaxityFirst>();
}

}  // namespace fairlead
