// The books of promises: what every agreement was promised, and what it received.
//
// Each agreement has two sets of counts. The current counts hold every request that ended, where
// the share is promised for a period those that arrived in the current one; they are what policies
// see, as the indicator (the share of hits so far) and the deficit (target minus indicator). The
// measured counts hold only requests that arrived after the warm-up; they are what
// results report. The engine says when a request arrives and records each end once, in the order of
// ending; policies only read.
//
// Contracts: a promise may be about no more than so many requests. The ledger says of each request
// as it arrives whether it is covered. All of the above and the windows below are of covered
// requests only; the others are counted apart. Without a contract every request is covered.
//
// Windows: a promise may say that of any `window` consecutive requests at most `max_misses` fail.
// The ledger looks at each full window of measured outcomes, in order of arrival, and counts those
// with more failures as violations: an outcome waits until all earlier arrivals have theirs.
// Anything but a hit is a failure. Agreements without such a promise are watched with a window of
// kDefaultWindow, for the worst window only. MissesLeft is what policies steer by and knows only
// what has ended, in that order.
//
// Sacrifices: policies that give up promises say so, and the ledger keeps how long and for how many
// requests. Nothing else depends on it: a promise that is given up is judged like any other. It is
// a decision of a policy here and now, and no part of an agreement's history.
//
// Cost: Arrive and Record are O(1) on average, and Record allocates nothing; all reads are O(1).
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/fairness/token_bucket.h"

namespace fairlead {

// When not all promises can be kept, a policy may give one up for a while: it is sacrificed. What
// that came to.
struct SacrificeBooks {
  Instant since = kNever;  // kNever: not sacrificed now
  std::int64_t times = 0;  // that it was
  Duration ended_spells{};
  OutcomeCounts ended{};  // covered, measured requests that ended meanwhile

  bool now() const { return since != kNever; }
  // All spells until this instant, the current one included.
  Duration Time(Instant now) const {
    return ended_spells + (since == kNever ? Duration{} : now - since);
  }
};

// The last outcomes of one agreement as a ring of bits, and the most failures a full ring held.
class OutcomeWindow {
 public:
  explicit OutcomeWindow(int size);  // size > 0
  // As one that Text and most_failures tell of.
  OutcomeWindow(int size, std::string_view text, int most_failures);
  void Record(Outcome outcome);

  int size() const { return size_; }
  bool full() const { return filled_ == size_; }
  int failures() const { return failures_; }            // in the ring now
  std::string Text() const;                             // what it holds, the oldest first
  int most_failures() const { return most_failures_; }  // in any full ring; -1 before the first

 private:
  int size_;
  int filled_ = 0;
  int next_ = 0;
  int failures_ = 0;
  int most_failures_ = -1;
  std::vector<std::uint64_t> failed_;
};

// Outcomes of one agreement, put back into the order of arrival.
class ArrivalOrder {
 public:
  enum class Ended : std::uint8_t { kNot, kHit, kFailed, kNotMeasured };

  std::uint64_t Arrive();  // counts from 0
  void End(std::uint64_t arrival, Ended how) { how_[Slot(arrival)] = how; }
  // The next in the order of arrival, once; kNot while it is still under way.
  Ended TakeNext();
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t taken() const { return taken_; }

 private:
  std::size_t Slot(std::uint64_t arrival) const { return arrival & (how_.size() - 1); }

  std::uint64_t arrived_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<Ended> how_ = std::vector<Ended>(8);  // a ring; its size is a power of two
};

// How far a stream of outcomes is from breaking its window promise, as in distance-based priority
// (Hamdaoui and Ramanathan, 1995). Outcomes before the first count as hits. It remembers where the
// hits stand that the promise still rests on: the last window - max_misses of them.
class MissDistance {
 public:
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  MissDistance(int window, int max_misses);  // window 0: no promise
  // After the outcomes that Text tells of.
  MissDistance(int window, int max_misses, std::string_view text);
  void Record(Outcome outcome);
  // After how many further failures in a row the promise is broken; 0: it is broken now.
  int Left() const;
  // The last outcomes, the oldest first; all others make no difference. Hits that the promise does
  // not rest on count as failures.
  std::string Text() const;

 private:
  int window_;
  std::int64_t ended_ = 0;
  std::size_t oldest_ = 0;
  std::vector<std::int64_t> hits_;  // their positions in the stream, a ring
};

// What the ledger says of a request that arrives, and is told again when it ends.
struct ArrivalMark {
  bool covered = true;       // by its contract
  std::uint64_t number = 0;  // its place among the covered requests of its agreement
};

class FairnessLedger {
 public:
  static constexpr int kDefaultWindow = 20;
  // Longer promises are refused where they are read.
  static constexpr int kLongestWindow = 100'000;

  // It is so late now. Once before all else that happens at an instant.
  void Advance(Instant now) {
    now_ = now;
    if (now >= next_period_) BeginPeriods();
  }

  // Opens an account. Ids count from 0 in the order of opening and are never used again.
  AgreementId Add(const ServiceAgreement& agreement);
  // Replaces the promise. All counts stay. When the window or its misses change, windows begin
  // afresh with the next arrival: nothing is held against a promise that was not made yet. What is
  // under way then is in no window. Another period begins afresh in the same way. Another contract
  // takes over what is in the bucket of the one before; where there was none, it begins full.
  void Change(AgreementId id, const ServiceAgreement& agreement);
  // The tenant left. Requests that are still under way may end, and are recorded, afterwards.
  void Close(AgreementId id);

  // What is known of an agreement, as if what is under way had not arrived: what ended before an
  // earlier arrival did counts, but is in no window.
  AgreementHistory History(AgreementId id) const;
  // An agreement that has had no request goes on where another one, or itself elsewhere, stopped. A
  // promise that differs from the one that was kept there is a change.
  void Continue(AgreementId id, const AgreementHistory& history);
  bool HadRequests(AgreementId id) const {
    const Account& account = accounts_[id.index()];
    return account.order.arrived() > 0 || account.lifetime.ended() + account.uncovered.ended() > 0;
  }
  bool UnderWay(AgreementId id) const {
    const Account& account = accounts_[id.index()];
    return account.order.taken() < account.order.arrived();
  }
  // The window that is watched where so long a one is promised.
  static int Watched(int window) { return window > 0 ? window : kDefaultWindow; }

  // How long it takes until its contract covers a request again; nothing where one would be now.
  Duration UntilToken(AgreementId id) const;

  // One request arrived at this instant.
  ArrivalMark Arrive(AgreementId id, Instant arrival);
  // One request ended; `measured` when it arrived at or after the end of the warm-up. Once for each
  // arrival, with its mark.
  void Record(AgreementId id, ArrivalMark mark, Outcome outcome, bool measured);

  // A promise is given up, and taken up again, at the instant of Advance.
  void Sacrifice(AgreementId id);  // not sacrificed before
  void Restore(AgreementId id);    // sacrificed
  bool IsSacrificed(AgreementId id) const { return Sacrifices(id).now(); }
  const SacrificeBooks& Sacrifices(AgreementId id) const {
    return accounts_[id.index()].sacrifices;
  }

  std::size_t size() const { return accounts_.size(); }
  bool IsOpen(AgreementId id) const { return accounts_[id.index()].open; }
  const ServiceAgreement& Promise(AgreementId id) const { return accounts_[id.index()].promise; }
  double TargetRate(AgreementId id) const { return Promise(id).TargetRate(); }

  // What policies see, of covered requests.
  const OutcomeCounts& Current(AgreementId id) const {
    const Account& account = accounts_[id.index()];
    return account.periods.has_value() ? account.periods->current() : account.lifetime;
  }
  // Hits over ended requests; the target rate when nothing ended yet.
  double Indicator(AgreementId id) const { return Current(id).HitRateOr(TargetRate(id)); }
  double Deficit(AgreementId id) const { return TargetRate(id) - Indicator(id); }
  // After how many further failures in a row the window promise is broken; 0 when it is broken
  // now, MissDistance::kNoLimit without such a promise.
  int MissesLeft(AgreementId id) const { return accounts_[id.index()].distance.Left(); }

  // What results report, of covered requests.
  const OutcomeCounts& Measured(AgreementId id) const { return accounts_[id.index()].measured; }
  double MeasuredRate(AgreementId id) const { return Measured(id).HitRateOr(TargetRate(id)); }
  // Full windows with more failures than promised.
  std::int64_t Violations(AgreementId id) const { return accounts_[id.index()].violations; }
  // The hit rate of the worst full window. Before the first full window that of all measured
  // outcomes; without any the target rate.
  double WorstWindow(AgreementId id) const;
  // How the periods fared for which the target is promised; none where it is for the whole run.
  std::optional<PeriodVerdicts> Periods(AgreementId id) const;
  // Of those that the contract did not cover.
  const OutcomeCounts& Uncovered(AgreementId id) const { return accounts_[id.index()].uncovered; }
  // Of all agreements and all requests.
  OutcomeCounts MeasuredTotal() const;

 private:
  struct Account {
    ServiceAgreement promise;
    bool open = true;
    OutcomeCounts lifetime;
    OutcomeCounts measured;
    OutcomeCounts uncovered;
    std::optional<TokenBucket> bucket;
    std::optional<PromisePeriods> periods;
    MissDistance distance;
    ArrivalOrder order;
    OutcomeWindow window;
    std::uint64_t window_from = 0;  // the first arrival that it watches
    std::int64_t violations = 0;
    double worst_before = 2;  // of windows before the last change; above 1: none was full
    Duration before{};        // what was passed elsewhere
    SacrificeBooks sacrifices{};
  };

  static void FillWindow(Account& account);
  void BeginPeriods();
  void OpenPeriods(Account& account);
  static void ChangeContract(Account& account, const std::optional<Contract>& contract,
                             Instant now);
  static Account Open(const ServiceAgreement& agreement);
  // On the time axis of its history.
  Instant NowFor(const Account& account) const { return now_ + account.before; }

  std::vector<Account> accounts_;
  Instant now_{};
  Instant next_period_ = kNever;  // when one begins for somebody
};

}  // namespace fairlead
