#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fairlead/plots/plot_frame.h"

namespace fairlead {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

std::vector<double> Labelled(const Scale& scale, int most) {
  std::vector<double> values;
  for (const Tick& tick : scale.Ticks(most)) {
    if (tick.labelled) values.push_back(tick.value);
  }
  return values;
}

TEST(Scale, LinearPlacesValuesInProportion) {
  const Scale scale(ScaleKind::kLinear, {10, 20}, {100, 0});  // upwards, as y axes go
  EXPECT_DOUBLE_EQ(scale(10), 100);
  EXPECT_DOUBLE_EQ(scale(15), 50);
  EXPECT_DOUBLE_EQ(scale(22), -20);
}

TEST(Scale, LogPlacesRatiosInProportion) {
  const Scale scale(ScaleKind::kLog, {1, 10'000}, {0, 400});
  EXPECT_NEAR(scale(10), 100, 1e-9);
  EXPECT_NEAR(scale(1000), 300, 1e-9);
  EXPECT_NEAR(scale(std::sqrt(10)), 50, 1e-9);
}

TEST(ScaleDeathTest, RefusesImpossibleRanges) {
  EXPECT_DEATH(Scale(ScaleKind::kLog, {0, 1}, {0, 1}), "");
  EXPECT_DEATH(Scale(ScaleKind::kLinear, {1, 1}, {0, 1}), "");
}

TEST(Ticks, LinearOnesAreRoundNumbers) {
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLinear, {0, 100}, {0, 1}), 6),
              ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLinear, {-1, 3.7}, {0, 1}), 6),
              ElementsAre(-1, 0, 1, 2, 3));
  const std::vector<double> tenths = {0.1, 0.2, 0.3};
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLinear, {0.1, 0.3}, {0, 1}), 4),
              Pointwise(DoubleNear(1e-12), tenths));
}

TEST(Ticks, LogOnesAreLabelledAtPowersOfTen) {
  const Scale scale(ScaleKind::kLog, {1, 1000}, {0, 1});
  EXPECT_THAT(Labelled(scale, 6), ElementsAre(1, 10, 100, 1000));
  EXPECT_EQ(scale.Ticks(6).size(), 28U);  // 2 to 9 in each decade have small ones
}

TEST(Ticks, LogOverFewDecadesLeavesLabelsRoom) {
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLog, {2, 95}, {0, 1}), 6), ElementsAre(2, 5, 10, 20, 50));
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLog, {2.1, 95}, {0, 1}), 4), ElementsAre(5, 20, 50));
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLog, {21, 45}, {0, 1}), 6),
              ElementsAre(25, 30, 35, 40, 45));
}

TEST(Axis, EndsWhereNoValueCanBe) {
  const Axis share{.label = "", .most = 1};
  EXPECT_EQ(share.RangeFor(Range{1, 1}, 6), (Range{0, 1}));
  EXPECT_EQ(share.RangeFor(Range{0.2, 0.5}, 6).high, 0.5);
  EXPECT_GT(share.RangeFor(Range{0.2, 1.5}, 6).high, 1);  // what is there is drawn
  EXPECT_EQ(Axis{}.RangeFor(Range{1, 1}, 6).high, 2);
}

TEST(Ticks, LogOverManyDecadesSkipsSome) {
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLog, {1, 1e9}, {0, 1}), 6),
              ElementsAre(1, 100, 1e4, 1e6, 1e8));
}

TEST(Ticks, LogOverLessThanADecadeStillHasLabels) {
  EXPECT_THAT(Labelled(Scale(ScaleKind::kLog, {1.5, 9}, {0, 1}), 6), ElementsAre(2, 5));
  EXPECT_GE(Labelled(Scale(ScaleKind::kLog, {31, 39}, {0, 1}), 6).size(), 2U);
}

TEST(Ticks, ThereAreNeverTooMany) {
  for (double low : {-3.3e7, 0.0, 1e-9, 0.7, 12345.6}) {
    for (double span : {1e-6, 0.11, 1.0, 7.7, 1e3, 9.9e12}) {
      for (int most : {2, 4, 6, 9}) {
        const auto linear = Scale(ScaleKind::kLinear, {low, low + span}, {0, 1}).Ticks(most);
        EXPECT_LE(linear.size(), static_cast<std::size_t>(most)) << low << " " << span;
        if (low <= 0 || most < 4) continue;
        const auto log = Labelled(Scale(ScaleKind::kLog, {low, low + span}, {0, 1}), most);
        EXPECT_LE(log.size(), static_cast<std::size_t>(most)) << low << " " << span;
      }
    }
  }
}

TEST(NiceRange, EndsOnTicks) {
  EXPECT_EQ(NiceRange(ScaleKind::kLinear, {3, 97}, 6), (Range{0, 100}));
  EXPECT_EQ(NiceRange(ScaleKind::kLinear, {0, 100}, 6), (Range{0, 100}));
  EXPECT_EQ(NiceRange(ScaleKind::kLinear, {-0.5, 0}, 6).high, 0);
}

TEST(NiceRange, IsNeverEmpty) {
  for (double value : {0.0, 5.0, -3.0}) {
    const Range range = NiceRange(ScaleKind::kLinear, {value, value}, 6);
    EXPECT_LT(range.low, value);
    EXPECT_GT(range.high, value);
  }
  const Range range = NiceRange(ScaleKind::kLog, {5, 5}, 6);
  EXPECT_GT(range.low, 0);
  EXPECT_LT(range.low, range.high);
}

TEST(Format, IsShort) {
  EXPECT_EQ(FormatCompact(0.25), "0.25");
  EXPECT_EQ(FormatCompact(1500), "1.5k");
  EXPECT_EQ(FormatCompact(-2e9), "-2G");
  EXPECT_EQ(FormatCompact(1e12), "1T");
  EXPECT_EQ(FormatPercent(0.855), "85.5 %");
  EXPECT_EQ(FormatTime(0), "0");
  EXPECT_EQ(FormatTime(1.5e6), "1.5 ms");
  EXPECT_EQ(FormatTime(2000), "2 \u00b5s");
  EXPECT_EQ(FormatTime(3e10), "30 s");
  EXPECT_EQ(FormatTime(0.5), "0.5 ns");
}

}  // namespace
}  // namespace fairlead
