#include "fairlead/policies/early_drop.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "fairlead/base/heap.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

constexpr std::size_t kFewAtOnce = 32;

}  // namespace

void EarlyDrop::Begin(const SystemView& view, SchedulingPlan& plan) {
  if (rule_ == DropRule::kNone) return;
  VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& /*job*/) { Watch(view, ready); });
  GiveUp(view, plan);
}

void EarlyDrop::Watch(const SystemView& view, const ReadySegment& ready) {
  const Duration tail = view.costs().ShortestTail(view.job(ready.job).network, ready.segment);
  Push(view, ready, tail, true);
}

void EarlyDrop::Watch(const SystemView& view, const ReadySegment& ready, Duration rest) {
  Push(view, ready, rest, false);
}

void EarlyDrop::Push(const SystemView& view, const ReadySegment& ready, Duration rest,
                     bool by_tail) {
  if (rule_ == DropRule::kNone) return;
  const Job& job = view.job(ready.job);
  PushHeap(heap_, {job.deadline - margin_ - rest, job.serial, ready.job, ready.segment, by_tail});
}

void EarlyDrop::FollowOnline(const SystemView& view) {
  costs_version_ = view.costs_version();
  std::erase_if(heap_, [&](const Watched& watched) {
    return !view.IsReady(watched.job, watched.serial, watched.segment);
  });
  for (Watched& watched : heap_) {
    if (!watched.by_tail) continue;
    const Job& job = view.job(watched.job);
    watched.latest_start =
        job.deadline - margin_ - view.costs().ShortestTail(job.network, watched.segment);
  }
  std::ranges::make_heap(heap_, std::greater<>{});
}

void EarlyDrop::GiveUp(const SystemView& view, SchedulingPlan& plan) {
  for (const Watched& watched : spared_) PushHeap(heap_, watched);
  spared_.clear();
  if (costs_version_ != view.costs_version()) FollowOnline(view);
  const std::size_t few = std::max(kFewAtOnce, heap_.size() / 16);
  for (std::size_t i = 0; !heap_.empty() && heap_.front().latest_start < view.now(); ++i) {
    if (i == few) return GiveUpMany(view, plan);
    const Watched watched = heap_.front();
    PopHeap(heap_);
    GiveUpOne(view, watched, plan);
  }
}

// Sorting what is due takes half the time of taking one after another from the heap.
void EarlyDrop::GiveUpMany(const SystemView& view, SchedulingPlan& plan) {
  const auto due = std::partition(heap_.begin(), heap_.end(), [&](const Watched& watched) {
    return watched.latest_start >= view.now();
  });
  std::sort(due, heap_.end(), [](const Watched& a, const Watched& b) { return b > a; });
  std::for_each(due, heap_.end(), [&](const Watched& watched) { GiveUpOne(view, watched, plan); });
  heap_.erase(due, heap_.end());
  std::ranges::make_heap(heap_, std::greater<>{});
}

void EarlyDrop::GiveUpOne(const SystemView& view, const Watched& watched, SchedulingPlan& plan) {
  if (!view.IsReady(watched.job, watched.serial, watched.segment)) return;
  if (GivenUp(watched.job, watched.serial)) return;
  if (beside_now_ && PossibleNow(view, watched)) {
    spared_.push_back(watched);
  } else {
    GiveUpJob(view, watched.job, plan);
  }
}

// On those that are idle beside what runs elsewhere; on one that is busy it will meet others, and
// counts where none is idle, as it is beside what runs now.
bool EarlyDrop::PossibleNow(const SystemView& view, const Watched& watched) const {
  if (!watched.by_tail || !view.SlowdownsKnown()) return false;
  const Job& job = view.job(watched.job);
  const auto latencies = view.costs().LatenciesAlone(job.network, watched.segment);
  const Duration rest = view.costs().ShortestTail(job.network, watched.segment) -
                        view.costs().Fastest(job.network, watched.segment);
  const auto left = static_cast<double>((job.deadline - margin_ - view.now() - rest).count());
  bool some_idle = false;
  bool on_busy = false;
  for (std::size_t a = 0; a < view.accelerators().size(); ++a) {
    const AcceleratorState& state = view.accelerators()[a];
    const Duration usual = latencies[state.kind.index()];
    if (!state.online || usual == CostTable::kCannotRun) continue;
    const bool idle = state.free_units == state.units && state.queue.empty();
    const double latency =
        static_cast<double>(usual.count()) * view.BesideNow(job.network, AcceleratorId{a});
    if (idle && latency <= left) return true;
    some_idle = some_idle || idle;
    on_busy = on_busy || latency <= left;
  }
  return on_busy && !some_idle;
}

void EarlyDrop::GiveUpJob(const SystemView& view, JobId id, SchedulingPlan& plan) {
  const Job& job = view.job(id);
  if (given_up_.size() <= id.index()) given_up_.resize(id.index() + 1);
  given_up_[id.index()] = job.serial;
  if (job.started()) {
    plan.Drop(id, Reason::kHopeless);
  } else {
    plan.Reject(id, Reason::kHopeless);
  }
}

}  // namespace fairlead
