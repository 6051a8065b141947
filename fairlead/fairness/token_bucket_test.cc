#include "fairlead/fairness/token_bucket.h"

#include <gtest/gtest.h>

#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPerSecond = 1'000'000;  // in requests per million seconds

bool TakeAt(TokenBucket& bucket, std::int64_t ns) { return bucket.Take(AtNanoseconds(ns)); }

// How many of so many requests at one instant are covered.
int CoveredAt(TokenBucket& bucket, std::int64_t ns, int requests) {
  int covered = 0;
  for (int i = 0; i < requests; ++i) covered += TakeAt(bucket, ns) ? 1 : 0;
  return covered;
}

TEST(TokenBucket, BeginsFull) {
  TokenBucket bucket({.rate = 1, .burst = 3});
  EXPECT_EQ(CoveredAt(bucket, 0, 10), 3);
}

TEST(TokenBucket, IsFullForWhoeverJoinsLater) {
  TokenBucket bucket({.rate = 1, .burst = 3});
  EXPECT_EQ(CoveredAt(bucket, 7 * kSecond, 10), 3);
}

TEST(TokenBucket, FillsAtItsRateToTheNanosecond) {
  TokenBucket bucket({.rate = 3 * kPerSecond, .burst = 2});
  EXPECT_EQ(CoveredAt(bucket, 0, 2), 2);
  EXPECT_FALSE(TakeAt(bucket, 333'333'333));  // a third of a nanosecond is missing
  EXPECT_TRUE(TakeAt(bucket, 333'333'334));
  EXPECT_FALSE(TakeAt(bucket, 666'666'666));
  EXPECT_TRUE(TakeAt(bucket, 666'666'667));
  EXPECT_TRUE(TakeAt(bucket, kSecond));  // what was too much before is still there
}

TEST(TokenBucket, SaysWhenTheNextTokenIsThere) {
  TokenBucket bucket({.rate = 3 * kPerSecond, .burst = 2});
  EXPECT_EQ(bucket.UntilToken(AtNanoseconds(0)), Duration{0});
  EXPECT_EQ(CoveredAt(bucket, 0, 2), 2);
  EXPECT_EQ(bucket.UntilToken(AtNanoseconds(0)), Duration{333'333'334});
  EXPECT_EQ(bucket.UntilToken(AtNanoseconds(333'333'333)), Duration{1});
  EXPECT_EQ(bucket.UntilToken(AtNanoseconds(333'333'334)), Duration{0});
  EXPECT_FALSE(TakeAt(bucket, 100));
  EXPECT_EQ(bucket.UntilToken(AtNanoseconds(50)), Duration{333'333'284});  // told of too late
}

TEST(TokenBucket, HoldsNoMoreThanItsBurst) {
  TokenBucket bucket({.rate = kPerSecond, .burst = 2});
  EXPECT_EQ(CoveredAt(bucket, 0, 2), 2);
  EXPECT_EQ(CoveredAt(bucket, 1000 * kSecond, 10), 2);
}

TEST(TokenBucket, LookingOftenChangesNothing) {
  TokenBucket often({.rate = 7, .burst = 1});
  TokenBucket once({.rate = 7, .burst = 1});
  EXPECT_TRUE(TakeAt(often, 0) && TakeAt(once, 0));
  const std::int64_t full = (1'000'000 * kSecond + 6) / 7;
  for (std::int64_t i = 1; i <= 1'000'000; ++i) ASSERT_FALSE(TakeAt(often, full / 1'000'001 * i));
  EXPECT_FALSE(TakeAt(often, full - 1));
  EXPECT_TRUE(TakeAt(often, full) && TakeAt(once, full));
}

TEST(TokenBucket, TheSlowestOverTheLongestTimeAndTheFastestAreExact) {
  TokenBucket slow({.rate = 1, .burst = Contract::kLargestBurst});
  EXPECT_TRUE(TakeAt(slow, Nanoseconds(kLongestDuration)));
  TokenBucket fast({.rate = Contract::kFastest, .burst = Contract::kLargestBurst});
  EXPECT_TRUE(TakeAt(fast, Nanoseconds(kLongestDuration)));
  TokenBucket each({.rate = Contract::kFastest, .burst = 1});
  EXPECT_EQ(CoveredAt(each, 0, 2), 1);
  EXPECT_EQ(CoveredAt(each, 1, 2), 1);  // 10^9 a second is one each nanosecond
}

TEST(TokenBucket, WhatIsToldLateFindsWhatIsLeft) {
  TokenBucket bucket({.rate = kPerSecond, .burst = 1});
  EXPECT_TRUE(TakeAt(bucket, 5 * kSecond));
  EXPECT_FALSE(TakeAt(bucket, 4 * kSecond));
  EXPECT_FALSE(TakeAt(bucket, 6 * kSecond - 1));
  EXPECT_TRUE(TakeAt(bucket, 6 * kSecond));
}

TEST(TokenBucket, AChangeKeepsWhatWasEarned) {
  TokenBucket bucket({.rate = kPerSecond, .burst = 10});
  EXPECT_EQ(CoveredAt(bucket, 0, 20), 10);
  bucket.Change({.rate = 5 * kPerSecond, .burst = 20}, AtNanoseconds(3 * kSecond));
  EXPECT_EQ(CoveredAt(bucket, 4 * kSecond, 20), 3 + 5);
}

TEST(TokenBucket, AChangeToASmallerBurstSpillsTheRest) {
  TokenBucket bucket({.rate = 1, .burst = 10});
  bucket.Change({.rate = 1, .burst = 2}, Instant{});
  EXPECT_EQ(CoveredAt(bucket, 0, 20), 2);
}

// Random arrivals, in bursts and with gaps, under a random contract.
class RandomArrivals : public testing::TestWithParam<std::uint64_t> {
 protected:
  RandomArrivals() {
    RandomStream random(GetParam(), "bucket");
    contract_ = {.rate = 1 + static_cast<std::int64_t>(random.Below(2'000'000'000)),
                 .burst = 1 + static_cast<std::int64_t>(random.Below(12))};
    const std::int64_t gap = 1'000'000 * kSecond / contract_.rate;  // between tokens
    std::int64_t at = 0;
    for (int i = 0; i < 300; ++i) {
      const auto span =
          static_cast<std::uint64_t>(random.Below(4) == 0 ? 6 * gap + 1 : gap / 2 + 1);
      if (random.Below(3) > 0) at += static_cast<std::int64_t>(random.Below(span));
      arrivals_.push_back(at);
    }
    TokenBucket bucket(contract_);
    for (const std::int64_t arrival : arrivals_) covered_.push_back(TakeAt(bucket, arrival));
  }

  // Whether so many may be covered in an interval, by the contract's words.
  bool Allows(std::int64_t count, std::int64_t ns) const {
    constexpr Wide kToken = 1'000'000 * Wide{kSecond};
    return count * kToken <= contract_.burst * kToken + Wide{contract_.rate} * ns;
  }

  Contract contract_;
  std::vector<std::int64_t> arrivals_;
  std::vector<bool> covered_;
};

TEST_P(RandomArrivals, NoIntervalCoversMoreThanTheContractSays) {
  for (std::size_t first = 0; first < arrivals_.size(); ++first) {
    std::int64_t count = 0;
    for (std::size_t last = first; last < arrivals_.size(); ++last) {
      count += covered_[last] ? 1 : 0;
      ASSERT_TRUE(Allows(count, arrivals_[last] - arrivals_[first])) << first << " to " << last;
    }
  }
}

// Who covers whoever comes, unless an interval that ends with it would then hold too many.
TEST_P(RandomArrivals, CoversWhatAGreedyReaderOfTheContractWould) {
  std::vector<bool> greedy;
  for (std::size_t last = 0; last < arrivals_.size(); ++last) {
    bool allowed = true;
    std::int64_t count = 1;
    for (std::size_t first = last + 1; first-- > 0;) {
      if (first < last && greedy[first]) ++count;
      allowed = allowed && Allows(count, arrivals_[last] - arrivals_[first]);
    }
    greedy.push_back(allowed);
  }
  EXPECT_EQ(covered_, greedy);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomArrivals, testing::Range<std::uint64_t>(0, 40));

}  // namespace
}  // namespace fairlead
