#include "fairlead/policies/sjf.h"

namespace fairlead {
namespace {

class ShortestJobFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return view.costs().ShortestTail(view.job(ready.job).network, ready.segment).count();
  }
  bool FollowsOnline() const override { return true; }
};

}  // namespace

std::unique_ptr<TemporalRule> MakeShortestJobFirst() {
  return std::make_unique<ShortestJobFirst>();
}

}  // namespace fairlead
