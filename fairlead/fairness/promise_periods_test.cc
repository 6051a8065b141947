#include "fairlead/fairness/promise_periods.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

constexpr double kTarget = 0.5;
constexpr Duration kLength{100};

// Periods of 100 ns with requests that are told as people write them: h hit, m miss.
class Told {
 public:
  explicit Told(std::int64_t now = 0) : periods_(kLength, AtNanoseconds(now), 0) {}

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
  PromisePeriods periods(kLength, Instant{}, /*next_request=*/7);
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

}  // namespace
}  // namespace fairlead
