// The progress of what runs, under contention.
//
// Each running segment has work left, counted in nanoseconds alone, and advances at a rate that
// the interference model gives to the running set. When the set changes, the work done so far is
// settled and completions are posted anew, lazily: only for segments whose rate really changed.
// Work and rates are scaled integers, so this equals a full recomputation to the nanosecond.
//
// A segment finishes at the first whole nanosecond at which all its work is done: rounding happens
// in one place, upwards (TimeFor).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/scheduling/assignment.h"

namespace fairlead {

// Nanoseconds alone, in units of 2^-32.
__extension__ using Work = unsigned __int128;

constexpr Work WorkOf(Duration latency) { return static_cast<Work>(latency.count()) << kRateBits; }

// The time that work takes at a rate, rounded up to whole nanoseconds.
Duration TimeFor(Work work, Rate rate);

class ProgressTracker {
 public:
  // The model is not owned and outlives the tracker.
  explicit ProgressTracker(InterferenceModel& model) : model_(model) {}

  // Each change takes effect at the next Update, which must follow at the same instant.
  void Add(AssignmentId id, const RunningSegment& segment, Duration latency, Instant now);
  void Remove(AssignmentId id) { RemoveAt(Find(id)); }
  // The same share of the work is left, at another latency and demand.
  void Resize(AssignmentId id, const RunningSegment& segment, Duration latency, Instant now);
  void Update(Instant now);
  // Of its work, from 0 to 1, at `now`.
  double ShareLeft(AssignmentId id, Instant now) const;

  // The earliest completion, or kNever.
  Instant NextFinish() const { return next_finish_; }
  // What finishes at the instant NextFinish(), in order of starting. Valid until the next change.
  struct Completion {
    std::uint64_t sequence;  // counts starts
    AssignmentId id;
    std::size_t at;  // where it stands, until something is removed
  };
  std::span<const Completion> Finishing();
  // Removes one of them, after some of those before it.
  void Finish(const Completion& completion) {
    const bool there = completion.at < items_.size() && items_[completion.at].id == completion.id;
    RemoveAt(there ? completion.at : Find(completion.id));
  }

  bool empty() const { return items_.empty(); }

 private:
  struct Item {
    AssignmentId id;
    std::uint64_t sequence;
    Duration latency;  // alone, as a whole
    Work left;         // at `settled`
    Instant settled;
    Rate rate;
    Instant finish;
  };
  std::size_t Find(AssignmentId id) const;
  void RemoveAt(std::size_t at);
  static void Settle(Item& item, Instant now);

  InterferenceModel& model_;
  std::uint64_t next_sequence_ = 0;
  bool dirty_ = false;
  Instant next_finish_ = kNever;
  std::vector<Item> items_;
  std::vector<RunningSegment> running_;  // parallel to items_, as the model wants it
  std::vector<Rate> rates_;              // scratch
  std::vector<Completion> finishing_;    // scratch
};

}  // namespace fairlead
