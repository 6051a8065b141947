#include "fairlead/profiling/measuring_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fairlead {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::vector<int>> NetworksOf(const std::vector<NetworkMix>& mixes) {
  std::vector<std::vector<int>> networks;
  for (const NetworkMix& mix : mixes) networks.push_back(mix.networks);
  return networks;
}

TEST(DrawMixes, FindsAllPairsOfTwoPartitions) {
  auto pairs = NetworksOf(DrawMixes(3, 2, 100, 1));
  std::ranges::sort(pairs);
  const auto repeated = std::ranges::unique(pairs);
  pairs.erase(repeated.begin(), repeated.end());
  EXPECT_THAT(pairs, SizeIs(9));
}

TEST(DrawMixes, MeasuresOneInTwentyTwice) {
  // 40 different ones, the first and the twenty-first twice in a row.
  const auto mixes = NetworksOf(DrawMixes(10, 2, 40, 1));
  ASSERT_THAT(mixes, SizeIs(42));
  EXPECT_EQ(mixes[0], mixes[1]);
  EXPECT_EQ(mixes[21], mixes[22]);
}

TEST(DrawMixes, KeepsAtLeastTwoPartitionsBusy) {
  for (const auto& networks : NetworksOf(DrawMixes(3, 4, 200, 1)))
    EXPECT_GE(4 - std::ranges::count(networks, kIdle), 2);
}

TEST(DrawMixes, LeavesSomeOfManyPartitionsIdle) {
  const auto mixes = NetworksOf(DrawMixes(3, 4, 200, 1));
  EXPECT_TRUE(std::ranges::any_of(
      mixes, [](const auto& networks) { return std::ranges::count(networks, kIdle) > 0; }));
}

TEST(DrawMixes, DependsOnTheSeedAlone) {
  EXPECT_EQ(NetworksOf(DrawMixes(5, 2, 8, 7)), NetworksOf(DrawMixes(5, 2, 8, 7)));
  EXPECT_NE(NetworksOf(DrawMixes(5, 2, 8, 7)), NetworksOf(DrawMixes(5, 2, 8, 8)));
}

TEST(DrawMixes, HasNoneOnOnePartition) { EXPECT_THAT(DrawMixes(3, 1, 10, 1), IsEmpty()); }

TEST(DrawMixes, MayBeNone) { EXPECT_THAT(DrawMixes(3, 2, 0, 1), IsEmpty()); }

TEST(DrawCoRuns, MeasuresBesideAtLeastOneOther) {
  for (const LayerCoRun& corun : DrawCoRuns({.layers = 50}, 3, 100, 1)) {
    EXPECT_EQ(corun.others[corun.partition], kIdle);
    EXPECT_GE(3 - std::ranges::count(corun.others, kIdle), 1);
  }
}

TEST(DrawCoRuns, MeasuresOnAllPartitions) {
  std::set<std::size_t> partitions;
  for (const LayerCoRun& corun : DrawCoRuns({.layers = 50}, 3, 100, 1))
    partitions.insert(corun.partition);
  EXPECT_THAT(partitions, SizeIs(3));
}

TEST(DrawCoRuns, MeasuresOneInTwentyTwice) {
  const auto coruns = DrawCoRuns({.layers = 50}, 2, 100, 1);
  ASSERT_THAT(coruns, SizeIs(105));
  EXPECT_EQ(coruns[0].layer, coruns[1].layer);
  EXPECT_EQ(coruns[0].others, coruns[1].others);
}

TEST(DrawCoRuns, MeasuresWhatItIsToldTo) {
  for (const LayerCoRun& corun : DrawCoRuns({.layers = 50, .first = 40, .last = 45}, 3, 100, 1)) {
    EXPECT_GE(corun.layer, 40);
    EXPECT_LT(corun.layer, 45);
  }
}

TEST(DrawCoRuns, HasNoneWithoutLayers) {
  EXPECT_THAT(DrawCoRuns({.layers = 0}, 2, 10, 1), IsEmpty());
}

}  // namespace
}  // namespace fairlead
