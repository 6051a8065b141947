// What the history of an agreement consists of, for the walkers of input_fields.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "fairlead/base/time.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/fairness/token_bucket.h"

namespace fairlead {

template <typename ObjectType>
struct ObjectFields;

// So that sums of counts stay far from the end of 64 bits.
inline constexpr std::int64_t kMostRequestsCounted = std::int64_t{1} << 53;

template <>
struct ObjectFields<OutcomeCounts> {
  static void Walk(auto& walker, auto& counts) {
    for (int outcome = 0; outcome < kOutcomes; ++outcome) {
      walker.Whole(ToString(static_cast<Outcome>(outcome)),
                   counts.by_outcome[static_cast<std::size_t>(outcome)], 0, kMostRequestsCounted);
    }
  }
};

template <>
struct ObjectFields<PeriodVerdicts> {
  static void Walk(auto& walker, auto& verdicts) {
    walker.Whole("periods", verdicts.periods, 0, kMostRequestsCounted);
    walker.Whole("kept", verdicts.kept, 0, kMostRequestsCounted);
    walker.Number("worst", verdicts.worst, 0, 1);
  }
};

template <>
struct ObjectFields<PeriodCounts> {
  static void Walk(auto& walker, auto& counts) {
    walker.Inside("ended", counts.ended);
    walker.Inside("measured", counts.measured);
  }
};

template <>
struct ObjectFields<AgreementHistory::Period> {
  static void Walk(auto& walker, auto& period) {
    walker.Time("length", period.length, kLongestDuration);
    walker.SomeChoice("kind", period.kind, kPeriodKindNames);
    ObjectFields<PeriodCounts>::Walk(walker, period.current);
    walker.SomeObjects("before", period.before, kSlices - 1);
    walker.Inside("judged", period.judged);
  }
};

template <>
struct ObjectFields<AgreementHistory::Bucket> {
  static void Walk(auto& walker, auto& bucket) {
    walker.Inside("contract", bucket.contract);
    walker.Whole("tokens", bucket.tokens, 0, Contract::kLargestBurst);
    walker.Whole("parts", bucket.parts, 0, TokenBucket::kPartsPerToken - 1);
  }
};

template <>
struct ObjectFields<AgreementHistory> {
  static constexpr std::string_view kName = "history";
  static void Walk(auto& walker, auto& history) {
    constexpr int kLongest = FairnessLedger::kLongestWindow;
    walker.Time("time", history.time, kLongestDuration / 2);
    walker.Inside("lifetime", history.lifetime);
    walker.Inside("measured", history.measured);
    walker.Inside("uncovered", history.uncovered);
    walker.Whole("window", history.window, 0, kLongest);
    walker.Whole("max_misses", history.max_misses, 0, kLongest);
    walker.Text("watched", history.watched);
    walker.Text("ended", history.ended);
    walker.Whole("most_failures", history.most_failures, -1, kLongest);
    walker.Whole("violations", history.violations, 0, kMostRequestsCounted);
    walker.Number("worst_before", history.worst_before, 0, 2);
    walker.Part("period", history.period);
    walker.Part("bucket", history.bucket);
  }
};

}  // namespace fairlead
