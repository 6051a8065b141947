#include "fairlead/policies/scored_list_policy.h"

#include <utility>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/scored_walk.h"

namespace fairlead {
namespace {

class ScoredListPolicy final : public SchedulingPolicy {
 public:
  ScoredListPolicy(std::string name, std::unique_ptr<ScoringRule> rule,
                   const ListPolicyOptions& options, RandomStream random)
      : name_(std::move(name)), rule_(std::move(rule)), dispatch_(MakeDispatch(options, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    LaneRule* lanes = rule_->lanes();
    if (lanes != nullptr) ready_.Take(view, *lanes);
    dispatch_.Begin(view, plan);
    // A rule that scores all at once may count the decisions in which it was asked.
    if (lanes != nullptr ? dispatch_.Exhausted() : dispatch_.placement().NoneUsable()) return;
    const auto visit = [&](const ScoredSegment& segment) {
      dispatch_.Offer(view, segment.job, segment.segment, plan);
      return !dispatch_.Exhausted();
    };
    if (lanes != nullptr) {
      ready_.Walk(view, dispatch_.early_drop(), *rule_, *lanes, visit);
    } else {
      walk_.Walk(view, dispatch_.early_drop(), *rule_, visit);
    }
  }

 private:
  std::string name_;
  std::unique_ptr<ScoringRule> rule_;
  Dispatch dispatch_;
  ScoredLanes ready_;  // where the rule has lanes,
  ScoredWalk walk_;    // where it has none
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeScoredListPolicy(std::string name,
                                                       std::unique_ptr<ScoringRule> rule,
                                                       const ListPolicyOptions& options,
                                                       RandomStream random) {
  return std::make_unique<ScoredListPolicy>(std::move(name), std::move(rule), options, random);
}

}  // namespace fairlead
