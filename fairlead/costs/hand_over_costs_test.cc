#include "fairlead/costs/hand_over_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

constexpr KindId kP0{0};
constexpr KindId kP1{1};
const std::vector<std::string> kKinds = {"p0", "p1"};

constexpr std::string_view kTable =
    "what,from,to,fixed_ns,bytes_per_s\n"
    "hand_over,,p0,4200,\n"
    "take_over,,p0,30000,\n"
    "take_over,,p1,20000,\n"
    "move,p0,p1,25000,8000000000\n"
    "move,p1,p0,26000,\n";

std::string ErrorOf(std::string_view rows) {
  const auto costs =
      ParseHandOvers("h.csv", "what,from,to,fixed_ns,bytes_per_s\n" + std::string(rows), kKinds);
  return costs.has_value() ? "no error" : costs.error().message;
}

TEST(HandOverCosts, AreReadFromATable) {
  const auto costs = ParseHandOvers("h.csv", kTable, kKinds);
  ASSERT_TRUE(costs.has_value()) << costs.error().message;
  EXPECT_EQ(costs->HandOver(kP0), Duration{4200});
  EXPECT_EQ(costs->HandOver(kP1), Duration{0});
  EXPECT_EQ(costs->TakeOver(kP1), Duration{20000});
  EXPECT_EQ(costs->Move(kP0, kP1), (MoveCost{Duration{25000}, 8'000'000'000}));
  EXPECT_EQ(costs->Move(kP1, kP0), (MoveCost{Duration{26000}, 0}));
  EXPECT_EQ(costs->Move(kP1, kP1), MoveCost{});
}

TEST(HandOverCosts, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(FormatHandOvers(*ParseHandOvers("h.csv", kTable, kKinds), kKinds), kTable);
}

TEST(HandOverCosts, CostNothingUnlessSaid) {
  EXPECT_TRUE(HandOverCosts(2).None());
  EXPECT_FALSE(HandOverCosts(2).DependOnPlaces());
  HandOverCosts boundary(2);
  boundary.SetHandOver(kP0, Duration{1});
  EXPECT_FALSE(boundary.None());
  EXPECT_FALSE(boundary.DependOnPlaces());
  HandOverCosts move(2);
  move.SetMove(kP0, kP1, {.bandwidth = 1});
  EXPECT_TRUE(move.DependOnPlaces());
}

TEST(HandOverCosts, AMoveTakesItsFixedPartAndItsBytes) {
  const MoveCost move{.fixed = Duration{100}, .bandwidth = 2'000'000'000};
  EXPECT_EQ(move.For(0), Duration{100});
  EXPECT_EQ(move.For(8), Duration{104});
  EXPECT_EQ(move.For(9), Duration{105});  // half a nanosecond more
  EXPECT_EQ((MoveCost{.fixed = Duration{100}}.For(1'000'000)), Duration{100});
}

TEST(HandOverCosts, NoMoveTakesForEver) {
  EXPECT_EQ((MoveCost{.fixed = Duration{5}, .bandwidth = 1}.For(INT64_MAX)), MoveCost::kLongest);
}

TEST(HandOverCosts, AreRenumbered) {
  const auto costs = ParseHandOvers("h.csv", kTable, kKinds);
  const HandOverCosts other = costs->Renumbered(std::vector<KindId>{KindId{}, kP1, kP0});
  EXPECT_EQ(other.HandOver(KindId{2}), Duration{4200});
  EXPECT_EQ(other.TakeOver(KindId{1}), Duration{20000});
  EXPECT_EQ(other.Move(KindId{2}, KindId{1}), costs->Move(kP0, kP1));
  EXPECT_EQ(other.TakeOver(KindId{0}), Duration{0});
}

TEST(HandOverCosts, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(ErrorOf("handover,,p0,1,\n"), HasSubstr("did you mean 'hand_over'?"));
  EXPECT_THAT(ErrorOf("take_over,,p9,1,\n"), HasSubstr("the profile has no accelerator 'p9'"));
  EXPECT_THAT(ErrorOf("move,,p0,1,\n"), HasSubstr("from"));
  EXPECT_THAT(ErrorOf("take_over,p1,p0,1,\n"), HasSubstr("from belongs to a move"));
  EXPECT_THAT(ErrorOf("hand_over,,p0,1,5\n"), HasSubstr("bytes_per_s belongs to a move"));
  EXPECT_THAT(ErrorOf("hand_over,,p0,1,\nhand_over,,p0,2,\n"), HasSubstr("stands twice"));
  EXPECT_THAT(ErrorOf("move,p0,p1,1,0\n"), HasSubstr("bytes_per_s"));
  EXPECT_THAT(ErrorOf("hand_over,,p0,-1,\n"), HasSubstr("fixed_ns"));
}

}  // namespace
}  // namespace fairlead
