#include "fairlead/interference/counted_slowdowns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fairlead {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TableText kAlone = {"solo.csv", "model,us_8c_0,us_4c_1,us_4c_2\na,100,200,200\nb,10,20,20\n"};

TEST(CountedSlowdowns, AreMeansOfWhatWasMeasured) {
  const TableText mixes = {"mixes.csv",
                           "p0,p1,p2,us_p0,us_p1,us_p2\n"
                           "a,b,,110,22,\n"      // 1.1 and 1.1 beside one
                           "b,a,a,12,240,300\n"  // 1.2, 1.2 and 1.5 beside two
                           "a,,,500,,\n"};       // alone: says nothing
  EXPECT_THAT(CountSlowdowns(kAlone, mixes).value(),
              ElementsAre(1, DoubleNear(1.1, 1e-9), DoubleNear(std::cbrt(1.2 * 1.2 * 1.5), 1e-9)));
}

TEST(CountedSlowdowns, DoNotShrinkWithTheNumber) {
  const TableText mixes = {"mixes.csv",
                           "p0,p1,p2,us_p0,us_p1,us_p2\na,b,,120,24,\na,a,a,110,220,220\n"};
  const auto counted = CountSlowdowns(kAlone, mixes).value();
  EXPECT_EQ(counted[2], counted[1]);
}

TEST(CountedSlowdowns, OfUnknownNetworksAreRefused) {
  const TableText mixes = {"mixes.csv", "p0,p1,p2,us_p0,us_p1,us_p2\nc,b,,120,24,\n"};
  EXPECT_THAT(CountSlowdowns(kAlone, mixes).error().message,
              HasSubstr("mixes.csv:2:1: solo.csv has no network 'c'"));
}

TEST(CountedSlowdowns, MakeAWorldThatObeysThem) {
  const auto model = MakeCountedSlowdowns({1, 1.25, 2});
  const RunningSegment segment{.network = NetworkId{std::size_t{0}}, .units = 4};
  const auto slowdown = [&](std::size_t number) {
    const std::vector<RunningSegment> running(number, segment);
    std::vector<Rate> rates(number);
    model->Rates(running, rates);
    return static_cast<double>(kFullRate) / static_cast<double>(rates.front());
  };
  EXPECT_NEAR(slowdown(1), 1, 1e-9);
  EXPECT_NEAR(slowdown(2), 1.25, 1e-6);
  EXPECT_NEAR(slowdown(3), 2, 1e-6);
  EXPECT_NEAR(slowdown(9), 2, 1e-6);
}

}  // namespace
}  // namespace fairlead
