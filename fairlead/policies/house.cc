#include "fairlead/policies/house.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "fairlead/policies/deficit.h"
#include "fairlead/policies/entitlement.h"

namespace fairlead {
namespace {

constexpr double kStepsOfClaim = 1000;
constexpr double kCommitment = 4;    // outcomes, for a job that is nearly done
constexpr double kSlackToSpare = 1;  // of the believed rest, on top of it
constexpr double kMargin = 0.005;    // above the target, until a promise is not behind
constexpr double kReserve = 0.05;    // above the target, until best effort goes first
constexpr int kMissesToSpare = 2;    // of a window promise that is not behind
constexpr double kPatience = 40;     // requests, before a promise may be given up

enum class Class : std::int32_t { kBehind, kClose, kLost, kBestEffort, kKept };

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

// The share of hits that is promised; a window promise is one too.
double TargetOf(const ServiceAgreement& promise) {
  if (promise.target.has_value() || promise.window == 0) return promise.TargetRate();
  return 1 - static_cast<double>(promise.max_misses) / promise.window;
}

bool IsPromised(const ServiceAgreement& promise) {
  return promise.target.has_value() || promise.window > 0;
}

// Even if all that may still come were hits: in this period as many as its time allows, without
// one as many as there were.
bool IsLost(const ServiceAgreement& promise, const OutcomeCounts& counts, Instant now) {
  double growth = 1;
  if (promise.period.has_value()) {
    const Duration elapsed = (now - Instant{}) % *promise.period;
    growth = Seconds(*promise.period - elapsed) / std::max(Seconds(elapsed), 1e-9);
  }
  const double more = growth * (static_cast<double>(counts.ended()) + kPatience);
  return static_cast<double>(counts.hits()) + more <
         TargetOf(promise) * (static_cast<double>(counts.ended()) + more);
}

class HouseRule final : public ScoringRule {
 public:
  explicit HouseRule(Triage triage) : triage_(triage) {}

  void Observe(const SystemView& view, const Event& event) override {
    entitlement_.Observe(view, event);
  }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    entitlement_.Refresh(view);
    if (ordered_ != entitlement_.version() || view.now() >= next_turn_) PutInOrder(view);
    records_.assign(view.ledger().size(), {});
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const Duration rest = view.costs().ShortestTail(job.network, segment.segment);
      segment.score = SlackOf(view, job, segment.segment);
      segment.rank = Rank(view, job);
      if (segment.score < kSlackToSpare * static_cast<double>(Nanoseconds(rest)))
        segment.rank += kUnlikely;
      if (entitlement_.Exceeded(segment.job, job.serial)) segment.rank += kExceeding;
    }
  }

 private:
  // What the ledger says of an agreement: asked once per decision.
  struct Record {
    double outcomes = 0;  // and one more; 0: not asked yet
    double claim = 0;
    Class in = Class::kBehind;
  };
  // Where an agreement stands in the order of triage.
  struct Place {
    std::int32_t own = 0;
    std::int32_t equals = 0;  // before all whose breach costs the same
  };

  std::int32_t Rank(const SystemView& view, const Job& job) {
    Record& record = records_[job.agreement.index()];
    if (record.outcomes == 0) record = Look(view, job.agreement);
    const double done = 1 - static_cast<double>(Nanoseconds(job.work_left)) /
                                Divisor(view.costs().FastestTotal(job.network));
    if (triage_ == Triage::kOrdered && record.in <= Class::kLost) {
      const Place& place = places_[job.agreement.index()];
      if (!job.started()) return RankOf(record.in, place.own);
      return record.in == Class::kLost ? RankOf(record.in, place.equals) : place.equals;
    }
    return RankOf(record.in, PlaceOf(record.claim + kCommitment * done / record.outcomes));
  }

  Record Look(const SystemView& view, AgreementId id) const {
    const FairnessLedger& ledger = view.ledger();
    const ServiceAgreement& promise = ledger.Promise(id);
    const OutcomeCounts& counts = ledger.Current(id);
    const double target = TargetOf(promise);
    const double share = counts.HitRateOr(target);
    Record record{.outcomes = 1 + static_cast<double>(counts.ended()), .claim = target - share};
    if (!IsPromised(promise)) {
      record.claim = 1 - share / view.tenants()[promise.tenant.index()].weight;
      record.in = Class::kBestEffort;
    } else if (triage_ == Triage::kOrdered && IsLost(promise, counts, view.now())) {
      record.in = Class::kLost;
    } else if (share >= target + kMargin && ledger.MissesLeft(id) > kMissesToSpare) {
      record.in = share < std::min(target + kReserve, 1.0) ? Class::kClose : Class::kKept;
    }
    return record;
  }

  void PutInOrder(const SystemView& view) {
    ordered_ = entitlement_.version();
    next_turn_ = kNever;
    const std::size_t size = view.ledger().size();
    keys_.clear();
    for (std::size_t i = 0; i < size; ++i) {
      const ServiceAgreement& promise = view.ledger().Promise(AgreementId{i});
      const double cost = entitlement_.CostOf(promise.network);
      std::size_t turn = i;
      if (promise.period.has_value()) {
        const std::int64_t periods = (view.now() - Instant{}) / *promise.period;
        turn = (i + static_cast<std::size_t>(periods)) % size;
        next_turn_ = std::min(next_turn_, Instant{} + (periods + 1) * *promise.period);
      }
      keys_.push_back({.stake = promise.penalty / std::max(cost, 1e-12),
                       .cost = cost,
                       .target = TargetOf(promise),
                       .weight = view.tenants()[promise.tenant.index()].weight,
                       .turn = turn,
                       .agreement = i});
    }
    std::sort(keys_.begin(), keys_.end());
    places_.resize(size);
    std::int32_t equals = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto place = static_cast<std::int32_t>(i);
      if (i > 0 && !keys_[i].CostsTheSame(keys_[i - 1])) equals = 2 * place;
      places_[keys_[i].agreement] = {.own = 2 * place + 1, .equals = equals};
    }
  }

  struct Key {
    double stake;  // of a request, per machine time
    double cost;
    double target;
    double weight;
    std::size_t turn;
    std::size_t agreement;
    bool CostsTheSame(const Key& other) const { return stake == other.stake && cost == other.cost; }
    friend bool operator<(const Key& a, const Key& b) {
      return std::tuple(-a.stake, a.cost, a.target, -a.weight, a.turn, a.agreement) <
             std::tuple(-b.stake, b.cost, b.target, -b.weight, b.turn, b.agreement);
    }
  };

  Triage triage_;
  Entitlement entitlement_;
  std::uint64_t ordered_ = 0;    // the version of costs that the order is of
  Instant next_turn_ = kNever;   // when a period begins
  std::vector<Key> keys_;        // scratch
  std::vector<Place> places_;    // per agreement
  std::vector<Record> records_;  // per agreement, in this decision
};

}  // namespace

std::unique_ptr<ScoringRule> MakeHouseRule(Triage triage) {
  return std::make_unique<HouseRule>(triage);
}

}  // namespace fairlead
