#include "fairlead/policies/scored_lanes.h"

#include <algorithm>
#include <functional>
#include <span>

#include "fairlead/base/heap.h"
#include "fairlead/scheduling/newly_ready.h"

namespace fairlead {
namespace {

// One by one takes about so many times as long as all at once; a small number pays in any case.
constexpr std::size_t kOneByOne = 8;
constexpr std::size_t kSmall = 16;

Standing StandingOf(const ScoredSegment& segment) {
  return {segment.rank, segment.covered, segment.score};
}
bool Later(const ScoredSegment& a, const ScoredSegment& b) { return b < a; }

}  // namespace

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
  candidates_.clear();
  last_ = {};
  scored_ = 0;
  tired_ = false;
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
  offers_.clear();
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
    offers_.push_back({BestOf(view, lanes, number, head->key), number});
    lane.queue.Close(lane.cursor);
    ++i;
  }
  std::ranges::make_heap(offers_, std::greater<>{});
}

const ScoredSegment* ScoredLanes::Next(const SystemView& view, const EarlyDrop& early_drop,
                                       ScoringRule& rule, LaneRule& lanes) {
  while (true) {
    // An offer that is merely as good may hide an earlier arrival.
    while (!offers_.empty() &&
           (candidates_.empty() || !(StandingOf(candidates_.front()) < offers_.front().best))) {
      tired_ = scored_ > kSmall + view.ready().size() / kOneByOne;
      if (tired_) return nullptr;
      ScoreOne(view, early_drop, rule, lanes);
    }
    if (candidates_.empty()) return nullptr;
    const ScoredSegment next = candidates_.front();
    std::ranges::pop_heap(candidates_, Later);
    candidates_.pop_back();
    // A start that was taken back has shown its segment anew while it may still stand here.
    if (next.serial == last_.serial && next.segment == last_.segment) continue;
    last_ = next;
    return &last_;
  }
}

void ScoredLanes::ScoreOne(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule,
                           LaneRule& lanes) {
  const std::uint32_t number = offers_.front().lane;
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
    ++scored_;
    ScoredSegment& scored = candidates_.emplace_back(ScoredSegment{.serial = entry->serial,
                                                                   .job = entry->job,
                                                                   .segment = entry->segment,
                                                                   .covered = entry->covered});
    rule.Score(view, std::span(&scored, 1));
    std::ranges::push_heap(candidates_, Later);
    if (lanes.SpotOf(view, view.job(entry->job), entry->segment) ==
        LaneRule::Spot{RulesLane(number), entry->key}) {
      lane.queue.Keep(lane.cursor);
    } else {
      moving_.push_back(*entry);
      ReadyQueue::Remove(lane.cursor);
    }
    entry = lane.queue.At(lane.cursor);
  }
  if (entry == nullptr) return PopHeap(offers_);
  const Offer next{BestOf(view, lanes, number, entry->key), number};
  PopHeap(offers_);
  PushHeap(offers_, next);
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
