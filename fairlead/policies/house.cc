#include "fairlead/policies/house.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "fairlead/domain/promised_share.h"
#include "fairlead/policies/entitlement.h"
#include "fairlead/policies/floor_credits.h"
#include "fairlead/policies/sacrifice.h"

namespace fairlead {
namespace {

constexpr double kStepsOfClaim = 100;
constexpr double kCommitment = 10;         // outcomes, for a job that is nearly done
constexpr double kPressure = 0.05;         // the share of failures from which that counts in full
constexpr double kForgetting = 1.0 / 256;  // of that share, with each outcome
constexpr double kSlackToSpare = 1;        // of the believed rest, on top of it
constexpr double kMargin = 0.005;          // above the target, until a promise is not behind
constexpr double kReserve = 0.03;          // above the target, until others go first
constexpr int kMissesToSpare = 2;          // of a window promise that is not behind

enum class Class : std::int32_t {
  kOwed,
  kBehind,
  kClose,
  kGivenUp,
  kRest  // best effort, and promises that are safe
};

// How ranks are put together: classes and, within them, places or claims.
constexpr std::int32_t kClassWidth = 1 << 26;
constexpr std::int32_t kMostSteps = kClassWidth / 2 - 1;
constexpr std::int32_t kUnlikely = 1 << 29;
constexpr std::int32_t kExceeding = 1 << 30;

std::int32_t RankOf(Class in, std::int32_t place) {
  return static_cast<std::int32_t>(in) * kClassWidth + place;
}

std::int32_t PlaceOf(double claim) {
  const double steps = std::clamp<double>(kStepsOfClaim * claim, -kMostSteps, kMostSteps);
  return kClassWidth / 2 - static_cast<std::int32_t>(std::lround(steps));
}

class HouseRule final : public ScoringRule {
 public:
  explicit HouseRule(Triage triage) : triage_(triage) {}

  void Observe(const SystemView& view, const Event& event) override {
    entitlement_.Observe(view, event);
    // Not at every event: many agreements may change at once.
    if (event.kind == EventKind::kSegmentStarted || event.kind == EventKind::kJobFinished)
      entitlement_.Refresh(view);
    floors_.Observe(view, event, entitlement_);
    if (triage_ == Triage::kOrdered) sacrifice_.Observe(view, event);
    if (event.kind == EventKind::kJobFinished)
      failing_ += kForgetting * ((event.outcome == Outcome::kHit ? 0 : 1) - failing_);
  }

  void Begin(const SystemView& view, SchedulingPlan& plan) override {
    entitlement_.Refresh(view);
    if (triage_ == Triage::kOrdered) sacrifice_.Decide(view, entitlement_, plan);
  }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    ++decision_;
    records_.resize(view.ledger().size());
    const double commitment = kCommitment * std::min(1.0, failing_ / kPressure);
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const double rest = RestOf(view, segment);
      const Record& record = RecordOf(view, job.agreement);
      segment.score = static_cast<double>(Nanoseconds(job.deadline - view.now())) - rest;
      segment.rank = Rank(view, segment.job, record, commitment);
      if (segment.score < (record.by_distance ? 0 : Spare(view, job.network, rest)))
        segment.rank += kUnlikely;
      if (record.by_distance) segment.score += rest;
      if (IsBeyond(view, segment.job)) segment.rank += kExceeding;
    }
  }

  bool Exceeds(const SystemView& view, JobId id) const override {
    return !view.job(id).covered || IsBeyond(view, id);
  }

 private:
  // What the ledger says of an agreement: asked once per decision.
  struct Record {
    std::uint64_t decision = 0;  // in which it was asked
    double outcomes = 1;         // and one more
    double claim = 0;
    std::int32_t fresh = 0;  // the rank of a job that has not begun
    Class in = Class::kBehind;
    bool has_floor = false;
    bool by_distance = false;  // of a window to its breach, not by a share
  };

  // The entitlement, and not owed as a floor.
  bool IsBeyond(const SystemView& view, JobId id) const {
    return entitlement_.Exceeded(id, view.job(id).serial) && !floors_.Owed(view, id, entitlement_);
  }

  const Record& RecordOf(const SystemView& view, AgreementId id) {
    Record& record = records_[id.index()];
    if (record.decision != decision_) record = Look(view, id);
    return record;
  }

  static double RestOf(const SystemView& view, const ScoredSegment& segment) {
    return static_cast<double>(
        Nanoseconds(view.costs().ShortestTail(view.job(segment.job).network, segment.segment)));
  }

  // Slack beyond the rest, for what is not foreseen: slowdown that is in the rest was foreseen.
  static double Spare(const SystemView& view, NetworkId network, double rest) {
    const double alone = rest / view.UsualSlowdown(network);
    return kSlackToSpare * alone - std::min(rest - alone, kSlackToSpare * alone);
  }

  static double DoneOf(const SystemView& view, const Job& job) {
    return 1 - static_cast<double>(Nanoseconds(job.work_left)) /
                   Divisor(view.costs().FastestTotal(job.network));
  }

  std::int32_t Rank(const SystemView& view, JobId id, const Record& record,
                    double commitment) const {
    const Job& job = view.job(id);
    if (record.has_floor && floors_.Owed(view, id, entitlement_))
      return RankOf(Class::kOwed, PlaceOf(record.claim));
    if (record.by_distance) return record.fresh;
    if (record.in == Class::kGivenUp)
      return job.started() ? RankOf(record.in, sacrifice_.PlaceOf(job.agreement).equals)
                           : record.fresh;
    const double started = job.started() ? commitment * DoneOf(view, job) / record.outcomes : 0;
    if (started == 0) return record.fresh;
    return RankOf(record.in, PlaceOf(record.claim + started));
  }

  Record Look(const SystemView& view, AgreementId id) const {
    const FairnessLedger& ledger = view.ledger();
    const ServiceAgreement& promise = ledger.Promise(id);
    const OutcomeCounts& counts = ledger.Current(id);
    const double target = promise.IsPromised() ? PromisedShare(promise) : 1;
    const double share = counts.HitRateOr(target);
    Record record{.decision = decision_,
                  .outcomes = 1 + static_cast<double>(counts.ended()),
                  .claim = target - share};
    if (view.Sacrificed(id)) {
      record.in = Class::kGivenUp;
    } else {
      record.in = ClassOf(promise, share, target, ledger.MissesLeft(id));
      if (record.in == Class::kRest) {
        record.claim = 1 - share / view.tenants()[promise.tenant.index()].weight;
        record.has_floor = promise.floor > 0;
      } else if (promise.window > 0) {
        // Before what a share can claim.
        record.by_distance = !promise.target.has_value() || ledger.MissesLeft(id) <= kMissesToSpare;
        if (record.by_distance) record.claim = promise.max_misses + 2 - ledger.MissesLeft(id);
      }
    }
    record.fresh = RankOf(record.in, record.in == Class::kGivenUp ? sacrifice_.PlaceOf(id).own
                                                                  : PlaceOf(record.claim));
    return record;
  }

  static Class ClassOf(const ServiceAgreement& promise, double share, double target,
                       int misses_left) {
    if (!promise.IsPromised()) return Class::kRest;
    if (misses_left <= kMissesToSpare) return Class::kBehind;
    if (promise.window > 0 && !promise.target.has_value())
      return misses_left <= promise.max_misses ? Class::kClose : Class::kRest;
    if (share >= std::min(target + kReserve, 1.0)) return Class::kRest;
    return share >= target + kMargin ? Class::kClose : Class::kBehind;
  }

  Triage triage_;
  Entitlement entitlement_;
  Sacrifice sacrifice_;
  FloorCredits floors_;
  double failing_ = 0;  // the share of requests that failed lately
  std::uint64_t decision_ = 0;
  std::vector<Record> records_;  // per agreement
};

}  // namespace

std::unique_ptr<ScoringRule> MakeHouseRule(Triage triage) {
  return std::make_unique<HouseRule>(triage);
}

}  // namespace fairlead
