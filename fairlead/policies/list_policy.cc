#include "fairlead/policies/list_policy.h"

#include <span>
#include <utility>

#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

// If it is a good part of the queues too, so many that are gone are taken out at once.
constexpr std::size_t kManyGone = 32;

class ListPolicy final : public SchedulingPolicy {
 public:
  ListPolicy(std::string name, std::unique_ptr<TemporalRule> rule, Dispatch dispatch)
      : name_(std::move(name)), rule_(std::move(rule)), dispatch_(std::move(dispatch)) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (rule_->FollowsOnline() && costs_version_ != view.costs_version()) {
      queues_ = ReadyQueues();
      for (const ReadySegment& ready : view.ready()) Queue(view, ready, view.job(ready.job));
    } else {
      VisitNewlyReady(view,
                      [&](const ReadySegment& ready, const Job& job) { Queue(view, ready, job); });
    }
    costs_version_ = view.costs_version();
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    // All that is ready is queued, and the plan gives up some of it.
    const std::size_t queued = queues_.Entries();
    std::size_t gone = queued - view.ready().size() + plan.entries().size();
    if (gone > kManyGone && gone > queued / 4) {
      queues_.Sweep([&](const QueuedSegment& entry) { return Gone(view, entry); });
      gone = 0;
    }
    some_gone_ = gone > 0;
    if (queues_.size() == 1 && !some_gone_) return WalkInRuns(view, queues_.Only(), plan);
    queues_.Walk([&](std::size_t i) { return dispatch_.placement().InReach(view, i); },
                 [&](const QueuedSegment& entry) { return Visit(view, entry, plan); });
  }

 private:
  void Queue(const SystemView& view, const ReadySegment& ready, const Job& job) {
    queues_.Push(
        QueueOf(view, job.network, ready.segment),
        {rule_->Key(view, ready), job.serial, ready.segment, ready.job, job.network, job.covered});
  }

  // One queue for all; or one for each affinity, where those that would wait can be passed over.
  std::size_t QueueOf(const SystemView& view, NetworkId network, SegmentId segment) {
    const bool passing = dispatch_.placement().passing() == Passing::kWaiters;
    if (queues_.size() == 0) queues_ = ReadyQueues(passing ? view.costs().affinities() : 1);
    return passing ? view.costs().Affinity(network, segment) : 0;
  }

  // As below, for all up to the next that starts at once.
  void WalkInRuns(const SystemView& view, ReadyQueue& queue, SchedulingPlan& plan) {
    ReadyQueue::Cursor cursor;
    for (bool more = true; more;) {
      const std::span<const QueuedSegment> segments = queue.From(cursor);
      if (segments.empty()) break;
      const auto [placed, last] = dispatch_.PlaceRun(view, segments);
      if (last.action == PlacementChoice::Action::kWait) {
        queue.Keep(cursor, placed);
        continue;
      }
      const QueuedSegment& started = segments[placed - 1];
      AddToPlan(last, started.job, started.segment, plan);
      rule_->Started(started.key);
      if (placed > 1) queue.Keep(cursor, placed - 1);
      queue.Remove(cursor);
      more = !dispatch_.Exhausted();
    }
    queue.Close(cursor);
  }

  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry, SchedulingPlan& plan) {
    if (some_gone_ && Gone(view, entry)) return ReadyQueue::Step::kRemove;
    const PlacementChoice choice = dispatch_.Place(view, {entry.job, entry.network, entry.segment});
    if (choice.action == PlacementChoice::Action::kWait) return ReadyQueue::Step::kKeep;
    AddToPlan(choice, entry.job, entry.segment, plan);
    rule_->Started(entry.key);
    return dispatch_.Exhausted() ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  bool Gone(const SystemView& view, const QueuedSegment& entry) const {
    return !view.IsReady(entry.job, entry.serial, entry.segment) ||
           dispatch_.early_drop().GivenUp(entry.job, entry.serial);
  }

  std::string name_;
  std::unique_ptr<TemporalRule> rule_;
  Dispatch dispatch_;
  ReadyQueues queues_;
  bool some_gone_ = false;  // the queues hold segments that are not ready or given up
  std::uint64_t costs_version_ = 0;
};

}  // namespace

Dispatch MakeDispatch(const ListPolicyOptions& options, RandomStream random) {
  Dispatch dispatch(options.drop, MemoryLimit(options.memory, options.throttle, options.beyond),
                    MakePlacement(options.placement, random), options.placement.units);
  if (options.placement.beside == AcceleratorSlots::Beside::kNow) dispatch.BesideNow();
  return dispatch;
}

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 const ListPolicyOptions& options,
                                                 RandomStream random) {
  return MakeListPolicy(std::move(name), std::move(rule), MakeDispatch(options, random));
}

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 Dispatch dispatch) {
  return std::make_unique<ListPolicy>(std::move(name), std::move(rule), std::move(dispatch));
}

}  // namespace fairlead
