#include "fairlead/fairness/claims.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fairlead {
namespace {

TEST(RequestsNeeded, NinetyPercentNeeds44WithoutAMiss) { EXPECT_EQ(RequestsNeeded(0.9, 0), 44); }

TEST(RequestsNeeded, NinetyPercentNeeds64WithOneMiss) { EXPECT_EQ(RequestsNeeded(0.9, 1), 64); }

TEST(RequestsNeeded, NinetyNinePercentNeeds459WithoutAMiss) {
  EXPECT_EQ(RequestsNeeded(0.99, 0), 459);  // log 0.01 / log 0.99 = 458.2
}

TEST(RequestsNeeded, NinetyFivePercentConfidenceNeedsFewer) {
  EXPECT_EQ(RequestsNeeded(0.9, 0, 0.95), 29);  // log 0.05 / log 0.9 = 28.4
}

TEST(RequestsNeeded, IsTheSmallestNumberForAMillionMisses) {
  const std::int64_t needed = RequestsNeeded(0.9, 1'000'000).value();
  // By the normal approximation n/10 - 2.326 sqrt(0.09 n) = 10^6: about 10,022,100.
  EXPECT_NEAR(static_cast<double>(needed), 10'022'100, 200);
}

TEST(RequestsNeeded, OneFewerIsNotEnoughForAMillionMisses) {
  const std::int64_t needed = RequestsNeeded(0.9, 1'000'000).value();
  EXPECT_GT(BinomialAtMost(needed - 1, 0.1, 1'000'000), 0.01);
}

TEST(RequestsNeeded, CertaintyIsNeverEstablished) { EXPECT_EQ(RequestsNeeded(1, 0), std::nullopt); }

TEST(RequestsNeeded, ATargetOfZeroNeedsOneMoreThanItsMisses) { EXPECT_EQ(RequestsNeeded(0, 3), 4); }

TEST(BinomialAtMost, SumsTermsOfASmallCase) {
  // 0.9^3 + 3 * 0.1 * 0.9^2
  EXPECT_NEAR(BinomialAtMost(3, 0.1, 1), 0.972, 1e-14);
}

TEST(BinomialAtMost, IsCertainForAllTrials) { EXPECT_EQ(BinomialAtMost(5, 0.3, 5), 1); }

TEST(BinomialAtLeast, ComplementsAtMost) {
  EXPECT_NEAR(BinomialAtLeast(40, 0.3, 15) + BinomialAtMost(40, 0.3, 14), 1, 1e-14);
}

TEST(JudgeClaim, HoldsWith44HitsOf44) { EXPECT_EQ(JudgeClaim(44, 0, 0.9), Claim::kHolds); }

TEST(JudgeClaim, IsOpenWith43HitsOf43) { EXPECT_EQ(JudgeClaim(43, 0, 0.9), Claim::kOpen); }

TEST(JudgeClaim, HoldsWith63HitsOf64) { EXPECT_EQ(JudgeClaim(63, 1, 0.9), Claim::kHolds); }

TEST(JudgeClaim, ThreeFailuresOfThreeBreakNinetyPercent) {
  EXPECT_EQ(JudgeClaim(0, 3, 0.9), Claim::kBroken);  // 0.1^3 = 0.001
}

TEST(JudgeClaim, OneFailureOfOneLeavesNinetyPercentOpen) {
  EXPECT_EQ(JudgeClaim(0, 1, 0.9), Claim::kOpen);
}

TEST(JudgeClaim, IsOpenWithoutRequests) { EXPECT_EQ(JudgeClaim(0, 0, 0.9), Claim::kOpen); }

TEST(JudgeClaim, IsOpenExactlyAtTheTarget) {
  EXPECT_EQ(JudgeClaim(9'000'000, 1'000'000, 0.9), Claim::kOpen);
}

TEST(JudgeClaim, HoldsThreeDeviationsAboveInTenMillion) {
  EXPECT_EQ(JudgeClaim(9'003'000, 997'000, 0.9), Claim::kHolds);
}

TEST(JudgeClaim, IsBrokenThreeDeviationsBelowInTenMillion) {
  EXPECT_EQ(JudgeClaim(8'997'000, 1'003'000, 0.9), Claim::kBroken);
}

TEST(JudgeClaim, AnyFailureBreaksCertainty) { EXPECT_EQ(JudgeClaim(99, 1, 1), Claim::kBroken); }

TEST(JudgeClaim, CertaintyStaysOpenWithoutFailures) {
  EXPECT_EQ(JudgeClaim(1'000'000, 0, 1), Claim::kOpen);
}

TEST(JudgeClaim, ATargetOfZeroAlwaysHolds) { EXPECT_EQ(JudgeClaim(0, 5, 0), Claim::kHolds); }

}  // namespace
}  // namespace fairlead
