#include "fairlead/policies/prema.h"

#include <utility>

#include "fairlead/policies/dispatch.h"

namespace fairlead {
namespace {

class Prema final : public SchedulingPolicy {
 public:
  Prema(std::string name, const PremaOptions& options, RandomStream random)
      : name_(std::move(name)),
        ready_(options.tokens),
        dispatch_(MakeDispatch(options.list, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { ready_.Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ready_.Take(view);
    dispatch_.Begin(view, plan);
    if (dispatch_.placement().NoneUsable()) return;
    ready_.Count(view, dispatch_.early_drop());
    if (dispatch_.Exhausted()) return;
    ready_.Walk(view, dispatch_.early_drop(), [&](const ScoredSegment& segment) {
      dispatch_.Offer(view, segment.job, segment.segment, plan);
      return !dispatch_.Exhausted();
    });
  }

 private:
  std::string name_;
  PremaQueue ready_;
  Dispatch dispatch_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakePrema(std::string name, const PremaOptions& options,
                                            RandomStream random) {
  return std::make_unique<Prema>(std::move(name), options, random);
}

}  // namespace fairlead
