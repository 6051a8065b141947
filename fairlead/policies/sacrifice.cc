#include "fairlead/policies/sacrifice.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "fairlead/domain/tenant.h"

namespace fairlead {
namespace {

constexpr double kOutcomesEach = 4;    // between judgements
constexpr double kPartOfAll = 0.125;   // of all outcomes, between judgements
constexpr double kAim = 0.01;          // above the target: who ends just short of it has nothing
constexpr double kRecovery = 0.3;      // of what is lacking, in as much time again
constexpr double kEnoughToFree = 0.5;  // of what the next one takes: then it is given up
constexpr double kEnoughToTake = 0.5;  // of what it needs: then it is taken up again
constexpr double kSurely = 2;          // deviations below the targets: then one is given up anyhow
constexpr int kPinned = 4;             // judgements in a row that find a network below: likewise
constexpr double kPatience = 100;      // requests, before a promise may be lost

double Aim(double target) { return std::min(target + kAim, 1.0); }

// Even if all that may still come were hits: in this period as many as its time allows, without
// one as many as there were. A sliding period leaves behind by itself what failed.
bool IsLost(const SystemView& view, const ServiceAgreement& promise, const OutcomeCounts& counts) {
  double growth = 1;
  if (promise.period.has_value()) {
    if (promise.period_kind == PeriodKind::kSliding) return false;
    const Duration elapsed = (view.now() - Instant{}) % *promise.period;
    growth = Seconds(*promise.period - elapsed) / std::max(Seconds(elapsed), 1e-9);
  }
  const double more = growth * (static_cast<double>(counts.ended()) + kPatience);
  return static_cast<double>(counts.hits()) + more <
         PromisedShare(promise) * (static_cast<double>(counts.ended()) + more);
}

}  // namespace

bool Sacrifice::Key::operator<(const Key& other) const {
  const auto all = [](const Key& key) {
    return std::tuple(!key.promised, -key.stake, key.floods, key.cost, key.target, -key.weight,
                      key.agreement);
  };
  return all(*this) < all(other);
}

void Sacrifice::Observe(const SystemView& view, const Event& event) {
  if (event.kind != EventKind::kJobFinished) return;
  const Job& job = view.job(event.job);
  if (!job.covered || job.arrival < since_ || job.agreement.index() >= places_.size()) return;
  const double cost = costs_[job.agreement.index()];
  if (cost == 0) return;
  const double target = PromisedShare(view.ledger().Promise(job.agreement));
  Tally& tally = view.Sacrificed(job.agreement) ? given_up_ : kept_up_;
  tally.ended += 1;
  tally.lacking += cost * (Aim(target) - (event.outcome == Outcome::kHit ? 1 : 0));
}

void Sacrifice::Decide(const SystemView& view, const Entitlement& entitlement,
                       SchedulingPlan& plan) {
  const bool turn = ordered_ != entitlement.version() || view.now() >= next_turn_;
  if (turn) PutInOrder(view, entitlement);
  const bool due = promises_ > 0 && kept_up_.ended + given_up_.ended >= due_;
  if (due) Judge(view);
  if (turn || due) Declare(view, plan);
}

Sacrifice::Standing Sacrifice::StandingOf(const SystemView& view, const Key& key) {
  const AgreementId id{key.agreement};
  const OutcomeCounts& counts = view.ledger().Current(id);
  const auto ended = static_cast<double>(counts.ended());
  const double below = key.target * ended - static_cast<double>(counts.hits());
  return {.ended = ended,
          .below = below,
          .lacking = below + (Aim(key.target) - key.target) * ended,
          .lost = IsLost(view, view.ledger().Promise(id), counts)};
}

void Sacrifice::Judge(const SystemView& view) {
  double ended = 0;
  double lacking = 0;
  for (OfNetwork& network : networks_) network.below = network.variance = 0;
  for (std::size_t i = 0; i < promises_; ++i) {
    const Key& key = keys_[i];
    const Standing standing = StandingOf(view, key);
    ended += standing.ended;
    if (view.Sacrificed(AgreementId{key.agreement})) continue;
    lacking += key.cost * standing.lacking;
    OfNetwork& network = NetworkOf(view.ledger().Promise(AgreementId{key.agreement}).network);
    network.below += key.cost * standing.below;
    network.variance += key.cost * key.cost * key.target * (1 - key.target) * standing.ended;
  }
  // What happened in all, as if in the time since the last judgement.
  const double part = (kept_up_.ended + given_up_.ended) / std::max(ended, 1.0);
  double missing = kept_up_.lacking + kRecovery * part * lacking;
  // What one network has to spare is of no use to another that stays just below its targets.
  bool pinned = false;
  double below = 0;
  double variance = 0;
  for (OfNetwork& network : networks_) {
    below += network.below;
    variance += network.variance;
    network.in_a_row = network.below > 0 ? network.in_a_row + 1 : 0;
    if (network.in_a_row == 1) network.at_first = network.below;
    if (network.in_a_row < kPinned) continue;
    network.in_a_row = 0;
    pinned = pinned || network.below >= network.at_first;  // else it recovers
  }
  const bool surely = pinned || (kept_up_.lacking > 0 && below > kSurely * std::sqrt(variance));
  const std::size_t before = last_;
  for (; (missing > 0 || (pinned && last_ == before)) && last_ < promises_; ++last_) {
    const Key& next = keys_[promises_ - last_ - 1];
    const Standing standing = StandingOf(view, next);
    if (standing.lost) continue;  // given up already
    const double freed = part * next.cost * next.target * standing.ended;
    const bool enough = missing > kEnoughToFree * freed || (surely && last_ == before);
    if (!enough || freed == 0) break;
    missing -= freed;
  }
  for (; missing < 0 && last_ > 0 && last_ <= before; --last_) {
    const Key& next = keys_[promises_ - last_];
    const Standing standing = StandingOf(view, next);
    if (standing.lost) continue;
    const double needed =
        part * next.cost *
        (next.target * standing.ended + kRecovery * std::max(standing.lacking, 0.0));
    if (-missing < kEnoughToTake * needed) break;
    missing += needed;
  }
  if (given_up_.ended > 0 && given_up_.lacking <= 0 && missing <= 0) last_ = 0;
  if (last_ != before) since_ = view.now();
  kept_up_ = given_up_ = {};
  due_ = std::max(kOutcomesEach * static_cast<double>(promises_), kPartOfAll * ended);
}

void Sacrifice::Declare(const SystemView& view, SchedulingPlan& plan) const {
  for (std::size_t i = 0; i < promises_; ++i) {
    const AgreementId id{keys_[i].agreement};
    const bool given_up = i >= promises_ - last_ || StandingOf(view, keys_[i]).lost;
    if (given_up == view.Sacrificed(id)) continue;
    given_up ? plan.Sacrifice(id) : plan.Restore(id);
  }
}

void Sacrifice::TakeTurns() {
  const auto alike = [](const Key& a, const Key& b) {
    return a.promised == b.promised && a.CostsTheSame(b) && a.target == b.target &&
           a.weight == b.weight;
  };
  for (auto first = keys_.begin(); first != keys_.end();) {
    const auto last =
        std::find_if_not(first, keys_.end(), [&](const Key& key) { return alike(key, *first); });
    const auto turns = static_cast<std::ptrdiff_t>(first->periods) % (last - first);
    std::rotate(first, first + turns, last);
    first = last;
  }
}

void Sacrifice::PutInOrder(const SystemView& view, const Entitlement& entitlement) {
  const bool beliefs_alone = shares_ == entitlement.shares_version() && view.now() < next_turn_;
  shares_ = entitlement.shares_version();
  ordered_ = entitlement.version();
  next_turn_ = kNever;
  const std::size_t size = view.ledger().size();
  keys_.clear();
  costs_.clear();
  promises_ = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const ServiceAgreement& promise = view.ledger().Promise(AgreementId{i});
    const double cost = entitlement.CostOf(promise.network);
    std::int64_t periods = 0;
    if (promise.period.has_value()) {
      periods = (view.now() - Instant{}) / *promise.period;
      next_turn_ = std::min(next_turn_, Instant{} + (periods + 1) * *promise.period);
    }
    const bool promised = promise.IsPromised() && view.ledger().IsOpen(AgreementId{i}) &&
                          promise.deadline >= view.costs().FastestTotal(promise.network);
    costs_.push_back(promised ? cost : 0);
    keys_.push_back({.promised = promised,
                     .floods = entitlement.Floods(promise.tenant),
                     .stake = promise.penalty / std::max(cost, 1e-12),
                     .cost = cost,
                     .target = PromisedShare(promise),
                     .weight = view.tenants()[promise.tenant.index()].weight,
                     .periods = static_cast<std::size_t>(periods),
                     .agreement = i});
    if (promised) ++promises_;
  }
  std::sort(keys_.begin(), keys_.end());
  TakeTurns();
  places_.resize(size);
  std::int32_t equals = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto place = static_cast<std::int32_t>(i);
    if (i > 0 && !keys_[i].CostsTheSame(keys_[i - 1])) equals = 2 * place;
    places_[keys_[i].agreement] = {.own = 2 * place + 1, .equals = equals};
  }
  last_ = std::min(last_, promises_);
  // What is believed of networks may change every second, and judgements become surer all the same.
  if (!beliefs_alone) due_ = kOutcomesEach * static_cast<double>(promises_);
}

}  // namespace fairlead
