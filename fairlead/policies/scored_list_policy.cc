#include "fairlead/policies/scored_list_policy.h"

#include <utility>
#include <vector>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/scored_order.h"

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
    segments_.clear();
    for (const ReadySegment& ready : view.ready()) {
      const std::uint64_t serial = view.job(ready.job).serial;
      if (!dispatch_.GivenUp(ready.job, serial))
        segments_.push_back({.serial = serial, .job = ready.job, .segment = ready.segment});
    }
    rule_->Score(view, segments_);
    order_.Arrange(segments_);
    for (auto group = order_.Next(); !group.empty(); group = order_.Next()) {
      for (const ScoredSegment& segment : group) {
        dispatch_.Offer(view, segment.job, segment.segment, plan);
        if (dispatch_.Exhausted()) return;
      }
    }
  }

 private:
  std::string name_;
  std::unique_ptr<ScoringRule> rule_;
  Dispatch dispatch_;
  std::vector<ScoredSegment> segments_;  // of this decision
  ScoredOrder order_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeScoredListPolicy(std::string name,
                                                       std::unique_ptr<ScoringRule> rule,
                                                       const ListPolicyOptions& options,
                                                       RandomStream random) {
  return std::make_unique<ScoredListPolicy>(std::move(name), std::move(rule), options, random);
}

}  // namespace fairlead
