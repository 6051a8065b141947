// Ready segments in the order of a key, for policies that walk them from the front.
//
// A walk sees only as many as it asks for, and what it leaves stays in place, so neither a growing
// backlog nor a waiting front is sorted again and again: a short sorted front is kept before a
// heap of the rest. Amortised O(log n) per segment, O(1) per step of a walk; allocates only when
// the backlog reaches a new height.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/heap.h"
#include "fairlead/base/id.h"

namespace fairlead {

struct QueuedSegment {
  std::int64_t key = 0;      // smaller first
  std::uint64_t serial = 0;  // of the job: ties go to the earlier arrival,
  SegmentId segment;         // then to the lower segment
  JobId job;

  friend bool operator<(const QueuedSegment& a, const QueuedSegment& b) {
    return std::tie(a.key, a.serial, a.segment) < std::tie(b.key, b.serial, b.segment);
  }
  friend bool operator>(const QueuedSegment& a, const QueuedSegment& b) { return b < a; }
};

class ReadyQueue {
 public:
  // What a walk does with the segment it was shown.
  enum class Step : std::uint8_t { kKeep, kRemove, kKeepAndStop, kRemoveAndStop };

  void Push(const QueuedSegment& entry) {
    const bool behind_front =
        front_.empty() ? !back_.empty() && back_.front() < entry : front_.back() < entry;
    if (behind_front) return PushBack(entry);
    front_.insert(std::upper_bound(front_.begin(), front_.end(), entry), entry);
    // Two for one: a front that a long walk has stretched shrinks again.
    for (int i = 0; i < 2 && front_.size() > kLongestFront; ++i) {
      PushBack(front_.back());
      front_.pop_back();
    }
  }

  // Shows segments in order until `visit` says stop or none is left.
  template <typename Visit>
  void Walk(Visit&& visit) {
    std::size_t kept = 0;
    std::size_t at = 0;
    for (bool stop = false; !stop; ++at) {
      if (at == front_.size() && !PullOne()) break;
      const Step step = visit(std::as_const(front_[at]));
      if (step == Step::kKeep || step == Step::kKeepAndStop) front_[kept++] = front_[at];
      stop = step == Step::kKeepAndStop || step == Step::kRemoveAndStop;
    }
    if (kept != at)
      front_.erase(front_.begin() + static_cast<std::ptrdiff_t>(kept),
                   front_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::size_t size() const { return front_.size() + back_.size(); }
  void Clear() {
    front_.clear();
    back_.clear();
  }

 private:
  static constexpr std::size_t kLongestFront = 64;

  void PushBack(const QueuedSegment& entry) { PushHeap(back_, entry); }
  bool PullOne() {
    if (back_.empty()) return false;
    front_.push_back(back_.front());
    PopHeap(back_);
    return true;
  }

  std::vector<QueuedSegment> front_;  // ascending; nothing in back_ comes before its last
  std::vector<QueuedSegment> back_;   // heap, smallest on top
};

}  // namespace fairlead
