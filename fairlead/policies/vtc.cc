#include "fairlead/policies/vtc.h"

#include <utility>

#include "fairlead/policies/dispatch.h"

namespace fairlead {
namespace {

class Vtc final : public SchedulingPolicy {
 public:
  Vtc(std::string name, const VtcOptions& options, RandomStream random)
      : name_(std::move(name)),
        ready_(options.preemption),
        dispatch_(MakeDispatch(options.list, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { ready_.Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ready_.Take(view);
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    ready_.Walk(view, dispatch_.early_drop(), [&](const ScoredSegment& segment) {
      dispatch_.Offer(view, segment.job, segment.segment, plan);
      return !dispatch_.Exhausted();
    });
  }

 private:
  std::string name_;
  VtcQueue ready_;
  Dispatch dispatch_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeVtc(std::string name, const VtcOptions& options,
                                          RandomStream random) {
  return std::make_unique<Vtc>(std::move(name), options, random);
}

}  // namespace fairlead
