#include "fairlead/policies/list_policy.h"

#include <utility>

#include "fairlead/policies/newly_ready.h"
#include "fairlead/policies/ready_queue.h"

namespace fairlead {
namespace {

class ListPolicy final : public SchedulingPolicy {
 public:
  ListPolicy(std::string name, std::unique_ptr<TemporalRule> rule, DropRule drop,
             std::unique_ptr<Placement> placement)
      : name_(std::move(name)), rule_(std::move(rule)), dispatch_(drop, std::move(placement)) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
      queue_.Push({rule_->Key(view, ready), job.serial, ready.segment, ready.job});
    });
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    queue_.Walk([&](const QueuedSegment& entry) { return Visit(view, entry, plan); });
  }

 private:
  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry, SchedulingPlan& plan) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        dispatch_.early_drop().GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    const PlacementChoice choice = dispatch_.Offer(view, entry.job, entry.segment, plan);
    if (choice.action == PlacementChoice::Action::kWait) return ReadyQueue::Step::kKeep;
    rule_->Started(entry.key);
    return dispatch_.Exhausted() ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  std::string name_;
  std::unique_ptr<TemporalRule> rule_;
  Dispatch dispatch_;
  ReadyQueue queue_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 const ListPolicyOptions& options,
                                                 RandomStream random) {
  return MakeListPolicy(std::move(name), std::move(rule), options.drop,
                        MakePlacement(options.placement, random));
}

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule, DropRule drop,
                                                 std::unique_ptr<Placement> placement) {
  return std::make_unique<ListPolicy>(std::move(name), std::move(rule), drop, std::move(placement));
}

}  // namespace fairlead
