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
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/promise_period.h"
#include "fairlead/domain/request.h"
#include "fairlead/fairness/outcome_counts.h"

namespace fairlead {

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

}  // namespace fairlead
