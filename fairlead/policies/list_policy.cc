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
      queues_.Push(QueueOf(view, job.network, ready.segment),
                   {rule_->Key(view, ready), job.serial, ready.segment, ready.job});
    });
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    queues_.Walk([&](std::size_t i) { return dispatch_.placement().InReach(view, i); },
                 [&](const QueuedSegment& entry) { return Visit(view, entry, plan); });
  }

 private:
  // One queue for all; or one for each affinity, where those that would wait can be passed over.
  std::size_t QueueOf(const SystemView& view, NetworkId network, SegmentId segment) {
    const bool passing = dispatch_.placement().passing() == Passing::kWaiters;
    if (queues_.size() == 0) queues_ = ReadyQueues(passing ? view.costs().affinities() : 1);
    return passing ? view.costs().Affinity(network, segment) : 0;
  }

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
  ReadyQueues queues_;
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
