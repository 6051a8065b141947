#include <gtest/gtest.h>

#include <chrono>

#include "fairlead/running/hand_over_profile.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;

constexpr KindId kLeft{0};
constexpr KindId kRight{1};

TEST(FitMove, FindsTheFixedPartAndTheBandwidth) {
  std::vector<WatchedMove> moves;
  for (std::int64_t bytes : {1'000, 2'000, 3'000, 101'000, 102'000, 103'000})
    moves.push_back({.bytes = bytes, .beyond = microseconds(10) + Duration{bytes / 4}});
  moves[0].beyond += std::chrono::milliseconds(50);  // somebody got in the way
  const MoveCost cost = FitMove(moves);
  EXPECT_NEAR(static_cast<double>(cost.fixed.count()), 10'000, 300);
  EXPECT_NEAR(static_cast<double>(cost.bandwidth), 4e9, 1e8);
}

TEST(FitMove, WithoutADifferenceInBytesAllIsFixed) {
  EXPECT_EQ(FitMove({{100, Duration{7}}, {100, Duration{9}}, {100, Duration{8}}}),
            (MoveCost{.fixed = Duration{8}}));
  EXPECT_EQ(FitMove({{100, Duration{-7}}}), MoveCost{});
  EXPECT_EQ(FitMove({}), MoveCost{});
}

class FitHandOversTest : public testing::Test {
 protected:
  // A segment whose work takes so long, with a boundary of 2 us.
  void Add(std::size_t on, Passage passage, Duration work, std::size_t from = 0,
           bool alone_there = false) {
    LoggedSegment seen{.network = NetworkId{0},
                       .segment = SegmentId{1},
                       .accelerator = AcceleratorId{on},
                       .from = AcceleratorId{from},
                       .passage = passage,
                       .alone_there = alone_there,
                       .time = work + microseconds(2)};
    segments_.push_back({.seen = seen, .work = work, .alive_bytes = 1000});
  }

  std::vector<WatchedSegment> segments_;
  const std::vector<KindId> kinds_ = {kLeft, kRight};
};

TEST_F(FitHandOversTest, TellsTheThreeApart) {
  for (std::size_t on : {0, 1}) {
    for (int i = 0; i < 3; ++i) Add(on, Passage::kGoesOn, microseconds(100));
    for (int i = 0; i < 3; ++i) Add(on, Passage::kTakesOver, microseconds(130), on);
  }
  for (int i = 0; i < 3; ++i) Add(1, Passage::kMoves, microseconds(180), 0);
  for (int i = 0; i < 3; ++i) Add(0, Passage::kMoves, microseconds(140), 1, true);
  const HandOverCosts costs = FitHandOvers(segments_, kinds_, 2);
  EXPECT_EQ(costs.HandOver(kLeft), microseconds(2));
  EXPECT_EQ(costs.TakeOver(kRight), microseconds(30));
  EXPECT_EQ(costs.Move(kLeft, kRight), (MoveCost{.fixed = microseconds(50)}));
  EXPECT_EQ(costs.Move(kRight, kLeft), (MoveCost{.fixed = microseconds(40)}));
  EXPECT_EQ(costs.Move(kLeft, kLeft), MoveCost{});
}

TEST_F(FitHandOversTest, WhatNeverWentOnSaysNothing) {
  Add(0, Passage::kTakesOver, microseconds(130));
  EXPECT_TRUE(FitHandOvers(segments_, kinds_, 2).None());
}

}  // namespace
}  // namespace fairlead
