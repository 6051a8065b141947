#include "fairlead/fairness/promise_periods.h"

#include <algorithm>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

// The first multiple of a length after an instant.
Instant NextBoundary(Instant now, Duration length) {
  return now - now.time_since_epoch() % length + length;
}

}  // namespace

void PeriodVerdicts::Add(const OutcomeCounts& measured, double target) {
  if (measured.ended() == 0) return;
  const double rate = measured.HitRateOr(target);
  ++periods;
  if (rate >= target) ++kept;
  worst = std::min(worst, rate);
}

PromisePeriods::PromisePeriods(Duration length, Instant now, std::uint64_t next_request)
    : length_(length), end_(NextBoundary(now, length)), next_request_(next_request) {
  CHECK(length > Duration::zero());
  open_.push_back({.first = next_request});
}

void PromisePeriods::Continue(const OutcomeCounts& ended, const OutcomeCounts& measured,
                              const PeriodVerdicts& judged) {
  Period& period = open_.back();
  CHECK(period.arrived == 0);
  period.arrived = ended.ended();
  period.ended = ended;
  period.measured = measured;
  judged_ = judged;
}

void PromisePeriods::Advance(Instant now, double target) {
  if (now < end_) return;
  end_ = NextBoundary(now, length_);
  if (open_.back().arrived == 0) return;  // as good as new
  open_.push_back({.first = next_request_});
  JudgeWhatIsDone(target);
}

void PromisePeriods::Record(std::uint64_t request, Outcome outcome, bool measured, double target) {
  auto period = open_.rbegin();
  while (period != open_.rend() && period->first > request) ++period;
  if (period == open_.rend()) return;  // from before there were periods
  const auto which = static_cast<std::size_t>(outcome);
  ++period->ended.by_outcome[which];
  if (measured) ++period->measured.by_outcome[which];
  JudgeWhatIsDone(target);
}

void PromisePeriods::JudgeWhatIsDone(double target) {
  std::size_t done = 0;
  while (done + 1 < open_.size() && open_[done].ended.ended() == open_[done].arrived)
    judged_.Add(open_[done++].measured, target);
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(done));
}

PeriodVerdicts PromisePeriods::Verdicts(double target) const {
  PeriodVerdicts verdicts = judged_;
  for (const Period& period : open_) verdicts.Add(period.measured, target);
  return verdicts;
}

}  // namespace fairlead
