#include "fairlead/policies/dysta.h"

#include <utility>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/dysta_queue.h"

namespace fairlead {
namespace {

class Dysta final : public SchedulingPolicy {
 public:
  Dysta(std::string name, const ListPolicyOptions& options, RandomStream random)
      : name_(std::move(name)), dispatch_(MakeDispatch(options, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { ready_.Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ready_.Take(view);
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    ready_.Walk(view, dispatch_.early_drop(), [&](const ScoredSegment& segment) {
      const PlacementChoice choice = dispatch_.Offer(view, segment.job, segment.segment, plan);
      if (choice.action != PlacementChoice::Action::kWait)
        ready_.Taken(view, segment.job, segment.segment);
      return !dispatch_.Exhausted();
    });
  }

 private:
  std::string name_;
  DystaQueue ready_;
  Dispatch dispatch_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeDysta(std::string name, const ListPolicyOptions& options,
                                            RandomStream random) {
  return std::make_unique<Dysta>(std::move(name), options, random);
}

}  // namespace fairlead
