#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/fairness/agreement_history.h"

namespace fairlead {
namespace {

constexpr double kTarget = 0.5;
constexpr Duration kLength{100};

// Periods of 100 ns with requests that are told as people write them: h hit, m miss.
class Told {
 public:
  explicit Told(std::int64_t now = 0) : periods_({kLength}, AtNanoseconds(now), 0) {}
  explicit Told(PromisePeriods::Promise promise) : periods_(promise, {}, 0) {}

  void At(std::int64_t now) { periods_.Advance(AtNanoseconds(now), kTarget); }
  std::uint64_t Arrive() {
    periods_.Arrive();
    return next_++;
  }
  void End(std::uint64_t request, Outcome outcome, bool measured = true) {
    periods_.Record(request, outcome, measured, kTarget);
  }
  void Tell(std::string_view history, bool measured = true) {
    for (char c : history) End(Arrive(), c == 'h' ? Outcome::kHit : Outcome::kMiss, measured);
  }
  PromisePeriods& periods() { return periods_; }
  PeriodVerdicts Verdicts() const { return periods_.Verdicts(kTarget); }

 private:
  PromisePeriods periods_;
  std::uint64_t next_ = 0;
};

TEST(PromisePeriods, OldLuckAges) {
  Told told;
  told.Tell("hhhh");
  told.At(99);
  EXPECT_EQ(told.periods().current().hits(), 4);
  told.At(100);
  EXPECT_EQ(told.periods().current().ended(), 0);
  told.Tell("m");
  EXPECT_EQ(told.periods().current().failures(), 1);
}

TEST(PromisePeriods, CountsThoseThatWereKept) {
  Told told;
  told.Tell("hm");
  told.At(100);
  told.Tell("hmm");
  told.At(200);
  told.Tell("hhh");
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 3, .kept = 2, .worst = 1.0 / 3}));
}

TEST(PromisePeriods, BeginAtMultiplesOfTheirLength) {
  Told told(250);
  EXPECT_EQ(told.periods().end(), AtNanoseconds(300));
  told.At(300);
  EXPECT_EQ(told.periods().end(), AtNanoseconds(400));
  told.At(731);
  EXPECT_EQ(told.periods().end(), AtNanoseconds(800));
}

TEST(PromisePeriods, ARequestBelongsToThePeriodOfItsArrival) {
  Told told;
  const std::uint64_t late = told.Arrive();
  told.At(100);
  told.Tell("h");
  told.End(late, Outcome::kMiss);
  EXPECT_EQ(told.periods().current().ended(), 1);
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 2, .kept = 1, .worst = 0}));
}

TEST(PromisePeriods, EmptyOnesAndTheWarmUpAreNotJudged) {
  Told told;
  told.Tell("m", /*measured=*/false);
  told.At(100);
  told.At(200);
  EXPECT_EQ(told.Verdicts(), PeriodVerdicts{});
  told.Tell("h");
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 1, .kept = 1, .worst = 1}));
}

TEST(PromisePeriods, WhatWasUnderWayBeforeIsInNone) {
  PromisePeriods periods({kLength}, Instant{}, /*next_request=*/7);
  periods.Record(6, Outcome::kMiss, true, kTarget);
  EXPECT_EQ(periods.current().ended(), 0);
  periods.Arrive();
  periods.Record(7, Outcome::kHit, true, kTarget);
  EXPECT_EQ(periods.current().hits(), 1);
}

// Against a recount that keeps every request.
TEST(PromisePeriods, AgreeWithARecount) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "periods");
    Told told;
    std::map<std::int64_t, OutcomeCounts> by_period;
    std::vector<std::pair<std::uint64_t, std::int64_t>> under_way;  // request, its period
    const std::uint64_t longest_gap = 1 + random.Below(300);
    std::int64_t now = 0;
    for (int i = 0; i < 300; ++i) {
      now += static_cast<std::int64_t>(random.Below(longest_gap));
      told.At(now);
      if (random.Below(2) == 0) under_way.emplace_back(told.Arrive(), now / kLength.count());
      if (under_way.empty() || random.Below(2) == 0) continue;
      const std::size_t which = random.Below(under_way.size());
      const auto [request, period] = under_way[which];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
      const auto outcome = random.Below(2) == 0 ? Outcome::kHit : Outcome::kMiss;
      const bool measured = random.Below(5) > 0;
      told.End(request, outcome, measured);
      if (measured) ++by_period[period].by_outcome[static_cast<std::size_t>(outcome)];
    }
    PeriodVerdicts expected;
    for (const auto& [period, counts] : by_period) expected.Add(counts, kTarget);
    ASSERT_EQ(told.Verdicts(), expected) << "seed " << seed;
  }
}

// Of 120 ns, in slices of 10.
constexpr PromisePeriods::Promise kSliding{.length = Duration{120}, .kind = PeriodKind::kSliding};

TEST(SlidingPeriods, OldLuckAgesSliceBySlice) {
  Told told(kSliding);
  told.Tell("hh");
  told.At(10);
  told.Tell("m");
  EXPECT_EQ(told.periods().current().ended(), 3);
  told.At(119);
  EXPECT_EQ(told.periods().current().ended(), 3);
  told.At(120);
  EXPECT_EQ(told.periods().current().hits(), 0);
  EXPECT_EQ(told.periods().current().failures(), 1);
  told.At(130);
  EXPECT_EQ(told.periods().current().ended(), 0);
}

TEST(SlidingPeriods, WhatEndsLaterThanItsSliceIsCurrentIsInNoCurrentPeriod) {
  Told told(kSliding);
  const std::uint64_t late = told.Arrive();
  told.At(120);
  told.Tell("h");
  told.End(late, Outcome::kMiss);
  EXPECT_EQ(told.periods().current().ended(), 1);
}

// A failure at 0 is in the period that ends at 120, the first whole one; two hits at 125 keep it
// out of no period, and are in the twelve that end from 130 to 240, and in the current one.
TEST(SlidingPeriods, AreJudgedAtTheEndOfEachSlice) {
  Told told(kSliding);
  told.Tell("m");
  told.At(125);
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 1, .kept = 0, .worst = 0}));
  told.Tell("hh");
  told.At(245);
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 13, .kept = 12, .worst = 0}));
}

TEST(SlidingPeriods, ARunThatIsTooShortIsJudgedAsFarAsItCame) {
  Told told(kSliding);
  told.Tell("hmm");
  told.At(50);
  EXPECT_EQ(told.Verdicts(), (PeriodVerdicts{.periods = 1, .kept = 0, .worst = 1.0 / 3}));
}

TEST(SlidingPeriods, SlicesAreRoundedUp) {
  Told told({.length = Duration{121}, .kind = PeriodKind::kSliding});
  EXPECT_EQ(told.periods().end(), AtNanoseconds(11));
}

// Against a recount that keeps every request, slice by slice.
TEST(SlidingPeriods, AgreeWithARecount) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "sliding");
    Told told(kSliding);
    std::map<std::int64_t, PeriodCounts> by_slice;
    std::vector<std::pair<std::uint64_t, std::int64_t>> under_way;  // request, its slice
    const std::uint64_t longest_gap = 1 + random.Below(60);
    std::int64_t now = 0;
    for (int i = 0; i < 300; ++i) {
      now += static_cast<std::int64_t>(random.Below(longest_gap));
      told.At(now);
      if (random.Below(2) == 0) under_way.emplace_back(told.Arrive(), now / 10);
      if (!under_way.empty() && random.Below(2) == 0) {
        const std::size_t which = random.Below(under_way.size());
        const auto [request, slice] = under_way[which];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
        const auto outcome = random.Below(2) == 0 ? Outcome::kHit : Outcome::kMiss;
        const bool measured = random.Below(5) > 0;
        told.End(request, outcome, measured);
        ++by_slice[slice].ended.by_outcome[static_cast<std::size_t>(outcome)];
        if (measured) ++by_slice[slice].measured.by_outcome[static_cast<std::size_t>(outcome)];
      }
      PeriodCounts current;
      for (std::int64_t slice = now / 10 - 11; slice <= now / 10; ++slice)
        current.ended += by_slice[slice].ended;
      ASSERT_EQ(told.periods().current(), current.ended) << "seed " << seed;
    }
    PeriodVerdicts expected;
    for (std::int64_t last = std::min<std::int64_t>(11, now / 10); last <= now / 10; ++last) {
      OutcomeCounts sum;
      for (std::int64_t slice = last - 11; slice <= last; ++slice) sum += by_slice[slice].measured;
      expected.Add(sum, kTarget);
    }
    ASSERT_EQ(told.Verdicts(), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fairlead
