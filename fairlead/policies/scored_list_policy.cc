#include "fairlead/policies/scored_list_policy.h"

#include <utility>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/scored_walk.h"

namespace fairlead {
namespace {

class ScoredListPolicy final : public SchedulingPolicy {
 public:
  ScoredListPolicy(std::string name, std::unique_ptr<ScoringRule> rule,
                   const ListPolicyOptions& options, RandomStream random)
      : name_(std::move(name)),
        rule_(std::move(rule)),
        dispatch_(options.drop, MakePlacement(options.placement, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    walk_.Walk(view, dispatch_.early_drop(), *rule_, [&](const ScoredSegment& segment) {
      dispatch_.Offer(view, segment.job, segment.segment, plan);
      return !dispatch_.Exhausted();
    });
  }

 private:
  std::string name_;
  std::unique_ptr<ScoringRule> rule_;
  Dispatch dispatch_;
  ScoredWalk walk_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeScoredListPolicy(std::string name,
                                                       std::unique_ptr<ScoringRule> rule,
                                                       const ListPolicyOptions& options,
                                                       RandomStream random) {
  return std::make_unique<ScoredListPolicy>(std::move(name), std::move(rule), options, random);
}

}  // namespace fairlead
