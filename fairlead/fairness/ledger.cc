#include "fairlead/fairness/ledger.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

namespace {

double HitShare(int failures, int size) {
  return static_cast<double>(size - failures) / static_cast<double>(size);
}

Outcome OutcomeOf(char letter) {
  return letter == AgreementHistory::kHit ? Outcome::kHit : Outcome::kMiss;
}

}  // namespace

OutcomeWindow::OutcomeWindow(int size) : size_(size) {
  CHECK(size > 0);
  failed_.resize((static_cast<std::size_t>(size) + 63) / 64);
}

void OutcomeWindow::Record(Outcome outcome) {
  std::uint64_t& word = failed_[static_cast<std::size_t>(next_) / 64];
  const std::uint64_t bit = std::uint64_t{1} << (next_ % 64);
  if ((word & bit) != 0) --failures_;  // bits that were never written are 0
  word &= ~bit;
  if (outcome != Outcome::kHit) {
    word |= bit;
    ++failures_;
  }
  if (++next_ == size_) next_ = 0;
  if (filled_ < size_) ++filled_;
  if (full()) most_failures_ = std::max(most_failures_, failures_);
}

OutcomeWindow::OutcomeWindow(int size, std::string_view text, int most_failures)
    : OutcomeWindow(size) {
  for (char outcome : text) Record(OutcomeOf(outcome));
  most_failures_ = most_failures;
}

std::string OutcomeWindow::Text() const {
  std::string text;
  for (int i = 0; i < filled_; ++i) {
    const int place = full() ? (next_ + i) % size_ : i;
    const bool failed = (failed_[static_cast<std::size_t>(place) / 64] >> (place % 64) & 1) != 0;
    text += failed ? AgreementHistory::kFailure : AgreementHistory::kHit;
  }
  return text;
}

std::uint64_t ArrivalOrder::Arrive() {
  if (arrived_ - taken_ == how_.size()) {
    std::vector<Ended> larger(2 * how_.size());
    for (std::uint64_t i = taken_; i < arrived_; ++i)
      larger[i & (larger.size() - 1)] = how_[Slot(i)];
    how_ = std::move(larger);
  }
  how_[Slot(arrived_)] = Ended::kNot;
  return arrived_++;
}

ArrivalOrder::Ended ArrivalOrder::TakeNext() {
  if (taken_ == arrived_) return Ended::kNot;
  const Ended how = how_[Slot(taken_)];
  if (how != Ended::kNot) ++taken_;
  return how;
}

MissDistance::MissDistance(int window, int max_misses) : window_(window) {
  CHECK(window >= 0 && max_misses >= 0);
  const int needed = std::max(0, window - max_misses);
  for (int i = needed - 1; i >= 0; --i) hits_.push_back(-i);
}

MissDistance::MissDistance(int window, int max_misses, std::string_view text)
    : MissDistance(window, max_misses) {
  for (char outcome : text) Record(OutcomeOf(outcome));
}

std::string MissDistance::Text() const {
  if (hits_.empty()) return {};
  const std::int64_t length = std::min<std::int64_t>(window_, ended_);
  std::string text(static_cast<std::size_t>(length), AgreementHistory::kFailure);
  for (std::int64_t hit : hits_) {
    const std::int64_t place = hit - (ended_ - length) - 1;
    if (place >= 0) text[static_cast<std::size_t>(place)] = AgreementHistory::kHit;
  }
  return text;
}

void MissDistance::Record(Outcome outcome) {
  ++ended_;
  if (outcome != Outcome::kHit || hits_.empty()) return;
  hits_[oldest_] = ended_;
  if (++oldest_ == hits_.size()) oldest_ = 0;
}

int MissDistance::Left() const {
  if (hits_.empty()) return kNoLimit;
  // The promise breaks when the oldest hit it rests on slides out of the window.
  const std::int64_t left = window_ - (ended_ - hits_[oldest_]);
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

FairnessLedger::Account FairnessLedger::Open(const ServiceAgreement& agreement) {
  CHECK(agreement.window >= 0 && agreement.window <= kLongestWindow);
  Account account{.promise = agreement,
                  .lifetime = {},
                  .measured = {},
                  .uncovered = {},
                  .bucket = {},
                  .periods = {},
                  .distance = MissDistance(agreement.window, agreement.max_misses),
                  .order = {},
                  .window = OutcomeWindow(Watched(agreement.window))};
  if (agreement.contract.has_value()) account.bucket.emplace(*agreement.contract);
  return account;
}

AgreementId FairnessLedger::Add(const ServiceAgreement& agreement) {
  const AgreementId id{accounts_.size()};
  accounts_.push_back(Open(agreement));
  OpenPeriods(accounts_.back());
  return id;
}

AgreementHistory FairnessLedger::History(AgreementId id) const {
  const Account& account = accounts_[id.index()];
  AgreementHistory history{.lifetime = account.lifetime,
                           .measured = account.measured,
                           .uncovered = account.uncovered,
                           .window = account.promise.window,
                           .max_misses = account.promise.max_misses,
                           .watched = account.window.Text(),
                           .ended = account.distance.Text(),
                           .most_failures = account.window.most_failures(),
                           .violations = account.violations,
                           .worst_before = account.worst_before,
                           .time = NowFor(account).time_since_epoch()};
  if (account.periods.has_value()) {
    std::vector<PeriodCounts> slices = account.periods->Slices();
    const PeriodCounts current = slices.back();
    slices.pop_back();
    history.period = {.length = *account.promise.period,
                      .kind = account.promise.period_kind,
                      .current = current,
                      .before = std::move(slices),
                      .judged = account.periods->judged()};
  }
  if (account.bucket.has_value()) {
    const auto [tokens, parts] = account.bucket->At(NowFor(account));
    history.bucket = {.contract = *account.promise.contract, .tokens = tokens, .parts = parts};
  }
  return history;
}

Duration FairnessLedger::UntilToken(AgreementId id) const {
  const Account& account = accounts_[id.index()];
  return account.bucket.has_value() ? account.bucket->UntilToken(NowFor(account)) : Duration{};
}

void FairnessLedger::Continue(AgreementId id, const AgreementHistory& history) {
  CHECK(IsOpen(id) && !HadRequests(id));
  const ServiceAgreement agreement = Promise(id);
  ServiceAgreement kept = agreement;
  kept.window = history.window;
  kept.max_misses = history.max_misses;
  kept.period.reset();
  if (history.period.has_value()) {
    kept.period = history.period->length;
    kept.period_kind = history.period->kind;
  }
  kept.contract.reset();
  if (history.bucket.has_value()) kept.contract = history.bucket->contract;

  const SacrificeBooks sacrifices = Sacrifices(id);
  Account& account = accounts_[id.index()] = Open(kept);
  account.sacrifices = sacrifices;
  account.lifetime = history.lifetime;
  account.measured = history.measured;
  account.uncovered = history.uncovered;
  account.distance = MissDistance(history.window, history.max_misses, history.ended);
  account.window = OutcomeWindow(Watched(history.window), history.watched, history.most_failures);
  account.violations = history.violations;
  account.worst_before = history.worst_before;
  account.before = history.time - now_.time_since_epoch();
  if (history.bucket.has_value()) {
    account.bucket.emplace(*kept.contract, NowFor(account), history.bucket->tokens,
                           history.bucket->parts);
  }
  OpenPeriods(account);
  if (history.period.has_value()) {
    std::vector<PeriodCounts> slices = history.period->before;
    slices.push_back(history.period->current);
    account.periods->Continue(slices, history.period->judged);
  }
  Change(id, agreement);
}

void FairnessLedger::Change(AgreementId id, const ServiceAgreement& agreement) {
  Account& account = accounts_[id.index()];
  ChangeContract(account, agreement.contract, NowFor(account));
  const bool same_period = agreement.period == account.promise.period &&
                           agreement.period_kind == account.promise.period_kind;
  const bool same_windows = agreement.window == account.promise.window &&
                            agreement.max_misses == account.promise.max_misses;
  account.promise = agreement;
  if (!same_period) OpenPeriods(account);
  if (same_windows) return;
  if (account.window.most_failures() >= 0) {
    account.worst_before = std::min(
        account.worst_before, HitShare(account.window.most_failures(), account.window.size()));
  }
  account.distance = MissDistance(agreement.window, agreement.max_misses);
  account.window = OutcomeWindow(Watched(agreement.window));
  account.window_from = account.order.arrived();
}

void FairnessLedger::ChangeContract(Account& account, const std::optional<Contract>& contract,
                                    Instant now) {
  if (!contract.has_value()) {
    account.bucket.reset();
  } else if (account.bucket.has_value()) {
    account.bucket->Change(*contract, now);
  } else {
    account.bucket.emplace(*contract);
  }
}

void FairnessLedger::Close(AgreementId id) {
  CHECK(IsOpen(id));
  accounts_[id.index()].open = false;
}

ArrivalMark FairnessLedger::Arrive(AgreementId id, Instant arrival) {
  Account& account = accounts_[id.index()];
  if (account.bucket.has_value() && !account.bucket->Take(arrival + account.before))
    return {.covered = false};
  if (account.periods.has_value()) account.periods->Arrive();
  return {.number = account.order.Arrive()};
}

void FairnessLedger::Record(AgreementId id, ArrivalMark mark, Outcome outcome, bool measured) {
  Account& account = accounts_[id.index()];
  if (!mark.covered) {
    if (measured) ++account.uncovered.by_outcome[static_cast<std::size_t>(outcome)];
    return;
  }
  ++account.lifetime.by_outcome[static_cast<std::size_t>(outcome)];
  if (account.periods.has_value())
    account.periods->Record(mark.number, outcome, measured, account.promise.TargetRate());
  account.distance.Record(outcome);
  if (measured) {
    ++account.measured.by_outcome[static_cast<std::size_t>(outcome)];
    if (account.sacrifices.now())
      ++account.sacrifices.ended.by_outcome[static_cast<std::size_t>(outcome)];
  }
  using Ended = ArrivalOrder::Ended;
  account.order.End(mark.number, !measured                  ? Ended::kNotMeasured
                                 : outcome == Outcome::kHit ? Ended::kHit
                                                            : Ended::kFailed);
  FillWindow(account);
}

void FairnessLedger::Sacrifice(AgreementId id) {
  SacrificeBooks& books = accounts_[id.index()].sacrifices;
  CHECK(!books.now());
  books.since = now_;
  ++books.times;
}

void FairnessLedger::Restore(AgreementId id) {
  SacrificeBooks& books = accounts_[id.index()].sacrifices;
  CHECK(books.now());
  books.ended_spells = books.Time(now_);
  books.since = kNever;
}

void FairnessLedger::OpenPeriods(Account& account) {
  account.periods.reset();
  if (!account.promise.period.has_value()) return;
  const PromisePeriods::Promise promise{*account.promise.period, account.promise.period_kind};
  account.periods.emplace(promise, NowFor(account), account.order.arrived());
  next_period_ = std::min(next_period_, account.periods->end() - account.before);
}

void FairnessLedger::BeginPeriods() {
  next_period_ = kNever;
  for (Account& account : accounts_) {
    if (!account.periods.has_value()) continue;
    account.periods->Advance(NowFor(account), account.promise.TargetRate());
    next_period_ = std::min(next_period_, account.periods->end() - account.before);
  }
}

std::optional<PeriodVerdicts> FairnessLedger::Periods(AgreementId id) const {
  const Account& account = accounts_[id.index()];
  if (!account.periods.has_value()) return std::nullopt;
  return account.periods->Verdicts(account.promise.TargetRate());
}

void FairnessLedger::FillWindow(Account& account) {
  using Ended = ArrivalOrder::Ended;
  for (;;) {
    const bool watched = account.order.taken() >= account.window_from;
    const Ended how = account.order.TakeNext();
    if (how == Ended::kNot) return;
    if (how == Ended::kNotMeasured || !watched) continue;
    account.window.Record(how == Ended::kHit ? Outcome::kHit : Outcome::kMiss);
    const bool promised = account.promise.window > 0;
    if (promised && account.window.full() && account.window.failures() > account.promise.max_misses)
      ++account.violations;
  }
}

double FairnessLedger::WorstWindow(AgreementId id) const {
  const Account& account = accounts_[id.index()];
  double worst = account.worst_before;
  if (account.window.most_failures() >= 0)
    worst = std::min(worst, HitShare(account.window.most_failures(), account.window.size()));
  return worst <= 1 ? worst : MeasuredRate(id);
}

OutcomeCounts FairnessLedger::MeasuredTotal() const {
  OutcomeCounts total;
  for (const Account& account : accounts_) {
    total += account.measured;
    total += account.uncovered;
  }
  return total;
}

}  // namespace fairlead
