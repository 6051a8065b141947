#include "fairlead/policies/list_policy.h"

#include <utility>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"

namespace fairlead {
namespace {

class ListPolicy final : public SchedulingPolicy {
 public:
  ListPolicy(std::string name, std::unique_ptr<TemporalRule> rule, const ListPolicyOptions& options,
             RandomStream random)
      : name_(std::move(name)),
        rule_(std::move(rule)),
        drop_(options.drop),
        placement_(MakePlacement(options.placement, random)) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    for (const ReadySegment& ready : view.newly_ready()) {
      const Job& job = view.job(ready.job);
      if (!job.active || !view.IsReady(ready.job, ready.segment)) continue;
      queue_.Push({rule_->Key(view, ready), job.serial, ready.segment, ready.job});
      if (drop_ == DropRule::kEarly) early_drop_.Watch(view, ready);
    }
    if (drop_ == DropRule::kEarly) early_drop_.GiveUp(view, plan);
    placement_->Begin(view);
    if (placement_->Exhausted()) return;
    queue_.Walk([&](const QueuedSegment& entry) { return Visit(view, entry, plan); });
  }

 private:
  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry, SchedulingPlan& plan) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    const PlacementChoice choice =
        placement_->Place(view, view.job(entry.job).network, entry.segment);
    if (choice.action == PlacementChoice::Action::kWait) return ReadyQueue::Step::kKeep;
    if (choice.action == PlacementChoice::Action::kStart) {
      plan.Start(choice.accelerator, entry.job, entry.segment);
    } else {
      plan.Enqueue(choice.accelerator, entry.job, entry.segment);
    }
    rule_->Started(entry.key);
    return placement_->Exhausted() ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  std::string name_;
  std::unique_ptr<TemporalRule> rule_;
  DropRule drop_;
  std::unique_ptr<Placement> placement_;
  ReadyQueue queue_;
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 const ListPolicyOptions& options,
                                                 RandomStream random) {
  return std::make_unique<ListPolicy>(std::move(name), std::move(rule), options, random);
}

}  // namespace fairlead
