#include "fairlead/fairness/agreement_history.h"

#include <algorithm>
#include <string_view>

#include "fairlead/base/check.h"
#include "fairlead/fairness/ledger.h"

namespace fairlead {

std::int64_t OutcomeCounts::ended() const {
  std::int64_t sum = 0;
  for (std::int64_t count : by_outcome) sum += count;
  return sum;
}

double OutcomeCounts::HitRateOr(double without_outcomes) const {
  const std::int64_t all = ended();
  return all == 0 ? without_outcomes : static_cast<double>(hits()) / static_cast<double>(all);
}

OutcomeCounts& OutcomeCounts::operator+=(const OutcomeCounts& other) {
  for (std::size_t i = 0; i < by_outcome.size(); ++i) by_outcome[i] += other.by_outcome[i];
  return *this;
}

OutcomeCounts& OutcomeCounts::operator-=(const OutcomeCounts& other) {
  for (std::size_t i = 0; i < by_outcome.size(); ++i) by_outcome[i] -= other.by_outcome[i];
  return *this;
}

namespace {

bool Exceeds(const OutcomeCounts& part, const OutcomeCounts& whole) {
  return !std::ranges::equal(part.by_outcome, whole.by_outcome, std::ranges::less_equal{});
}

bool AreOutcomes(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c == AgreementHistory::kHit || c == AgreementHistory::kFailure; });
}

std::string WhatIsWrongWithWindows(const AgreementHistory& history) {
  if (!AreOutcomes(history.watched) || !AreOutcomes(history.ended))
    return "'watched' and 'ended' have other letters than h and f";
  const auto window = static_cast<std::size_t>(FairnessLedger::Watched(history.window));
  if (history.watched.size() > window) return "'watched' is longer than the window";
  if (history.ended.size() > static_cast<std::size_t>(history.window))
    return "'ended' is longer than the window";
  const bool full = history.watched.size() == window;
  const auto failures = std::ranges::count(history.watched, AgreementHistory::kFailure);
  if (full ? history.most_failures < failures : history.most_failures >= 0)
    return "'most_failures' does not fit 'watched'";
  if (history.most_failures > static_cast<int>(window)) return "'most_failures' exceeds the window";
  return {};
}

}  // namespace

std::string WhatIsWrong(const AgreementHistory& history) {
  if (std::string wrong = WhatIsWrongWithWindows(history); !wrong.empty()) return wrong;
  if (Exceeds(history.measured, history.lifetime)) return "'measured' exceeds 'lifetime'";
  if (history.period.has_value()) {
    const AgreementHistory::Period& period = *history.period;
    const bool sliding = period.kind == PeriodKind::kSliding;
    if (period.length < (sliding ? kShortestSliding : Duration{1}))
      return "a period without length";
    if (period.before.size() > (sliding ? kSlices - 1 : 0)) return "a period of too many slices";
    OutcomeCounts ended = period.current.ended;
    bool exceeds = Exceeds(period.current.measured, period.current.ended);
    for (const PeriodCounts& slice : period.before) {
      ended += slice.ended;
      exceeds = exceeds || Exceeds(slice.measured, slice.ended);
    }
    if (Exceeds(ended, history.lifetime)) return "the period's 'ended' exceeds 'lifetime'";
    if (exceeds) return "the period's 'measured' exceeds its 'ended'";
    if (period.judged.kept > period.judged.periods) return "more periods kept than judged";
  }
  if (history.bucket.has_value()) {
    const AgreementHistory::Bucket& bucket = *history.bucket;
    const bool fits = bucket.tokens < bucket.contract.burst ||
                      (bucket.tokens == bucket.contract.burst && bucket.parts == 0);
    if (!fits) return "more in the bucket than the contract's burst";
  }
  return {};
}

namespace {

// The first multiple of a length after an instant.
Instant NextBoundary(Instant now, Duration length) {
  return now - now.time_since_epoch() % length + length;
}

int SlicesOf(PeriodKind kind) { return kind == PeriodKind::kSliding ? kSlices : 1; }

Duration SliceOf(const PromisePeriods::Promise& promise) {
  return promise.length / SlicesOf(promise.kind) +
         Duration{promise.length % SlicesOf(promise.kind) > Duration::zero() ? 1 : 0};
}

}  // namespace

void PeriodVerdicts::Add(const OutcomeCounts& measured, double target) {
  if (measured.ended() == 0) return;
  const double rate = measured.HitRateOr(target);
  ++periods;
  if (rate >= target) ++kept;
  worst = std::min(worst, rate);
}

PromisePeriods::PromisePeriods(Promise promise, Instant now, std::uint64_t next_request)
    : in_period_(static_cast<std::size_t>(SlicesOf(promise.kind))),
      slice_(SliceOf(promise)),
      end_(NextBoundary(now, slice_)),
      next_request_(next_request) {
  CHECK(promise.length > Duration::zero());
  BeginSlice();
}

void PromisePeriods::Continue(std::span<const PeriodCounts> slices, const PeriodVerdicts& judged) {
  CHECK(slices_.size() == 1 && slices_.back().arrived == 0);
  CHECK(!slices.empty() && slices.size() <= in_period_);
  slices_.clear();
  for (const PeriodCounts& counts : slices) {
    BeginSlice();
    slices_.back().arrived = counts.ended.ended();
    slices_.back().counts = counts;
    current_ += counts.ended;
  }
  not_judged_ = slices_.size() - 1;
  judged_ = judged;
}

void PromisePeriods::BeginSlice() { slices_.push_back({.first = next_request_}); }

// After as many empty slices as a period has, all further periods are empty.
void PromisePeriods::Advance(Instant now, double target) {
  if (now < end_) return;
  const auto steps = static_cast<std::uint64_t>((now - end_) / slice_) + 1;
  end_ = NextBoundary(now, slice_);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(steps, in_period_); ++i) {
    const std::size_t leaves = FirstOfCurrent();
    BeginSlice();
    if (FirstOfCurrent() > leaves) current_ -= slices_[leaves].counts.ended;
  }
  JudgeWhatIsDone(target);
}

void PromisePeriods::Record(std::uint64_t request, Outcome outcome, bool measured, double target) {
  auto slice = slices_.rbegin();
  while (slice != slices_.rend() && slice->first > request) ++slice;
  if (slice == slices_.rend()) return;  // from before there were periods
  const auto which = static_cast<std::size_t>(outcome);
  ++slice->counts.ended.by_outcome[which];
  if (measured) ++slice->counts.measured.by_outcome[which];
  if (slice - slices_.rbegin() < static_cast<std::ptrdiff_t>(in_period_))
    ++current_.by_outcome[which];
  JudgeWhatIsDone(target);
}

void PromisePeriods::JudgeWhatIsDone(double target) {
  while (not_judged_ + 1 < slices_.size() &&
         slices_[not_judged_].counts.ended.ended() == slices_[not_judged_].arrived) {
    if (IsWhole(not_judged_)) judged_.Add(MeasuredUpTo(not_judged_), target);
    ++not_judged_;
  }
  const std::size_t needed =
      std::min(FirstOfCurrent(), not_judged_ + 1 > in_period_ ? not_judged_ + 1 - in_period_ : 0);
  slices_.erase(slices_.begin(), slices_.begin() + static_cast<std::ptrdiff_t>(needed));
  gone_ += needed;
  not_judged_ -= needed;
}

// Of the period that ends with this slice.
OutcomeCounts PromisePeriods::MeasuredUpTo(std::size_t last) const {
  OutcomeCounts sum;
  for (std::size_t i = last + 1 > in_period_ ? last + 1 - in_period_ : 0; i <= last; ++i)
    sum += slices_[i].counts.measured;
  return sum;
}

std::vector<PeriodCounts> PromisePeriods::Slices() const {
  std::vector<PeriodCounts> slices;
  for (std::size_t i = FirstOfCurrent(); i < slices_.size(); ++i)
    slices.push_back(slices_[i].counts);
  return slices;
}

PeriodVerdicts PromisePeriods::Verdicts(double target) const {
  PeriodVerdicts verdicts = judged_;
  for (std::size_t last = not_judged_; last < slices_.size(); ++last) {
    if (IsWhole(last) || last + 1 == slices_.size()) verdicts.Add(MeasuredUpTo(last), target);
  }
  return verdicts;
}

}  // namespace fairlead
