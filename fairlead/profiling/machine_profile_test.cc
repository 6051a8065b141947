#include "fairlead/profiling/machine_profile.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

LayerCoRun CoRun(std::size_t layer, double nanoseconds) {
  return {.layer = layer, .partition = 0, .others = {kIdle, 1}, .nanoseconds = nanoseconds};
}

TEST(NoiseFloor, ComparesWhatStandsTwiceInARow) {
  const NoiseFloor noise = NoiseOf({CoRun(1, 100), CoRun(1, 110), CoRun(2, 500)});
  EXPECT_EQ(noise.cases, 1);
  EXPECT_DOUBLE_EQ(noise.median, 0.1);
}

TEST(NoiseFloor, IsRelativeToTheSmaller) {
  EXPECT_DOUBLE_EQ(NoiseOf({CoRun(1, 110), CoRun(1, 100)}).median, 0.1);
}

TEST(NoiseFloor, HasMedianAndTail) {
  std::vector<LayerCoRun> coruns;
  for (std::size_t i = 0; i <= 10; ++i) {  // 0 % to 10 %
    coruns.push_back(CoRun(i, 100));
    coruns.push_back(CoRun(i, 100 + static_cast<double>(i)));
  }
  const NoiseFloor noise = NoiseOf(coruns);
  EXPECT_NEAR(noise.median, 0.05, 1e-12);
  EXPECT_NEAR(noise.p90, 0.09, 1e-12);
}

TEST(NoiseFloor, IsNothingWhereNothingWasRepeated) {
  EXPECT_EQ(NoiseOf({CoRun(1, 100), CoRun(2, 110)}).cases, 0);
}

TEST(NoiseFloor, OfMixesLooksAtBusyPartitions) {
  const NoiseFloor noise = NoiseOf(
      {NetworkMix{{0, kIdle, 2}, {100, 0, 1000}}, NetworkMix{{0, kIdle, 2}, {110, 0, 1000}}});
  EXPECT_EQ(noise.cases, 2);
  EXPECT_NEAR(noise.median, 0.05, 1e-12);
}

}  // namespace
}  // namespace fairlead
