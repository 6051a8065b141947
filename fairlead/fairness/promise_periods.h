// A share that is promised for each period, an hour or a month, instead of for ever: old luck ages.
//
// Periods are tumbling, and begin at the multiples of their length on the schedule's time axis. A
// request belongs to the period in which it arrived. A period is judged when it is over and all its
// requests have ended; those that are not there yet are judged by what has ended, when asked.
// Periods without a measured request are not judged.
//
// Cost: O(1) per request, but for the periods that are still open: few, unless requests take as
// long as periods.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/time.h"
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

class PromisePeriods {
 public:
  // The first period is that of `now`, for requests from this number on.
  PromisePeriods(Duration length, Instant now, std::uint64_t next_request);  // length > 0

  // What has come so far in the current period, whose requests have all ended, and before. At first
  // alone.
  void Continue(const OutcomeCounts& ended, const OutcomeCounts& measured,
                const PeriodVerdicts& judged);

  // When the current period is over.
  Instant end() const { return end_; }
  // Time has come so far. The target is for judging what is over.
  void Advance(Instant now, double target);
  // Requests are numbered in order of arrival, one after the other.
  void Arrive() {
    ++open_.back().arrived;
    ++next_request_;
  }
  void Record(std::uint64_t request, Outcome outcome, bool measured, double target);

  // What has ended of the current period's requests.
  const OutcomeCounts& current() const { return open_.back().ended; }
  // By its measured ones.
  const OutcomeCounts& current_measured() const { return open_.back().measured; }
  // Of the periods before, if all their requests have ended.
  const PeriodVerdicts& judged() const { return judged_; }
  PeriodVerdicts Verdicts(double target) const;

 private:
  struct Period {
    std::uint64_t first = 0;  // request
    std::int64_t arrived = 0;
    OutcomeCounts ended{};
    OutcomeCounts measured{};
  };

  void JudgeWhatIsDone(double target);

  Duration length_;
  Instant end_;
  std::uint64_t next_request_;
  std::vector<Period> open_;  // not judged yet; the last is the current one
  PeriodVerdicts judged_;
};

}  // namespace fairlead
