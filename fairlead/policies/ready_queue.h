// Ready segments in the order of a key, for policies that walk them from the front: what contracts
// cover first, and what they do not behind all of it.
//
// A walk sees only as many as it asks for, and what it leaves stays in place, so neither a growing
// backlog nor a waiting front is sorted again and again: a short sorted front is kept before a
// heap of the rest. Amortised O(log n) per segment, O(1) per step of a walk; allocates only when
// the backlog reaches a new height.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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
  NetworkId network;    // of the job, so that a walk need not look at it
  bool covered = true;  // of the job: before everything else

  friend bool operator<(const QueuedSegment& a, const QueuedSegment& b) {
    if (a.covered != b.covered) return a.covered;
    return std::tie(a.key, a.serial, a.segment) < std::tie(b.key, b.serial, b.segment);
  }
  friend bool operator>(const QueuedSegment& a, const QueuedSegment& b) { return b < a; }
};

class ReadyQueue {
 public:
  // What a walk does with the segment it was shown.
  enum class Step : std::uint8_t { kKeep, kRemove, kKeepAndStop, kRemoveAndStop };

  // Makes room for a front of usual length, and as many behind it.
  void Reserve() {
    front_.reserve(2 * kLongestFront + 1);
    back_.reserve(kLongestFront);
  }

  void Push(const QueuedSegment& entry) {
    const bool behind_front =
        FrontEmpty() ? !back_.empty() && back_.front() < entry : front_.back() < entry;
    if (behind_front) return PushBack(entry);
    InsertInFront(entry);
    // Two for one: a front that a long walk has stretched shrinks again.
    for (int i = 0; i < 2 && front_.size() - gap_ > kLongestFront; ++i) {
      PushBack(front_.back());
      front_.pop_back();
    }
  }

  // Shows segments in order until `visit` says stop or none is left.
  template <typename Visit>
  void Walk(Visit&& visit) {
    Cursor cursor;
    const QueuedSegment* entry = At(cursor);
    while (entry != nullptr && Carry(cursor, visit(*entry))) entry = At(cursor);
    Close(cursor);
  }

  // A walk that can be left and resumed: At shows a segment (null: there is none), Keep or Remove
  // says what becomes of it and steps on, Close ends the walk. No Push before that.
  struct Cursor {
    std::size_t at = 0;
    std::size_t kept = 0;
  };
  const QueuedSegment* At(const Cursor& cursor) {
    const auto next = Front() + static_cast<std::ptrdiff_t>(cursor.at);
    if (next != front_.end()) return &*next;
    return PullOne() ? &front_.back() : nullptr;
  }
  // The segment at the cursor and some that follow, in order; empty: there is none.
  std::span<const QueuedSegment> From(const Cursor& cursor) {
    if (At(cursor) == nullptr) return {};
    return {Front() + static_cast<std::ptrdiff_t>(cursor.at), front_.end()};
  }
  void Keep(Cursor& cursor, std::size_t count = 1) {
    if (cursor.kept != cursor.at) {
      const auto from = Front() + static_cast<std::ptrdiff_t>(cursor.at);
      std::move(from, from + static_cast<std::ptrdiff_t>(count),
                Front() + static_cast<std::ptrdiff_t>(cursor.kept));
    }
    cursor.kept += count;
    cursor.at += count;
  }
  static void Remove(Cursor& cursor) { ++cursor.at; }
  // Does what a visit of the segment at the cursor said; false: the walk is to stop.
  bool Carry(Cursor& cursor, Step step) {
    if (step == Step::kKeep || step == Step::kKeepAndStop) {
      Keep(cursor);
    } else {
      Remove(cursor);
    }
    return step == Step::kKeep || step == Step::kRemove;
  }
  void Close(Cursor& cursor) {
    if (cursor.kept != cursor.at) CloseGap(cursor);
    cursor = {};
  }

  // Takes out all that `gone` says yes to, in O(n): cheaper than a walk when they are many.
  template <typename Gone>
  void Sweep(Gone&& gone) {
    front_.erase(std::remove_if(Front(), front_.end(), gone), front_.end());
    if (std::erase_if(back_, gone) > 0) std::ranges::make_heap(back_, std::greater<>{});
  }

  std::size_t size() const { return front_.size() - gap_ + back_.size(); }
  void Clear() {
    front_.clear();
    back_.clear();
    gap_ = 0;
  }

 private:
  using Place = std::vector<QueuedSegment>::iterator;
  static constexpr std::size_t kLongestFront = 64;

  Place Front() { return front_.begin() + static_cast<std::ptrdiff_t>(gap_); }
  bool FrontEmpty() const { return front_.size() == gap_; }
  // Moves whichever side is shorter: most that comes and goes does so near the beginning.
  void InsertInFront(const QueuedSegment& entry) {
    MakeRoom();
    const Place place = std::upper_bound(Front(), front_.end(), entry);
    if (gap_ == 0 || place - Front() > front_.end() - place) {
      front_.insert(place, entry);
      return;
    }
    std::move(Front(), place, Front() - 1);
    *(place - 1) = entry;
    --gap_;
  }
  void CloseGap(const Cursor& cursor) {
    const Place kept = Front() + static_cast<std::ptrdiff_t>(cursor.kept);
    const Place at = Front() + static_cast<std::ptrdiff_t>(cursor.at);
    if (cursor.kept > static_cast<std::size_t>(front_.end() - at)) {
      front_.erase(kept, at);
      return;
    }
    std::move_backward(Front(), kept, at);
    gap_ += cursor.at - cursor.kept;
    if (gap_ > kLongestFront) DropGap();
  }
  void DropGap() {
    front_.erase(front_.begin(), Front());
    gap_ = 0;
  }
  // The front grows into the gap before it takes more memory.
  void MakeRoom() {
    if (gap_ > 0 && front_.size() == front_.capacity()) DropGap();
  }
  void PushBack(const QueuedSegment& entry) { PushHeap(back_, entry); }
  bool PullOne() {
    if (back_.empty()) return false;
    MakeRoom();
    front_.push_back(back_.front());
    PopHeap(back_);
    return true;
  }

  std::size_t gap_ = 0;               // so many at the beginning of front_ are gone
  std::vector<QueuedSegment> front_;  // ascending; nothing in back_ comes before its last
  std::vector<QueuedSegment> back_;   // heap, smallest on top
};

// What ends without having been walked to stays in its queue. Whether it is so much by now that a
// sweep pays: of `entries`, `ready` are there.
inline bool WorthSweeping(std::size_t entries, std::size_t ready) {
  constexpr std::size_t kCarriedAlong = 256;
  return entries > 2 * ready + kCarriedAlong;
}

// Several queues that are walked as if they were one.
class ReadyQueues {
 public:
  explicit ReadyQueues(std::size_t size = 0) : lanes_(size) {}
  std::size_t size() const { return lanes_.size(); }
  void Push(std::size_t queue, const QueuedSegment& entry) { lanes_[queue].queue.Push(entry); }
  template <typename Gone>
  void Sweep(Gone&& gone) {
    for (Lane& lane : lanes_) lane.queue.Sweep(gone);
  }
  // The only one there is, for a walk of its own.
  ReadyQueue& Only() { return lanes_.front().queue; }
  // In all of them.
  std::size_t Entries() const {
    std::size_t entries = 0;
    for (const Lane& lane : lanes_) entries += lane.queue.size();
    return entries;
  }

  // As ReadyQueue::Walk, but at each step without those queues that `open` says no to, by their
  // number. O(queues) for each step.
  template <typename Open, typename Visit>
  void Walk(Open&& open, Visit&& visit) {
    if (lanes_.size() == 1) return lanes_.front().queue.Walk(visit);
    for (bool more = true; more;) {
      Lane* next = nullptr;
      const QueuedSegment* entry = nullptr;
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const QueuedSegment* head = lanes_[i].queue.At(lanes_[i].cursor);
        if (head == nullptr || (entry != nullptr && *entry < *head) || !open(i)) continue;
        next = &lanes_[i];
        entry = head;
      }
      more = entry != nullptr && next->queue.Carry(next->cursor, visit(*entry));
    }
    for (Lane& lane : lanes_) lane.queue.Close(lane.cursor);
  }

 private:
  struct Lane {
    ReadyQueue queue;
    ReadyQueue::Cursor cursor;
  };
  std::vector<Lane> lanes_;
};

}  // namespace fairlead
