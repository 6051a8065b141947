#include "fairlead/fairness/agreement_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/fairness/ledger.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const AgreementId kOnly{std::size_t{0}};

ServiceAgreement SomePromise(RandomStream& random) {
  ServiceAgreement agreement;
  if (random.Below(4) > 0) agreement.target = 0.5 + 0.1 * static_cast<double>(random.Below(5));
  if (random.Below(2) == 0) {
    agreement.window = static_cast<int>(1 + random.Below(80));
    agreement.max_misses =
        static_cast<int>(random.Below(static_cast<std::uint64_t>(agreement.window) + 2));
  }
  if (random.Below(2) == 0) {
    agreement.period = milliseconds(50 + random.Below(500));
    if (random.Below(2) == 0) agreement.period_kind = PeriodKind::kSliding;
  }
  if (random.Below(2) == 0)
    agreement.contract = Contract{.rate = static_cast<std::int64_t>(1 + random.Below(40'000'000)),
                                  .burst = static_cast<std::int64_t>(1 + random.Below(10))};
  return agreement;
}

// The books of one agreement, on a clock of their own.
struct Books {
  FairnessLedger ledger;
  Duration clock{};  // what it shows, minus that of the first books

  Instant At(Instant now) const { return now + clock; }
};

void Arrive(Books& books, Instant now, std::vector<ArrivalMark>& under_way) {
  books.ledger.Advance(books.At(now));
  under_way.push_back(books.ledger.Arrive(kOnly, books.At(now)));
}

void End(Books& books, std::size_t which, Outcome outcome, bool measured,
         std::vector<ArrivalMark>& under_way) {
  books.ledger.Record(kOnly, under_way[which], outcome, measured);
  under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
}

void ExpectAlike(const FairnessLedger& a, const FairnessLedger& b) {
  EXPECT_EQ(a.Current(kOnly), b.Current(kOnly));
  EXPECT_EQ(a.Indicator(kOnly), b.Indicator(kOnly));
  EXPECT_EQ(a.MissesLeft(kOnly), b.MissesLeft(kOnly));
  EXPECT_EQ(a.Measured(kOnly), b.Measured(kOnly));
  EXPECT_EQ(a.Uncovered(kOnly), b.Uncovered(kOnly));
  EXPECT_EQ(a.Violations(kOnly), b.Violations(kOnly));
  EXPECT_EQ(a.WorstWindow(kOnly), b.WorstWindow(kOnly));
  EXPECT_EQ(a.Periods(kOnly), b.Periods(kOnly));
}

// One ledger hears everything; the other moves to new books, with another clock, whenever nothing
// is under way.
void SplitHistory(std::uint64_t seed) {
  RandomStream random(seed, "split-history");
  const ServiceAgreement promise = SomePromise(random);
  Books whole;
  Books moving;
  whole.ledger.Add(promise);
  moving.ledger.Add(promise);
  std::vector<ArrivalMark> in_whole;
  std::vector<ArrivalMark> in_moving;
  Instant now{};
  for (int step = 0; step < 300; ++step) {
    now += milliseconds(random.Below(40));
    if (in_whole.empty() || random.Below(2) == 0) {
      Arrive(whole, now, in_whole);
      Arrive(moving, now, in_moving);
      ASSERT_EQ(in_whole.back().covered, in_moving.back().covered);
    } else {
      const std::size_t which = random.Below(in_whole.size());
      const auto outcome = static_cast<Outcome>(random.Below(kOutcomes));
      whole.ledger.Advance(whole.At(now));
      moving.ledger.Advance(moving.At(now));
      End(whole, which, outcome, step > 40, in_whole);
      End(moving, which, outcome, step > 40, in_moving);
    }
    ExpectAlike(whole.ledger, moving.ledger);
    if (!in_whole.empty()) continue;
    const AgreementHistory history = moving.ledger.History(kOnly);
    EXPECT_EQ(history, whole.ledger.History(kOnly));
    EXPECT_EQ(WhatIsWrong(history), "");
    Books other{.clock = seconds(random.Below(1000)) - now.time_since_epoch()};
    other.ledger.Advance(other.At(now));
    other.ledger.Add(promise);
    other.ledger.Continue(kOnly, history);
    moving = other;
    ExpectAlike(whole.ledger, moving.ledger);
  }
}

TEST(AgreementHistory, MovesWithoutATrace) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SplitHistory(seed);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// Ten requests, of which the window of four has seen two failures; then four may fail in a row.
TEST(AgreementHistory, AnotherPromiseIsAChange) {
  ServiceAgreement promise;
  promise.target = 0.8;
  promise.window = 4;
  promise.max_misses = 1;
  FairnessLedger before;
  before.Add(promise);
  for (char c : std::string("hhhffhhhhh")) {
    before.Record(kOnly, before.Arrive(kOnly, {}), c == 'h' ? Outcome::kHit : Outcome::kMiss,
                  /*measured=*/true);
  }
  promise.window = 10;
  promise.max_misses = 4;
  FairnessLedger after;
  after.Add(promise);
  after.Continue(kOnly, before.History(kOnly));
  EXPECT_EQ(after.Indicator(kOnly), 0.8);
  EXPECT_EQ(after.Violations(kOnly), before.Violations(kOnly));
  EXPECT_EQ(after.WorstWindow(kOnly), 0.5);
  EXPECT_EQ(after.MissesLeft(kOnly), 5);
}

AgreementHistory Sound() {
  AgreementHistory history;
  history.lifetime.by_outcome = {3, 1, 0, 0};
  history.measured.by_outcome = {2, 1, 0, 0};
  history.window = 3;
  history.max_misses = 1;
  history.watched = "hfh";
  history.ended = "hfh";
  history.most_failures = 1;
  history.period = {.length = seconds(1),
                    .current = {.ended = history.measured, .measured = {}},
                    .before = {},
                    .judged = {}};
  history.bucket = {.contract = {.rate = 1, .burst = 2}, .tokens = 2, .parts = 0};
  return history;
}

TEST(AgreementHistory, TellsWhatIsWrong) {
  EXPECT_EQ(WhatIsWrong(Sound()), "");
  const auto wrong = [](auto change) {
    AgreementHistory history = Sound();
    change(history);
    return WhatIsWrong(history);
  };
  EXPECT_NE(wrong([](AgreementHistory& h) { h.watched = "hxh"; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.watched = "hfhh"; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.watched = "hf"; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.ended = "hfhh"; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.most_failures = 0; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.most_failures = 4; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.measured.by_outcome[0] = 4; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.period->current.ended.by_outcome[2] = 1; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.period->current.measured.by_outcome[1] = 2; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.period->judged.kept = 1; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.period->length = {}; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.period->before.resize(1); }), "");
  const auto wrong_sliding = [&](auto change) {
    return wrong([&](AgreementHistory& h) {
      h.period->kind = PeriodKind::kSliding;
      h.period->before.resize(kSlices - 1);
      change(*h.period);
    });
  };
  using Period = AgreementHistory::Period;
  EXPECT_EQ(wrong_sliding([](Period&) {}), "");
  EXPECT_NE(wrong_sliding([](Period& p) { p.before.resize(kSlices); }), "");
  EXPECT_NE(wrong_sliding([](Period& p) { p.length = kShortestSliding - Duration{1}; }), "");
  EXPECT_NE(wrong_sliding([](Period& p) { p.before[3].ended.by_outcome[1] = 1; }), "");
  EXPECT_NE(wrong_sliding([](Period& p) { p.before[3].measured.by_outcome[0] = 1; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.bucket->parts = 1; }), "");
  EXPECT_NE(wrong([](AgreementHistory& h) { h.bucket->tokens = 3; }), "");
}

TEST(AgreementHistory, LeavesOutWhatIsUnderWay) {
  FairnessLedger ledger;
  const ServiceAgreement promise{.target = 0.5, .window = 2, .max_misses = 1};
  const AgreementId id = ledger.Add(promise);
  std::array<ArrivalMark, 4> arrivals;
  for (ArrivalMark& arrival : arrivals) arrival = ledger.Arrive(id, {});
  ledger.Record(id, arrivals[0], Outcome::kHit, true);
  ledger.Record(id, arrivals[2], Outcome::kMiss, true);  // before the one before it
  const AgreementHistory history = ledger.History(id);
  EXPECT_EQ(history.lifetime.ended(), 2);
  EXPECT_EQ(history.watched, "h");
  EXPECT_EQ(WhatIsWrong(history), "");
  FairnessLedger other;
  other.Continue(other.Add(promise), history);
  EXPECT_EQ(other.Indicator(AgreementId{0}), 0.5);
  EXPECT_EQ(other.History(AgreementId{0}), history);
}

}  // namespace
}  // namespace fairlead
