#include "fairlead/costs/beside_slowdowns.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace fairlead {
namespace {

using Placed = BesideSlowdowns::Placed;

Placed At(std::size_t network, std::size_t accelerator) {
  return {NetworkId{network}, AcceleratorId{accelerator}};
}

TEST(BesideSlowdowns, AreNoneUnlessSet) {
  const BesideSlowdowns slowdowns(2, 3);
  EXPECT_EQ(slowdowns.Beside(At(0, 0), std::array{At(1, 1), At(1, 2)}), 0);
  EXPECT_EQ(slowdowns.Mean(At(1, 2)), 0);
}

TEST(BesideSlowdowns, AreNoneOfNetworksThatCameLater) {
  BesideSlowdowns slowdowns(1, 2);
  slowdowns.SetMean(At(0, 0), 100);
  slowdowns.SetPair(At(0, 0), At(0, 1), 100);
  EXPECT_EQ(slowdowns.Beside(At(0, 0), std::array{At(7, 1)}), 0);
  EXPECT_EQ(slowdowns.Beside(At(7, 0), std::array{At(0, 1)}), 0);
  EXPECT_EQ(slowdowns.Mean(At(7, 0)), 0);
}

TEST(BesideSlowdowns, MultiplyAndAreLessThanThatBesideMany) {
  BesideSlowdowns slowdowns(2, 3);
  slowdowns.SetPair(At(0, 0), At(1, 1), BesideSlowdowns::LogOf(1.2));
  slowdowns.SetPair(At(0, 0), At(1, 2), BesideSlowdowns::LogOf(1.5));
  const auto beside = [&](std::span<const Placed> others) {
    return BesideSlowdowns::FactorOf(slowdowns.Beside(At(0, 0), others));
  };
  const std::array both = {At(1, 1), At(1, 2)};
  EXPECT_NEAR(beside(std::span(both).first(1)), 1.2, 1e-5);
  EXPECT_NEAR(beside(both), 1.8, 1e-5);
  EXPECT_EQ(beside(both), beside(std::array{both[1], both[0]}));
  slowdowns.SetFactor(At(0, 0), 2, 1 << (BesideSlowdowns::kLogBits - 1));
  EXPECT_NEAR(beside(both), std::sqrt(1.8), 1e-5);
  EXPECT_NEAR(beside(std::span(both).first(1)), 1.2, 1e-5);
}

TEST(BesideSlowdowns, AreMeansOverAccelerators) {
  BesideSlowdowns slowdowns(1, 2);
  slowdowns.SetMean(At(0, 0), 100);
  slowdowns.SetMean(At(0, 1), 300);
  EXPECT_EQ(slowdowns.UsualMean(NetworkId{std::size_t{0}}), 200);
}

TEST(BesideSlowdowns, AreNumbersThatMakeTheSameAgain) {
  BesideSlowdowns slowdowns(2, 2);
  slowdowns.SetMean(At(1, 0), 7);
  slowdowns.SetPair(At(1, 0), At(0, 1), 11);
  BesideSlowdowns again(2, 2);
  EXPECT_TRUE(again.SetNumbers(slowdowns.Numbers()));
  EXPECT_EQ(again.Beside(At(1, 0), std::array{At(0, 1)}), 11);
  EXPECT_EQ(again.Mean(At(1, 0)), 7);
  EXPECT_FALSE(BesideSlowdowns(2, 3).SetNumbers(slowdowns.Numbers()));
}

}  // namespace
}  // namespace fairlead
