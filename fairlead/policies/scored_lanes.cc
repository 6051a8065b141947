#include "fairlead/policies/scored_lanes.h"

#include <limits>
#include <span>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

void ScoredLanes::Take(const SystemView& view, LaneRule& lanes) {
  VisitNewlyReady(view, [&](const ReadySegment& ready, const Job&) {
    Push(view, lanes, ready.job, ready.segment);
  });
  if (WorthSweeping(size_, view.ready().size())) Sweep(view);
}

void ScoredLanes::Push(const SystemView& view, LaneRule& lanes, JobId id, SegmentId segment) {
  const Job& job = view.job(id);
  const auto [rules_lane, key] = lanes.SpotOf(view, job, segment);
  const std::size_t number = LaneOf(rules_lane, job.covered);
  while (lanes_.size() <= number) lanes_.emplace_back().queue.Reserve();
  Lane& lane = lanes_[number];
  lane.queue.Push({key, job.serial, segment, id, job.network, job.covered});
  ++size_;
  if (lane.listed) return;
  lane.listed = true;
  filled_.push_back(static_cast<std::uint32_t>(number));
}

Standing ScoredLanes::BestOf(const SystemView& view, LaneRule& lanes, std::size_t lane,
                             std::int64_t key) {
  Standing best = lanes.Best(view, RulesLane(lane), key);
  best.covered = IsCovered(lane);
  return best;
}

// Those of one key stand in order of arrival; if larger keys are worse, the head is the first.
ScoredLanes::Offer ScoredLanes::OfferOf(const SystemView& view, LaneRule& lanes, std::uint32_t lane,
                                        const QueuedSegment& head) {
  Offer offer{.best = BestOf(view, lanes, lane, head.key), .lane = lane};
  if (head.key < std::numeric_limits<std::int64_t>::max() &&
      offer.best < BestOf(view, lanes, lane, head.key + 1)) {
    offer.serial = head.serial;
    offer.segment = head.segment;
  }
  return offer;
}

void ScoredLanes::Sweep(const SystemView& view) {
  for (const std::uint32_t number : filled_) {
    lanes_[number].queue.Walk([&](const QueuedSegment& entry) {
      const bool there = view.IsReady(entry.job, entry.serial, entry.segment);
      if (!there) --size_;
      return there ? ReadyQueue::Step::kKeep : ReadyQueue::Step::kRemove;
    });
  }
}

void ScoredLanes::Open(const SystemView& view, LaneRule& lanes) {
  FindOffers(view, lanes);
  if (moving_.empty()) return;
  for (const QueuedSegment& entry : moving_) {
    --size_;
    if (view.IsReady(entry.job, entry.serial, entry.segment))
      Push(view, lanes, entry.job, entry.segment);
  }
  moving_.clear();
  FindOffers(view, lanes);
}

// Takes out who belongs elsewhere by now.
void ScoredLanes::FindOffers(const SystemView& view, LaneRule& lanes) {
  order_.Begin();
  for (std::size_t i = 0; i < filled_.size();) {
    const std::uint32_t number = filled_[i];
    Lane& lane = lanes_[number];
    const QueuedSegment* head = lane.queue.At(lane.cursor);
    while (head != nullptr && lanes.Leaves(view, RulesLane(number), head->key)) {
      moving_.push_back(*head);
      ReadyQueue::Remove(lane.cursor);
      head = lane.queue.At(lane.cursor);
    }
    if (head == nullptr) {
      lane.queue.Close(lane.cursor);
      lane.listed = false;
      filled_[i] = filled_.back();
      filled_.pop_back();
      continue;
    }
    order_.Add(OfferOf(view, lanes, number, *head));
    lane.queue.Close(lane.cursor);
    ++i;
  }
}

void ScoredLanes::ScoreOne(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule,
                           LaneRule& lanes, std::uint32_t number) {
  Lane& lane = lanes_[number];
  if (lane.cursor.at == 0) touched_.push_back(number);
  const QueuedSegment* entry = lane.queue.At(lane.cursor);
  while (entry != nullptr && (!view.IsReady(entry->job, entry->serial, entry->segment) ||
                              early_drop.GivenUp(entry->job, entry->serial))) {
    --size_;
    ReadyQueue::Remove(lane.cursor);
    entry = lane.queue.At(lane.cursor);
  }
  if (entry != nullptr) {
    ScoredSegment scored{.serial = entry->serial,
                         .job = entry->job,
                         .segment = entry->segment,
                         .covered = entry->covered};
    rule.Score(view, std::span(&scored, 1));
    order_.Add(scored);
    if (lanes.SpotOf(view, view.job(entry->job), entry->segment) ==
        LaneRule::Spot{RulesLane(number), entry->key}) {
      lane.queue.Keep(lane.cursor);
    } else {
      moving_.push_back(*entry);
      ReadyQueue::Remove(lane.cursor);
    }
    entry = lane.queue.At(lane.cursor);
  }
  if (entry != nullptr) order_.Add(OfferOf(view, lanes, number, *entry));
}

void ScoredLanes::Close(const SystemView& view, LaneRule& lanes) {
  for (const std::uint32_t number : touched_) lanes_[number].queue.Close(lanes_[number].cursor);
  touched_.clear();
  for (const QueuedSegment& entry : moving_) {
    --size_;
    Push(view, lanes, entry.job, entry.segment);
  }
  moving_.clear();
}

}  // namespace fairlead
