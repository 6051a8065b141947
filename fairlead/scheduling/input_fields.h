// What an input consists of, described once: its word in a recording, its fields in order, and what
// each of them may be. Whoever writes, reads or checks inputs walks over this description, so that
// none of them can know another input than the others.
//
// A walker has a method for each type of field (recording/field_writer.h, recording/field_reader.h,
// and the one of input_check.cc); a field that it changes must be handed to it as it is, not as a
// copy. `what` names the field in complaints.
//
//   Whole(what, number)              any whole number of its type
//   Whole(what, number, low, high)
//   Known(what, id)                  of something that exists
//   Time(what, duration, longest)    from nothing to the longest
//   Past(what, instant)              between the beginning and now
//   Assignment(assignment)           any that ever was: reports may come late
//   Text(what, string)
//   Choice(what, value, names)       an enumeration, by the names of its values
//   Object(object)                   with an ObjectFields of its own
//
// An object's fields have keys instead, and there are more types. Skips(key, nothing) says whether
// a key is missing, or to be left out because the field says nothing.
//
//   Number(key, number, low, high)
//   Number(key, optional, low, high)
//   SomeTime(key, optional, longest) more than nothing; its key is missing where there is none
//   SomeChoice(key, enum, names)     its key is missing where it is the first
//   SomeObjects(key, vector, most)   its key is missing where there are none
//   Inside(key, object)
//   Part(key, optional)              an object inside; its key is missing where there is none
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "fairlead/base/time.h"
#include "fairlead/domain/agreement_terms.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/fairness/token_bucket.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

// What the history of an agreement consists of, for the walkers of input_fields.h.
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

// Not defined: an input without a description does not compile.
template <typename InputType>
struct InputFields;
template <typename ObjectType>
struct ObjectFields;

template <>
struct InputFields<Arrival> {
  static constexpr std::string_view kWord = "a";
  static void Walk(auto& walker, auto& arrival) {
    walker.Whole("a request", arrival.request.number);
    walker.Known("an agreement", arrival.request.agreement);
    walker.Past("its arrival", arrival.request.arrival);
    walker.Time("its deadline", arrival.request.deadline, kLongestDuration);
    walker.Whole("its priority", arrival.request.priority);
  }
};

template <>
struct InputFields<Cancellation> {
  static constexpr std::string_view kWord = "cancel";
  static void Walk(auto& walker, auto& cancellation) {
    walker.Known("a job", cancellation.job.id);
    walker.Whole("its serial", cancellation.job.serial);
  }
};

template <>
struct InputFields<Expiry> {
  static constexpr std::string_view kWord = "expire";
  static void Walk(auto& /*walker*/, auto& /*expiry*/) {}
};

template <>
struct InputFields<SegmentFinish> {
  static constexpr std::string_view kWord = "f";
  static void Walk(auto& walker, auto& finish) { walker.Assignment(finish.assignment); }
};

template <>
struct InputFields<SegmentFailure> {
  static constexpr std::string_view kWord = "fail";
  static void Walk(auto& walker, auto& failure) { walker.Assignment(failure.assignment); }
};

template <>
struct InputFields<AcceleratorLoss> {
  static constexpr std::string_view kWord = "lose";
  static void Walk(auto& walker, auto& loss) { walker.Known("an accelerator", loss.accelerator); }
};

template <>
struct InputFields<AcceleratorReturn> {
  static constexpr std::string_view kWord = "return";
  static void Walk(auto& walker, auto& back) { walker.Known("an accelerator", back.accelerator); }
};

template <>
struct InputFields<TenantJoin> {
  static constexpr std::string_view kWord = "join";
  static void Walk(auto& walker, auto& join) { walker.Object(join.tenant); }
};

template <>
struct InputFields<TenantLeave> {
  static constexpr std::string_view kWord = "leave";
  static void Walk(auto& walker, auto& leave) { walker.Known("a tenant", leave.tenant); }
};

template <>
struct InputFields<AgreementStart> {
  static constexpr std::string_view kWord = "agree";
  static void Walk(auto& walker, auto& start) { walker.Object(start.agreement); }
};

template <>
struct InputFields<AgreementChange> {
  static constexpr std::string_view kWord = "change";
  static void Walk(auto& walker, auto& change) {
    walker.Known("an agreement", change.id);
    walker.Object(change.agreement);
  }
};

template <>
struct InputFields<AgreementEnd> {
  static constexpr std::string_view kWord = "close";
  static void Walk(auto& walker, auto& end) { walker.Known("an agreement", end.id); }
};

template <>
struct InputFields<AgreementContinue> {
  static constexpr std::string_view kWord = "continue";
  static void Walk(auto& walker, auto& going_on) {
    walker.Known("an agreement", going_on.id);
    walker.Object(going_on.history);
  }
};

template <>
struct InputFields<NetworkUnload> {
  static constexpr std::string_view kWord = "unload";
  static void Walk(auto& walker, auto& unload) { walker.Known("a network", unload.network); }
};

template <>
struct InputFields<NetworkLoad> {
  static constexpr std::string_view kWord = "load";
  static void Walk(auto& walker, auto& load) { walker.Known("a network", load.network); }
};

template <>
struct InputFields<NetworkAdd> {
  static constexpr std::string_view kWord = "network";
  static void Walk(auto& walker, auto& add) { walker.Object(add.network); }
};

template <>
struct InputFields<BeliefChange> {
  static constexpr std::string_view kWord = "believe";
  static void Walk(auto& walker, auto& change) {
    walker.Known("a network", change.network);
    walker.Whole("a segment", change.segment.value);
    walker.Whole("a kind", change.kind.value);
    walker.Whole("its units", change.units);
    walker.Whole("its batch", change.batch);
    walker.Time("its latency", change.latency, kLongestDuration);
  }
};

template <>
struct InputFields<PolicyChange> {
  static constexpr std::string_view kWord = "policy";
  static void Walk(auto& walker, auto& change) { walker.Text("a policy", change.policy); }
};

template <>
struct InputFields<GuardRules> {
  static constexpr std::string_view kWord = "guard";
  static void Walk(auto& walker, auto& rules) { walker.Object(rules.options); }
};

template <>
struct InputFields<GuardStrike> {
  static constexpr std::string_view kWord = "strike";
  static void Walk(auto& walker, auto& strike) {
    walker.Choice("a cause", strike.cause, kStrikeNames);
  }
};

template <>
struct InputFields<GuardFallback> {
  static constexpr std::string_view kWord = "fallback";
  static void Walk(auto& walker, auto& fallback) { walker.Text("a policy", fallback.policy); }
};

template <>
struct InputFields<GuardReturn> {
  static constexpr std::string_view kWord = "back";
  static void Walk(auto& walker, auto& back) { walker.Text("a policy", back.policy); }
};

template <>
struct InputFields<Reservation> {
  static constexpr std::string_view kWord = "reserve";
  static void Walk(auto& walker, auto& reservation) {
    walker.Known("an accelerator", reservation.accelerator);
    walker.Time("its time", reservation.expected, kLongestDuration);
  }
};

template <>
struct InputFields<Release> {
  static constexpr std::string_view kWord = "release";
  static void Walk(auto& walker, auto& release) {
    walker.Known("an accelerator", release.accelerator);
  }
};

template <>
struct ObjectFields<Tenant> {
  static constexpr std::string_view kName = "tenant";
  static void Walk(auto& walker, auto& tenant) {
    walker.Text("name", tenant.name);
    walker.Number("weight", tenant.weight, 0, std::numeric_limits<double>::max());
  }
};

template <>
struct ObjectFields<NewCost> {
  static constexpr std::string_view kName = "cost";
  static void Walk(auto& walker, auto& cost) {
    constexpr std::int64_t kLargest = NewNetwork::kMostBytes;
    walker.Known("kind", cost.kind);
    walker.Whole("units", cost.units, 1, std::numeric_limits<int>::max());
    walker.Whole("batch", cost.batch, 1, NewNetwork::kLargestBatch);
    walker.Time("latency", cost.latency, NewNetwork::kLongest);
    walker.Whole("dram_bytes", cost.dram_bytes, 0, kLargest);
    walker.Whole("energy_pj", cost.energy_pj, 0, kLargest);
  }
};

template <>
struct ObjectFields<NewSegment> {
  static constexpr std::string_view kName = "segment";
  static void Walk(auto& walker, auto& segment) {
    walker.SomeObjects("costs", segment.costs, NewNetwork::kMostCosts);
    walker.Whole("alive_bytes", segment.alive_bytes, 0, NewNetwork::kMostBytes);
  }
};

template <>
struct ObjectFields<NewNetwork> {
  static constexpr std::string_view kName = "network";
  static void Walk(auto& walker, auto& network) {
    walker.Text("name", network.name);
    walker.SomeObjects("segments", network.segments, NewNetwork::kMostSegments);
  }
};

static_assert(kLongestWindow == FairnessLedger::kLongestWindow);
template <>
struct ObjectFields<ServiceAgreement> {
  static constexpr std::string_view kName = "agreement";
  static void Walk(auto& walker, auto& agreement) {
    walker.Known("tenant", agreement.tenant);
    walker.Known("network", agreement.network);
    ForEachTerm([&](const auto& term) { WalkTerm(walker, term, agreement); });
  }

 private:
  static bool Skips(auto& walker, const auto& term, const ServiceAgreement& agreement) {
    return !term.always_written && walker.Skips(term.key, term.SaysNothing(agreement));
  }
  static void WalkTerm(auto& walker, const AgreementTerm<Duration>& term, auto& agreement) {
    if (Skips(walker, term, agreement)) return;
    walker.Time(term.key, agreement.*term.member, kLongestDuration);
  }
  static void WalkTerm(auto& walker, const AgreementTerm<std::optional<double>>& term,
                       auto& agreement) {
    if (Skips(walker, term, agreement)) return;
    walker.Number(term.key, agreement.*term.member, 0, 1);
  }
  static void WalkTerm(auto& walker, const AgreementTerm<int>& term, auto& agreement) {
    if (Skips(walker, term, agreement)) return;
    walker.Whole(term.key, agreement.*term.member, 0, term.most);
  }
  static void WalkTerm(auto& walker, const AgreementTerm<double>& term, auto& agreement) {
    if (Skips(walker, term, agreement)) return;
    const double most = term.is_share ? term.most : std::numeric_limits<double>::max();
    walker.Number(term.key, agreement.*term.member, term.is_share ? 0 : -most, most);
  }
  static void WalkTerm(auto& walker, const PeriodTerm& term, auto& agreement) {
    walker.SomeTime(term.key, agreement.period, kLongestDuration);
    walker.SomeChoice("period_kind", agreement.period_kind, kPeriodKindNames);
  }
  static void WalkTerm(auto& walker, const AgreementTerm<std::optional<Contract>>& term,
                       auto& agreement) {
    walker.Part(term.key, agreement.*term.member);
  }
};

template <>
struct ObjectFields<GuardOptions> {
  static constexpr std::string_view kName = "guard";
  static void Walk(auto& walker, auto& guard) {
    walker.Text("policy", guard.fallback);
    walker.Time("decision", guard.decision, GuardOptions::kLongestTime);
    walker.Time("idle", guard.idle, GuardOptions::kLongestTime);
    walker.Whole("strikes", guard.strikes, 1, GuardOptions::kMostStrikes);
    walker.Time("within", guard.within, GuardOptions::kLongestTime);
    walker.SomeTime("back", guard.back, GuardOptions::kLongestTime);
    walker.Choice("clock", guard.clock, kDecisionClockNames);
  }
};

template <>
struct ObjectFields<Contract> {
  static constexpr std::string_view kName = "contract";
  static void Walk(auto& walker, auto& contract) {
    walker.Whole("per_million_seconds", contract.rate, 1, Contract::kFastest);
    walker.Whole("burst", contract.burst, 1, Contract::kLargestBurst);
    walker.Choice("over", contract.over, kOverNames);
  }
};

}  // namespace fairlead
