#include "fairlead/learning/house_advisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

// Passes the first number of a segment on, as claim and as slack to spare.
constexpr std::string_view kFirstNumber =
    "fairlead-network 1 house-advisor 1 1\n"
    "dense 13 2 none\n0 0\n"
    "0 0 0 0 1 0 0 0 0 0 0 0 0\n"
    "0 0 0 0 1 0 0 0 0 0 0 0 0\n";

std::vector<HouseCorrection> AdviceOf(std::string_view weights,
                                      const std::vector<double>& first_numbers) {
  const auto advisor = MakeHouseAdvisor(*ParseHouseAdvisor(weights));
  std::vector<HouseFeatures> segments(first_numbers.size());
  for (std::size_t i = 0; i < segments.size(); ++i) segments[i].values[0] = first_numbers[i];
  std::vector<HouseCorrection> corrections(segments.size());
  advisor->Advise({}, segments, corrections);
  return corrections;
}

TEST(HouseAdvisor, CorrectsEachSegmentByItself) {
  const auto advice = AdviceOf(kFirstNumber, {0.5, -0.25});
  EXPECT_DOUBLE_EQ(advice[0].claim, 0.5 * kMostClaimAdvised);
  EXPECT_DOUBLE_EQ(advice[1].claim, -0.25 * kMostClaimAdvised);
}

TEST(HouseAdvisor, CorrectsNoFurtherThanItMay) {
  const auto advice = AdviceOf(kFirstNumber, {7, -7});
  EXPECT_DOUBLE_EQ(advice[0].claim, kMostClaimAdvised);
  EXPECT_DOUBLE_EQ(advice[1].spare, -kMostSpareAdvised);
}

TEST(HouseAdvisor, RefusesNetworksOfAnotherShape) {
  const auto network =
      ParseHouseAdvisor("fairlead-network 1 house-advisor 1 1 dense 1 2 none 0 0 1 1");
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message, HasSubstr("1 inputs and 2 outputs; expected 13 and 2"));
}

TEST(HouseAdvisor, RefusesNetworksOfAnotherName) {
  EXPECT_FALSE(
      ParseHouseAdvisor("fairlead-network 1 thresholds 1 1 dense 1 1 none 0 1").has_value());
}

}  // namespace
}  // namespace fairlead
