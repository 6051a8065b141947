#include "fairlead/costs/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kMeasuredLayers =
    "id,kind,n,cin,cout,kh,kw,stride,pad_h,pad_w,groups,h,w,us_1c,us_2c\n"
    "0,conv,1,3,8,3,3,1,1,1,1,10,10,60,40\n"
    "7,linear,1,800,10,,,,,,,,,20,10\n";
constexpr std::string_view kModels = "model,position,layer_id\ntiny_net,0,0\ntiny_net,1,7\n";
constexpr std::array<MeasuredColumn, 3> kColumns = {
    {{"us_1c", "cores", 1}, {"us_2c", "cores", 2}, {"us_4c", "cores", 4}}};

Result<Profile> Read(std::string_view layers, std::string_view models, std::string_view networks) {
  return ProfileOf({.layers = {"layers.csv", layers},
                    .models = {"models.csv", models},
                    .networks = {"networks.csv", networks},
                    .columns = kColumns});
}

std::int64_t Latency(const Profile& profile, std::size_t layer, int units) {
  for (const CostRow& row : profile.rows) {
    if (row.segment == SegmentId{layer} && row.configuration.units == units)
      return Nanoseconds(row.cost.latency);
  }
  return -1;
}

TEST(Measured, OtherOperatorsTakeWhatTheLayersLeave) {
  const auto profile =
      Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\ntiny_net,100,80,40\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(Latency(*profile, 0, 1), 60'000);
  EXPECT_EQ(Latency(*profile, 1, 1), 20'000);
  EXPECT_EQ(Latency(*profile, 2, 1), 20'000);
  EXPECT_EQ(Latency(*profile, 2, 2), 30'000);
}

TEST(Measured, LayersThatWereNotTimedScaleWithTheNetwork) {
  const auto profile =
      Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\ntiny_net,100,80,40\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(Latency(*profile, 0, 4), 20'000);  // 40 on two cores, which took twice as long
  EXPECT_EQ(Latency(*profile, 2, 4), 15'000);
}

TEST(Measured, LayersThatExceedTheNetworkAreScaledToIt) {
  const auto profile =
      Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\ntiny_net,40,80,40\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(Latency(*profile, 0, 1), 29'700);  // 60 of 80, of 99 % of 40
  EXPECT_EQ(Latency(*profile, 2, 1), 400);
}

TEST(Measured, TrafficIsInputsWeightsAndOutputs) {
  const auto profile =
      Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\ntiny_net,100,80,40\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(profile->rows[0].cost.dram_bytes, 4 * (300 + 216 + 800));
  EXPECT_EQ(profile->rows[1].cost.dram_bytes, 4 * (800 + 8000 + 10));
}

TEST(Measured, NetworksAreCalledAsInTheZoo) {
  const auto profile =
      Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\ntiny_net,100,80,40\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(profile->networks.front().name(), "tiny-net");
}

TEST(Measured, RefusesLayersThatDoNotExist) {
  const auto profile =
      Read(kMeasuredLayers, "model,position,layer_id\ntiny_net,0,3\n", "model,us_1c,us_2c,us_4c\n");
  ASSERT_FALSE(profile.has_value());
  EXPECT_EQ(profile.error().message, "models.csv:2:12: layers.csv has no layer 3");
}

TEST(Measured, RefusesNetworksWithoutLayers) {
  const auto profile = Read(kMeasuredLayers, kModels, "model,us_1c,us_2c,us_4c\nother,1,1,1\n");
  ASSERT_FALSE(profile.has_value());
  EXPECT_THAT(profile.error().message, HasSubstr("models.csv has no layers of 'other'"));
}

}  // namespace
}  // namespace fairlead
