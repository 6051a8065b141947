#include "fairlead/sharing/count_search.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

// By hand: two kinds of two. The first place has 0.5 of either, the second 0.1 of the first kind
// and 0.4 of the second: best is 1.0 for the first of kind 0, 0.8 for the second of kind 1.
TEST(CountSearchTest, RaisesTheWorst) {
  const CountSolution solution =
      SearchCounts({.kinds = 2, .available = {2, 2}, .worth = {0.5, 0.5, 0.1, 0.4}});
  EXPECT_EQ(solution.counts, (std::vector<int>{2, 0, 0, 2}));
  EXPECT_EQ(solution.gap, 0);
}

TEST(CountSearchTest, MorePlacesThanAcceleratorsHaveNothingToGain) {
  const CountSolution solution =
      SearchCounts({.kinds = 1, .available = {2}, .worth = {0.5, 0.5, 0.5}});
  EXPECT_EQ(solution.counts, (std::vector<int>{0, 0, 0}));
}

TEST(CountSearchTest, ThreeKinds) {
  // Each place can use one kind alone.
  const CountSolution solution =
      SearchCounts({.kinds = 3, .available = {3, 3, 3}, .worth = {1, 0, 0, 0, 0.5, 0, 0, 0, 0.25}});
  EXPECT_EQ(solution.counts[8], 3);
  EXPECT_GE(solution.counts[4], 2);
  EXPECT_GE(solution.counts[0], 1);
}

TEST(CountSearchTest, RefusesWhatIsTooLarge) {
  EXPECT_TRUE(CheckSearchable({20, 20}).has_value());
  EXPECT_TRUE(CheckSearchable({100'000}).has_value());
  EXPECT_FALSE(CheckSearchable({1000, 1000, 1000}).has_value());
}

}  // namespace
}  // namespace fairlead
