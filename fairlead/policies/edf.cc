#include "fairlead/policies/edf.h"

namespace fairlead {
namespace {

class EarliestDeadlineFirst final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return Nanoseconds(view.job(ready.job).deadline);
  }
};

}  // namespace

std::unique_ptr<TemporalRule> MakeEarliestDeadlineFirst() {
  return std::make_unique<EarliestDeadlineFirst>();
}

}  // namespace fairlead
