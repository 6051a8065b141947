#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/plots/row_plots.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<double> SomePositions(std::size_t count, double width, std::uint64_t seed) {
  RandomStream random(seed, "swarm");
  std::vector<double> positions;
  for (std::size_t i = 0; i < count; ++i) {
    const double position = width * random.Uniform();
    positions.push_back(i % 3 == 0 ? std::round(position) : position);  // some coincide
  }
  std::ranges::sort(positions);
  return positions;
}

TEST(SwarmOffsets, LonelyMarksAreInTheMiddle) {
  EXPECT_THAT(SwarmOffsets(std::vector<double>{0, 5, 10}, 5), ElementsAre(0, 0, 0));
}

TEST(SwarmOffsets, MarksAtOnePlaceAlternate) {
  EXPECT_THAT(SwarmOffsets(std::vector<double>{1, 1, 1, 1}, 2), ElementsAre(0, 2, -2, 4));
}

TEST(SwarmOffsets, MarksNeverOverlap) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> positions = SomePositions(150, 100, seed);
    const std::vector<double> offsets = SwarmOffsets(positions, 4);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(std::hypot(positions[i] - positions[j], offsets[i] - offsets[j]), 4 - 1e-6);
      }
    }
  }
}

TEST(SwarmOffsets, EqualPositionsGiveEqualOffsets) {
  const std::vector<double> positions = SomePositions(200, 50, 7);
  EXPECT_EQ(SwarmOffsets(positions, 3), SwarmOffsets(positions, 3));
}

TEST(GroupCrowded, LeavesAloneWhatHasRoom) {
  const auto groups = GroupCrowded(std::vector<double>{0, 1, 10, 20}, 5, 2);
  ASSERT_EQ(groups.size(), 4U);
  for (const SwarmGroup& group : groups) EXPECT_EQ(group.count, 1U);
}

TEST(GroupCrowded, CoversAllInOrder) {
  const std::vector<double> positions = SomePositions(1000, 60, 3);
  const auto groups = GroupCrowded(positions, 5, 4);
  std::size_t next = 0;
  for (const SwarmGroup& group : groups) {
    EXPECT_EQ(group.first, next);
    next += group.count;
  }
  EXPECT_EQ(next, positions.size());
  EXPECT_LE(groups.size(), 13U * 4U);
}

TEST(SwarmPlot, OneMarkStandsForSeveralWhereTheyCrowd) {
  SwarmRow row{.name = "p", .style = StyleOf(0), .points = {}};
  for (int i = 0; i < 100; ++i) row.points.push_back({-0.5, "ada"});
  row.points.push_back({0.5, "<bob>"});
  const std::string svg = DrawSwarmPlot({.label = "l", .x = {}, .rows = {row}});
  EXPECT_THAT(svg, HasSubstr("<title>10 of them, from -0.5 to -0.5</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;bob&gt;</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("ada")));
}

TEST(SwarmPlot, DoesNotDependOnTheOrderOfPoints) {
  SwarmRow row{.name = "p", .style = StyleOf(0), .points = {}};
  for (double position : SomePositions(50, 1, 5)) row.points.push_back({position, ""});
  const std::string svg = DrawSwarmPlot({.label = "l", .x = {}, .rows = {row}});
  std::ranges::reverse(row.points);
  EXPECT_EQ(DrawSwarmPlot({.label = "l", .x = {}, .rows = {row}}), svg);
}

}  // namespace
}  // namespace fairlead
