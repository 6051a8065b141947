// What the ledger knows of one agreement, to be kept, or moved to another machine: all of it, where
// none of the agreement's requests is under way.
//
// Whole numbers, outcomes as letters and a few rates, so that a text holds it exactly. Whoever
// continues a history has the same indicators, windows, periods and tokens as if it had never
// stopped; its time goes on where it was left, whatever the clock of the other machine says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"

namespace fairlead {

// Requests counted by how they ended.

// How many requests ended in each way.
struct OutcomeCounts {
  std::array<std::int64_t, kOutcomes> by_outcome{};

  std::int64_t Of(Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::int64_t hits() const { return Of(Outcome::kHit); }
  std::int64_t ended() const;
  std::int64_t failures() const { return ended() - hits(); }
  // The share of hits, or the given value when nothing ended yet.
  double HitRateOr(double without_outcomes) const;

  OutcomeCounts& operator+=(const OutcomeCounts& other);
  OutcomeCounts& operator-=(const OutcomeCounts& other);
  friend bool operator==(const OutcomeCounts&, const OutcomeCounts&) = default;
};

// A share that is promised for each period, an hour or a month, instead of for ever: old luck ages.
//
// Tumbling periods begin at the multiples of their length on the schedule's time axis. A sliding
// period is the last `length` at any time, up to a twelfth: time is cut into slices of a twelfth of
// the length (rounded up to nanoseconds), which begin at the multiples of theirs, and the current
// period is the current slice and the eleven before. So it is never longer than promised, and
// shorter by less than a slice. At the end of each slice the twelve that end there are a period to
// be judged; the first when twelve have been there. A tumbling period is one slice.
//
// A request belongs to the slice in which it arrived. A period is judged when it is over and all
// its requests have ended; those that are not there yet, and the current one as far as it has come,
// are judged by what has ended, when asked. Periods without a measured request are not judged.
//
// Cost: O(1) per request (it is one of the last twelve slices), but for periods that are still
// open: few, unless requests take as long as periods.

// How periods fared by their measured requests.
struct PeriodVerdicts {
  std::int64_t periods = 0;
  std::int64_t kept = 0;  // of these, with at least the target
  double worst = 1;       // the lowest hit rate of a period

  void Add(const OutcomeCounts& measured, double target);
  friend bool operator==(const PeriodVerdicts&, const PeriodVerdicts&) = default;
};

// Requests that ended, and those of them that are measured.
struct PeriodCounts {
  OutcomeCounts ended{};
  OutcomeCounts measured{};

  friend bool operator==(const PeriodCounts&, const PeriodCounts&) = default;
};

class PromisePeriods {
 public:
  struct Promise {
    Duration length{};  // > 0
    PeriodKind kind = PeriodKind::kTumbling;
  };

  // The first period is that of `now`, for requests from this number on.
  PromisePeriods(Promise promise, Instant now, std::uint64_t next_request);

  // What has come so far, all of it ended, in the current slice and those before it, the oldest
  // first; and in the periods before. At first alone.
  void Continue(std::span<const PeriodCounts> slices, const PeriodVerdicts& judged);

  // When the current slice is over.
  Instant end() const { return end_; }
  // Time has come so far. The target is for judging what is over.
  void Advance(Instant now, double target);
  // Requests are numbered in order of arrival, one after the other.
  void Arrive() {
    ++slices_.back().arrived;
    ++next_request_;
  }
  void Record(std::uint64_t request, Outcome outcome, bool measured, double target);

  // What has ended of the current period's requests.
  const OutcomeCounts& current() const { return current_; }
  // The slices of the current period, the oldest first.
  std::vector<PeriodCounts> Slices() const;
  // Of the periods before, if all their requests have ended.
  const PeriodVerdicts& judged() const { return judged_; }
  PeriodVerdicts Verdicts(double target) const;

 private:
  struct Slice {
    std::uint64_t first = 0;  // request
    std::int64_t arrived = 0;
    PeriodCounts counts{};
  };

  void BeginSlice();
  void JudgeWhatIsDone(double target);
  std::size_t FirstOfCurrent() const {
    return slices_.size() > in_period_ ? slices_.size() - in_period_ : 0;
  }
  // That the period which ends with this slice is a whole one.
  bool IsWhole(std::size_t last) const { return gone_ + last + 1 >= in_period_; }
  OutcomeCounts MeasuredUpTo(std::size_t last) const;

  std::size_t in_period_;  // slices
  Duration slice_;
  Instant end_;
  std::uint64_t next_request_;
  // Those of the current period, and those of periods that are not judged yet.
  std::vector<Slice> slices_;
  std::size_t gone_ = 0;        // slices before these
  std::size_t not_judged_ = 0;  // the last slice of the first period that is not
  OutcomeCounts current_;
  PeriodVerdicts judged_;
};

struct AgreementHistory {
  static constexpr char kHit = 'h';
  static constexpr char kFailure = 'f';

  // Of requests, by how they ended; measured are those after the warm-up.
  OutcomeCounts lifetime{};
  OutcomeCounts measured{};
  OutcomeCounts uncovered{};

  // The promise of windows that these count for, and the last outcomes, the oldest first: in order
  // of arrival those in the window that is watched, in order of ending those that the distance to
  // a breach rests on.
  int window = 0;
  int max_misses = 0;
  std::string watched;
  std::string ended;
  int most_failures = -1;  // in any full window; -1 before the first
  std::int64_t violations = 0;
  double worst_before = 2;  // of windows before the last change; above 1: none was full

  // The current period, where the share is promised for one, and those before.
  struct Period {
    Duration length{};
    PeriodKind kind = PeriodKind::kTumbling;
    PeriodCounts current{};              // of a sliding one: its last slice
    std::vector<PeriodCounts> before{};  // its slices before that, the oldest first
    PeriodVerdicts judged{};

    friend bool operator==(const Period&, const Period&) = default;
  };
  std::optional<Period> period{};

  // What is in the bucket of a contract: whole tokens, and 10^-15 tokens beside them.
  struct Bucket {
    Contract contract{};
    std::int64_t tokens = 0;
    std::int64_t parts = 0;

    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  std::optional<Bucket> bucket{};

  Duration time{};  // since the books were opened

  friend bool operator==(const AgreementHistory&, const AgreementHistory&) = default;
};

// What its numbers contradict each other in; empty if nothing. That each is in its own range is not
// asked here.
std::string WhatIsWrong(const AgreementHistory& history);

}  // namespace fairlead
