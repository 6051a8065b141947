#include "fairlead/policies/vtc_queue.h"

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

void VtcQueue::Observe(const SystemView& view, const Event& event) {
  counters_.Observe(view, event);
  if (event.kind != EventKind::kSegmentStarted) return;
  const Assignment& assignment = view.assignment(event.assignment);
  for (JobId id : assignment.jobs) {
    const Job& job = view.job(id);
    counters_.Charge(view, job, assignment.segment);
    if (preemption_ != Preemption::kNone || !counters_.Admit(job, id)) continue;
    for (std::size_t s = 0; s < view.networks()[job.network.index()].size(); ++s) {
      if (view.IsReady(id, SegmentId{s})) Push(job, id, SegmentId{s});
    }
  }
}

void VtcQueue::Take(const SystemView& view) {
  VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
    Push(job, ready.job, ready.segment);
  });
  if (!WorthSweeping(size_, view.ready().size())) return;
  size_ = 0;
  for (const std::uint32_t number : filled_) {
    lanes_[number].queue.Sweep(
        [&](const QueuedSegment& entry) { return IsGone(view, entry, number); });
    size_ += lanes_[number].queue.size();
  }
}

void VtcQueue::Push(const Job& job, JobId id, SegmentId segment) {
  const bool goes_on = GoesOn(job);
  const std::size_t number = goes_on ? kGoingOn : 1 + job.tenant.index();
  while (lanes_.size() <= number) lanes_.emplace_back().queue.Reserve();
  Lane& lane = lanes_[number];
  lane.queue.Push({goes_on ? Nanoseconds(job.first_start) : 0, job.serial, segment, id, job.network,
                   job.covered});
  ++size_;
  if (lane.listed) return;
  lane.listed = true;
  filled_.push_back(static_cast<std::uint32_t>(number));
}

void VtcQueue::Open(const SystemView& view, const EarlyDrop& early_drop) {
  heads_.clear();
  for (const std::uint32_t number : filled_) {
    Lane& lane = lanes_[number];
    lane.shown = 0;
    if (number != kGoingOn) lane.tag = counters_.Of(TenantId{number - 1});
    Offer(view, early_drop, number);
  }
}

void VtcQueue::Step(const SystemView& view, const EarlyDrop& early_drop, const Head& head) {
  Lane& lane = lanes_[head.lane];
  lane.queue.Keep(lane.cursor);
  lane.shown = head.segment.serial;
  lane.shown_segment = head.segment.segment;
  if (head.lane != kGoingOn)
    lane.tag += VirtualCounters::Price(view, view.job(head.segment.job), head.segment.segment);
  Offer(view, early_drop, head.lane);
}

void VtcQueue::Offer(const SystemView& view, const EarlyDrop& early_drop, std::uint32_t number) {
  Lane& lane = lanes_[number];
  for (const QueuedSegment* entry = lane.queue.At(lane.cursor); entry != nullptr;
       entry = lane.queue.At(lane.cursor)) {
    // A start that was taken back has shown its segment anew while it may still stand here.
    const bool twice = entry->serial == lane.shown && entry->segment == lane.shown_segment;
    if (twice || IsGone(view, *entry, number) || early_drop.GivenUp(entry->job, entry->serial)) {
      ReadyQueue::Remove(lane.cursor);
      --size_;
      continue;
    }
    const bool goes_on = number == kGoingOn;
    const ScoredSegment segment{.score = goes_on ? static_cast<double>(entry->key) : lane.tag,
                                .serial = entry->serial,
                                .job = entry->job,
                                .segment = entry->segment,
                                .rank = goes_on ? 0 : 1,
                                .covered = entry->covered};
    PushHeap(heads_, {segment, number});
    return;
  }
}

bool VtcQueue::IsGone(const SystemView& view, const QueuedSegment& entry, std::size_t lane) const {
  return !view.IsReady(entry.job, entry.serial, entry.segment) ||
         (lane != kGoingOn && GoesOn(view.job(entry.job)));
}

void VtcQueue::Close() {
  for (std::size_t i = 0; i < filled_.size();) {
    Lane& lane = lanes_[filled_[i]];
    lane.queue.Close(lane.cursor);
    if (lane.queue.size() > 0) {
      ++i;
      continue;
    }
    lane.listed = false;
    filled_[i] = filled_.back();
    filled_.pop_back();
  }
}

}  // namespace fairlead
