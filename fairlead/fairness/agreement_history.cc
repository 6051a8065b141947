#include "fairlead/fairness/agreement_history.h"

#include <algorithm>
#include <string_view>

#include "fairlead/fairness/ledger.h"

namespace fairlead {
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

}  // namespace fairlead
