#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fairlead/policies/static_partition.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

PartitionSlice Slice(std::size_t accelerator, int units) {
  return {AcceleratorId{accelerator}, units};
}

std::vector<PartitionTenant> Weights(const std::vector<double>& weights) {
  std::vector<PartitionTenant> tenants;
  for (double weight : weights) tenants.push_back({.weight = weight});
  return tenants;
}

std::vector<bool> All(const Platform& platform) {
  return std::vector<bool>(platform.accelerators.size(), true);
}

// One each of six, and of the other 4 by weight 3 to 1.
TEST(PartitionsTest, UnitsGoByWeight) {
  Platform platform;
  platform.AddKind("gpu", 1, 6);
  const Partitions cut = CutPlatform(platform, All(platform), Weights({3, 1}), CutBy::kMixed);
  EXPECT_THAT(cut.slices, ElementsAre(ElementsAre(Slice(0, 4)), ElementsAre(Slice(0, 2))));
  EXPECT_THAT(cut.of_tenant, ElementsAre(0, 1));
}

TEST(PartitionsTest, MixedEveryPartitionHasAllKinds) {
  Platform platform;
  platform.AddKind("npu", 2);
  platform.AddKind("dsp", 3);
  EXPECT_THAT(CutPlatform(platform, All(platform), Weights({1, 1}), CutBy::kMixed).slices,
              ElementsAre(ElementsAre(Slice(0, 1), Slice(2, 1), Slice(3, 1)),
                          ElementsAre(Slice(1, 1), Slice(4, 1))));
}

// Accelerators 0 of the first kind and 1, 2 of the second lie in one row.
TEST(PartitionsTest, ByUnitsThereAreMorePartitions) {
  Platform platform;
  platform.AddKind("npu", 1);
  platform.AddKind("dsp", 2);
  EXPECT_EQ(CutPlatform(platform, All(platform), Weights({1, 1, 1}), CutBy::kMixed).slices.size(),
            1U);
  EXPECT_THAT(
      CutPlatform(platform, All(platform), Weights({1, 1, 1}), CutBy::kUnits).slices,
      ElementsAre(ElementsAre(Slice(0, 1)), ElementsAre(Slice(1, 1)), ElementsAre(Slice(2, 1))));
}

// Accelerators 0, 1 of the first kind and 2, 3 of the second lie in the row 0, 2, 1, 3.
TEST(PartitionsTest, ByUnitsKindsTakeTurns) {
  Platform platform;
  platform.AddKind("npu", 2);
  platform.AddKind("dsp", 2);
  EXPECT_THAT(
      CutPlatform(platform, All(platform), Weights({1, 1}), CutBy::kUnits).slices,
      ElementsAre(ElementsAre(Slice(0, 1), Slice(2, 1)), ElementsAre(Slice(1, 1), Slice(3, 1))));
}

// Of 8 units one each, of the other 5 1.67 each: the first two have the remainders.
TEST(PartitionsTest, AnAcceleratorMayBeCut) {
  Platform platform;
  platform.AddKind("gpu", 2, 4);
  EXPECT_THAT(CutPlatform(platform, All(platform), Weights({1, 1, 1}), CutBy::kMixed).slices,
              ElementsAre(ElementsAre(Slice(0, 3)), ElementsAre(Slice(0, 1), Slice(1, 2)),
                          ElementsAre(Slice(1, 2))));
}

// Load 5 to the first, 3 and 2 to the second, and with 5 each the other 2 to the first.
TEST(PartitionsTest, ManyTenantsArePackedByLoad) {
  Platform platform;
  platform.AddKind("npu", 2);
  std::vector<PartitionTenant> tenants = {{1, 2}, {1, 5}, {1, 2}, {5, 3}};
  const Partitions cut = CutPlatform(platform, All(platform), tenants, CutBy::kMixed);
  EXPECT_THAT(cut.slices, ElementsAre(ElementsAre(Slice(0, 1)), ElementsAre(Slice(1, 1))));
  EXPECT_THAT(cut.of_tenant, ElementsAre(1, 0, 0, 1));
}

// As when decisions are made before anybody has joined.
TEST(PartitionsTest, NobodyGetsNothing) {
  Platform platform;
  platform.AddKind("gpu", 2);
  const Partitions cut = CutPlatform(platform, All(platform), {}, CutBy::kMixed);
  EXPECT_TRUE(cut.slices.empty());
  EXPECT_TRUE(cut.of_tenant.empty());
}

}  // namespace
}  // namespace fairlead
