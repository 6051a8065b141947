#include "fairlead/simulation/progress.h"

#include <algorithm>

#include "fairlead/base/check.h"

namespace fairlead {

Duration TimeFor(Work work, Rate rate) {
  if (rate == kFullRate)
    return Duration{static_cast<std::int64_t>((work + (kFullRate - 1)) >> kRateBits)};
  const Work time = work <= UINT64_MAX - rate
                        ? Work{(static_cast<std::uint64_t>(work) + rate - 1) / rate}
                        : (work + (rate - 1)) / rate;
  constexpr Work kLongest = static_cast<Work>(kLongestDuration.count());
  return Duration{static_cast<std::int64_t>(std::min(time, kLongest))};
}

std::size_t ProgressTracker::Find(AssignmentId id) const {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].id == id) return i;
  }
  CHECK_MSG(false, "no such running segment");
}

void ProgressTracker::Settle(Item& item, Instant now) {
  const Work done = static_cast<Work>((now - item.settled).count()) * item.rate;
  item.left = done >= item.left ? 0 : item.left - done;
  item.settled = now;
}

void ProgressTracker::Add(AssignmentId id, const RunningSegment& segment, Duration latency,
                          Instant now) {
  items_.push_back({.id = id,
                    .sequence = next_sequence_++,
                    .latency = latency,
                    .left = WorkOf(latency),
                    .settled = now,
                    .rate = 0,
                    .finish = kNever});
  running_.push_back(segment);
  dirty_ = true;
}

void ProgressTracker::RemoveAt(std::size_t at) {
  items_[at] = items_.back();
  items_.pop_back();
  running_[at] = running_.back();
  running_.pop_back();
  dirty_ = true;
}

void ProgressTracker::Resize(AssignmentId id, const RunningSegment& segment, Duration latency,
                             Instant now) {
  Item& item = items_[Find(id)];
  Settle(item, now);
  if (item.latency > Duration::zero()) {
    // Split, so that the product of two large numbers does not overflow; rounded up.
    const auto before = static_cast<Work>(item.latency.count());
    const auto after = static_cast<Work>(latency.count());
    const Work whole = item.left / before;
    const Work rest = item.left % before;
    item.left = whole * after + (rest * after + before - 1) / before;
  }
  item.latency = latency;
  item.rate = 0;
  running_[static_cast<std::size_t>(&item - items_.data())] = segment;
  dirty_ = true;
}

double ProgressTracker::ShareLeft(AssignmentId id, Instant now) const {
  Item item = items_[Find(id)];
  if (item.latency == Duration::zero()) return 0;
  Settle(item, now);
  return static_cast<double>(item.left) / static_cast<double>(WorkOf(item.latency));
}

void ProgressTracker::Update(Instant now) {
  if (!dirty_) return;
  dirty_ = false;
  rates_.resize(items_.size());
  if (!items_.empty()) model_.Rates(running_, rates_);
  Instant next = kNever;
  const Rate* rate = rates_.data();
  for (Item& item : items_) {
    if (*rate != item.rate) {
      Settle(item, now);
      item.rate = *rate;
      item.finish = now + TimeFor(item.left, item.rate);
    }
    ++rate;
    if (item.finish < next) next = item.finish;
  }
  next_finish_ = next;
}

std::span<const ProgressTracker::Completion> ProgressTracker::Finishing() {
  finishing_.clear();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.finish == next_finish_) finishing_.push_back({item.sequence, item.id, i});
  }
  if (finishing_.size() > 1) std::ranges::sort(finishing_, {}, &Completion::sequence);
  return finishing_;
}

}  // namespace fairlead
