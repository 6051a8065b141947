#include "fairlead/policies/fcfs.h"

namespace fairlead {
namespace {

class FirstComeFirstServed final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView& view, const ReadySegment& ready) override {
    return Nanoseconds(view.job(ready.job).arrival);
  }
};

}  // namespace

std::unique_ptr<TemporalRule> MakeFirstComeFirstServed() {
  return std::make_unique<FirstComeFirstServed>();
}

}  // namespace fairlead
