#include "fairlead/fairness/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

ServiceAgreement Promise(double target, int window = 0, int max_misses = 0) {
  ServiceAgreement agreement;
  agreement.target = target;
  agreement.window = window;
  agreement.max_misses = max_misses;
  return agreement;
}

// Records a history as people write it: h hit, m miss, d dropped, r rejected.
void Record(FairnessLedger& ledger, AgreementId id, std::string_view history,
            bool measured = true) {
  for (char c : history) {
    const Outcome outcome = c == 'h'   ? Outcome::kHit
                            : c == 'm' ? Outcome::kMiss
                            : c == 'd' ? Outcome::kDropped
                                       : Outcome::kRejected;
    ledger.Record(id, ledger.Arrive(id, {}), outcome, measured);
  }
}

TEST(FairnessLedger, IndicatorEqualsTargetBeforeAnyOutcome) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.7));
  EXPECT_EQ(ledger.Indicator(id), 0.7);
}

TEST(FairnessLedger, BestEffortIsMeasuredAgainstEverything) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(ServiceAgreement{});
  Record(ledger, id, "hm");
  EXPECT_EQ(ledger.Deficit(id), 0.5);
}

TEST(FairnessLedger, DeficitIsTargetMinusHitsOverEnded) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.75));
  Record(ledger, id, "hmdr");
  EXPECT_EQ(ledger.Deficit(id), 0.5);
}

TEST(FairnessLedger, PoliciesSeeTheWarmUp) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.75));
  Record(ledger, id, "mm", /*measured=*/false);
  EXPECT_EQ(ledger.Indicator(id), 0);
}

TEST(FairnessLedger, ResultsDoNotSeeTheWarmUp) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.75));
  Record(ledger, id, "mm", /*measured=*/false);
  Record(ledger, id, "hdrm");
  EXPECT_EQ(ledger.Measured(id).by_outcome, (std::array<std::int64_t, 4>{1, 1, 1, 1}));
}

TEST(FairnessLedger, CountsEveryWindowPositionWithTooManyFailures) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/3, /*max_misses=*/1));
  Record(ledger, id, "mmhhmhm");  // mmh* mhh hhm hmh mhm*
  EXPECT_EQ(ledger.Violations(id), 2);
}

TEST(FairnessLedger, WorstWindowIsOverFullWindowsOnly) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/4, /*max_misses=*/1));
  Record(ledger, id, "mhhhhmm");
  EXPECT_EQ(ledger.WorstWindow(id), 0.5);
}

TEST(FairnessLedger, WorstWindowOfFewOutcomesIsOverThose) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/10, /*max_misses=*/1));
  Record(ledger, id, "hhmh");
  EXPECT_EQ(ledger.WorstWindow(id), 0.75);
}

TEST(FairnessLedger, WithoutWindowPromiseTheWorstOfTwentyIsWatched) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  Record(ledger, id, "mmmmmmmmmmhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh");
  EXPECT_EQ(ledger.WorstWindow(id), 0.5);
}

TEST(FairnessLedger, WithoutWindowPromiseNothingIsViolated) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  Record(ledger, id, "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmm");
  EXPECT_EQ(ledger.Violations(id), 0);
}

TEST(FairnessLedger, MissesLeftOfAFreshPromiseIsOneMoreThanAllowed) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/5, /*max_misses=*/2));
  EXPECT_EQ(ledger.MissesLeft(id), 3);
}

TEST(FairnessLedger, MissesLeftCountsOldMissesThatSlideOut) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/5, /*max_misses=*/2));
  // Next the last five are hhmhm, then hmhmm: the second further miss breaks it.
  Record(ledger, id, "mhhmh");
  EXPECT_EQ(ledger.MissesLeft(id), 2);
}

TEST(FairnessLedger, NoMissesAreLeftWhileTheWindowIsBroken) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/3, /*max_misses=*/1));
  Record(ledger, id, "mm");
  EXPECT_EQ(ledger.MissesLeft(id), 0);
}

TEST(FairnessLedger, MissesLeftHasNoLimitWithoutPromise) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  EXPECT_EQ(ledger.MissesLeft(id), MissDistance::kNoLimit);
}

TEST(FairnessLedger, AChangedTargetKeepsCounts) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  Record(ledger, id, "hm");
  ledger.Change(id, Promise(0.75));
  EXPECT_EQ(ledger.Deficit(id), 0.25);
}

TEST(FairnessLedger, AChangedWindowBeginsAfresh) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  Record(ledger, id, "mm");
  ledger.Change(id, Promise(0.5, /*window=*/2, /*max_misses=*/0));
  Record(ledger, id, "h");
  EXPECT_EQ(ledger.Violations(id), 0);
}

TEST(FairnessLedger, AChangedWindowKeepsTheWorstSeenBefore) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/2, /*max_misses=*/1));
  Record(ledger, id, "mm");
  ledger.Change(id, Promise(0.5, /*window=*/3, /*max_misses=*/1));
  Record(ledger, id, "hhhhhh");
  EXPECT_EQ(ledger.WorstWindow(id), 0);
}

TEST(FairnessLedger, WindowsFollowTheOrderOfArrival) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/2, /*max_misses=*/1));
  std::array<ArrivalMark, 4> arrivals;
  for (ArrivalMark& arrival : arrivals) arrival = ledger.Arrive(id, {});
  // By arrival h m h m; in the order of ending m m h h.
  ledger.Record(id, arrivals[1], Outcome::kMiss, true);
  ledger.Record(id, arrivals[3], Outcome::kMiss, true);
  EXPECT_EQ(ledger.Violations(id), 0);
  ledger.Record(id, arrivals[0], Outcome::kHit, true);
  ledger.Record(id, arrivals[2], Outcome::kHit, true);
  EXPECT_EQ(ledger.Violations(id), 0);
  EXPECT_EQ(ledger.WorstWindow(id), 0.5);
}

TEST(FairnessLedger, ManyUnderWayAtOnceStayInOrder) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5, /*window=*/2, /*max_misses=*/1));
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(ledger.Arrive(id, {}).number, i);
  // Last come, first served: pairs of misses at arrivals 40 and 41, 98 and 99.
  for (std::uint64_t i = 100; i-- > 0;) {
    const bool miss = i == 40 || i == 41 || i >= 98;
    ledger.Record(id, {.number = i}, miss ? Outcome::kMiss : Outcome::kHit, true);
  }
  EXPECT_EQ(ledger.Violations(id), 2);
}

TEST(FairnessLedger, WhatIsUnderWayAtAChangeIsInNoWindow) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  const ArrivalMark under_way = ledger.Arrive(id, {});
  ledger.Change(id, Promise(0.5, /*window=*/1, /*max_misses=*/0));
  ledger.Record(id, under_way, Outcome::kMiss, true);
  Record(ledger, id, "h");
  EXPECT_EQ(ledger.Violations(id), 0);
  EXPECT_EQ(ledger.Measured(id).failures(), 1);
}

// Covers two requests at once and one more every second.
ServiceAgreement WithContract(int window, int max_misses) {
  ServiceAgreement agreement = Promise(0.5, window, max_misses);
  agreement.contract = Contract{.rate = 1'000'000, .burst = 2};
  return agreement;
}

TEST(FairnessLedger, PromisesCountCoveredRequestsOnly) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(WithContract(/*window=*/2, /*max_misses=*/1));
  Record(ledger, id, "hhmmmm");  // at one instant: four are too many
  EXPECT_EQ(ledger.Indicator(id), 1);
  EXPECT_EQ(ledger.Deficit(id), -0.5);
  EXPECT_EQ(ledger.MissesLeft(id), 2);
  EXPECT_EQ(ledger.Violations(id), 0);
  EXPECT_EQ(ledger.WorstWindow(id), 1);
  EXPECT_EQ(ledger.Measured(id).ended(), 2);
  EXPECT_EQ(ledger.MeasuredRate(id), 1);
  EXPECT_EQ(ledger.Uncovered(id).Of(Outcome::kMiss), 4);
  EXPECT_EQ(ledger.MeasuredTotal().ended(), 6);
}

TEST(FairnessLedger, WindowsAreOfConsecutiveCoveredRequests) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(WithContract(/*window=*/2, /*max_misses=*/1));
  // The third of three at 0 is not covered; the fourth follows the second in its window.
  std::array<ArrivalMark, 4> marks;
  for (std::size_t i = 0; i < 3; ++i) marks[i] = ledger.Arrive(id, Instant{});
  marks[3] = ledger.Arrive(id, AtNanoseconds(1'000'000'000));
  EXPECT_TRUE(marks[0].covered && marks[1].covered && !marks[2].covered && marks[3].covered);
  ledger.Record(id, marks[3], Outcome::kMiss, true);
  ledger.Record(id, marks[2], Outcome::kHit, true);
  ledger.Record(id, marks[1], Outcome::kMiss, true);
  ledger.Record(id, marks[0], Outcome::kHit, true);
  EXPECT_EQ(ledger.Violations(id), 1);
}

TEST(FairnessLedger, AnotherTargetKeepsWhatIsInTheBucket) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(WithContract(/*window=*/0, /*max_misses=*/0));
  Record(ledger, id, "hh");
  ServiceAgreement changed = ledger.Promise(id);
  changed.target = 0.9;
  ledger.Change(id, changed);
  EXPECT_FALSE(ledger.Arrive(id, Instant{}).covered);
}

TEST(FairnessLedger, PoliciesSeeTheCurrentPeriod) {
  FairnessLedger ledger;
  ServiceAgreement agreement = Promise(0.75);
  agreement.period = Duration{100};
  const AgreementId id = ledger.Add(agreement);
  const AgreementId for_ever = ledger.Add(Promise(0.75));
  for (const AgreementId each : {id, for_ever}) Record(ledger, each, "hm");
  EXPECT_EQ(ledger.Deficit(id), 0.25);
  ledger.Advance(AtNanoseconds(100));
  EXPECT_EQ(ledger.Deficit(id), 0);
  EXPECT_EQ(ledger.Deficit(for_ever), 0.25);
  Record(ledger, id, "h");
  EXPECT_EQ(ledger.Indicator(id), 1);
  EXPECT_EQ(ledger.Current(id).ended(), 1);
  EXPECT_EQ(ledger.Measured(id).ended(), 3);
  EXPECT_EQ(ledger.Periods(id), (PeriodVerdicts{.periods = 2, .kept = 1, .worst = 0.5}));
  EXPECT_FALSE(ledger.Periods(for_ever).has_value());
}

TEST(FairnessLedger, PeriodsCountCoveredRequestsOnly) {
  FairnessLedger ledger;
  ServiceAgreement agreement = WithContract(/*window=*/0, /*max_misses=*/0);
  agreement.period = Duration{100};
  const AgreementId id = ledger.Add(agreement);
  Record(ledger, id, "hhmmm");
  EXPECT_EQ(ledger.Periods(id), (PeriodVerdicts{.periods = 1, .kept = 1, .worst = 1}));
}

TEST(FairnessLedger, AnotherPeriodBeginsAfresh) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  const ArrivalMark under_way = ledger.Arrive(id, {});
  Record(ledger, id, "mm");
  ServiceAgreement agreement = Promise(0.5);
  agreement.period = Duration{100};
  ledger.Advance(AtNanoseconds(30));
  ledger.Change(id, agreement);
  ledger.Record(id, under_way, Outcome::kMiss, true);
  EXPECT_EQ(ledger.Deficit(id), 0);
  Record(ledger, id, "h");
  ledger.Advance(AtNanoseconds(100));
  EXPECT_EQ(ledger.Periods(id), (PeriodVerdicts{.periods = 1, .kept = 1, .worst = 1}));
}

TEST(FairnessLedger, AClosedAgreementStillRecordsWhatIsUnderWay) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  ledger.Close(id);
  Record(ledger, id, "h");
  EXPECT_EQ(ledger.Measured(id).hits(), 1);
}

TEST(FairnessLedger, ClosingIsVisible) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(Promise(0.5));
  ledger.Close(id);
  EXPECT_FALSE(ledger.IsOpen(id));
}

TEST(FairnessLedger, TotalSumsAgreements) {
  FairnessLedger ledger;
  Record(ledger, ledger.Add(Promise(0.5)), "hm");
  Record(ledger, ledger.Add(Promise(0.5)), "hd");
  EXPECT_EQ(ledger.MeasuredTotal().by_outcome, (std::array<std::int64_t, 4>{2, 1, 1, 0}));
}

// The naive recount: keeps every outcome and looks at each window again.
struct Recount {
  int window;
  int max_misses;
  std::vector<Outcome> all;
  std::vector<Outcome> measured;

  static int Failures(std::span<const Outcome> outcomes) {
    return static_cast<int>(outcomes.size() -
                            static_cast<std::size_t>(std::ranges::count(outcomes, Outcome::kHit)));
  }
  template <typename Visit>
  void ForEachWindow(std::size_t size, Visit visit) const {
    for (std::size_t i = 0; i + size <= measured.size(); ++i)
      visit(Failures(std::span(measured).subspan(i, size)));
  }
  std::int64_t Violations() const {
    std::int64_t count = 0;
    if (window > 0) {
      ForEachWindow(static_cast<std::size_t>(window),
                    [&](int failures) { count += failures > max_misses ? 1 : 0; });
    }
    return count;
  }
  double WorstWindow() const {
    const int wanted = window > 0 ? window : FairnessLedger::kDefaultWindow;
    const int size = std::min(wanted, static_cast<int>(measured.size()));
    int worst = 0;
    ForEachWindow(static_cast<std::size_t>(size),
                  [&](int failures) { worst = std::max(worst, failures); });
    return static_cast<double>(size - worst) / static_cast<double>(size);
  }
  int MissesLeft() const {
    if (window == 0 || max_misses >= window) return MissDistance::kNoLimit;
    std::vector<Outcome> future = all;
    future.insert(future.begin(), static_cast<std::size_t>(window), Outcome::kHit);
    for (int misses = 0;; ++misses) {
      if (Failures(std::span(future).last(static_cast<std::size_t>(window))) > max_misses)
        return misses;
      future.push_back(Outcome::kMiss);
    }
  }
};

class LedgerRecount : public testing::TestWithParam<int> {
 protected:
  // Runs a random history and calls `compare` after each outcome.
  template <typename Compare>
  void Run(Compare compare) {
    RandomStream random(static_cast<std::uint64_t>(GetParam()), "ledger");
    const int window = static_cast<int>(random.Below(140));
    const int max_misses =
        window == 0 ? 0 : static_cast<int>(random.Below(static_cast<std::uint64_t>(window) + 1));
    Recount recount{.window = window, .max_misses = max_misses, .all = {}, .measured = {}};
    FairnessLedger ledger;
    const AgreementId id = ledger.Add(Promise(0.5, window, max_misses));
    const double hit_share = random.Uniform();
    for (int i = 0; i < 400; ++i) {
      const Outcome outcome =
          random.Uniform() < hit_share ? Outcome::kHit : static_cast<Outcome>(1 + random.Below(3));
      const bool measured = i > 30 || random.Uniform() < 0.2;
      ledger.Record(id, ledger.Arrive(id, {}), outcome, measured);
      recount.all.push_back(outcome);
      if (measured) recount.measured.push_back(outcome);
      if (!recount.measured.empty()) compare(ledger, id, recount);
    }
  }
};

TEST_P(LedgerRecount, ViolationsAgree) {
  Run([](const FairnessLedger& ledger, AgreementId id, const Recount& recount) {
    ASSERT_EQ(ledger.Violations(id), recount.Violations());
  });
}

TEST_P(LedgerRecount, WorstWindowsAgree) {
  Run([](const FairnessLedger& ledger, AgreementId id, const Recount& recount) {
    ASSERT_EQ(ledger.WorstWindow(id), recount.WorstWindow());
  });
}

TEST_P(LedgerRecount, MissesLeftAgree) {
  Run([](const FairnessLedger& ledger, AgreementId id, const Recount& recount) {
    ASSERT_EQ(ledger.MissesLeft(id), recount.MissesLeft());
  });
}

INSTANTIATE_TEST_SUITE_P(Random, LedgerRecount, testing::Range(0, 30));

}  // namespace
}  // namespace fairlead
