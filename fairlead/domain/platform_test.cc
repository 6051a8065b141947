#include "fairlead/domain/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// Two Simbas, one Eyeriss of four units, and three Gemminis.
Platform Mixed() {
  Platform platform;
  platform.AddKind("simba", 2);
  platform.AddKind("eyeriss", 1, 4);
  platform.AddKind("gemmini", 3);
  return platform;
}

TEST(Platform, NumbersAcceleratorsOfAKind) {
  std::vector<std::string> names;
  for (const Accelerator& accelerator : Mixed().accelerators) names.push_back(accelerator.name);
  EXPECT_THAT(names,
              ElementsAre("simba.0", "simba.1", "eyeriss", "gemmini.0", "gemmini.1", "gemmini.2"));
}

TEST(Platform, KnowsTheKindOfEach) { EXPECT_EQ(Mixed().accelerators[4].kind, KindId{2}); }

TEST(Platform, AddKindReturnsItsId) {
  Platform platform = Mixed();
  EXPECT_EQ(platform.AddKind("cpu", 1), KindId{3});
}

TEST(Platform, FindsKinds) { EXPECT_EQ(Mixed().FindKind("gemmini"), KindId{2}); }

TEST(Platform, FindsNoUnknownKind) { EXPECT_FALSE(Mixed().FindKind("simba.0").valid()); }

TEST(Platform, FindsAccelerators) {
  EXPECT_EQ(Mixed().FindAccelerator("gemmini.0"), AcceleratorId{3});
}

TEST(Platform, FindsASingleOneByItsKind) {
  EXPECT_EQ(Mixed().FindAccelerator("eyeriss"), AcceleratorId{2});
}

TEST(Platform, DoesNotFindSeveralByTheirKind) {
  EXPECT_FALSE(Mixed().FindAccelerator("simba").valid());
}

TEST(Platform, KnowsTheUnitsOfEach) { EXPECT_EQ(Mixed().UnitsOf(AcceleratorId{2}), 4); }

TEST(Platform, HasOneUnitUnlessTold) { EXPECT_EQ(Mixed().UnitsOf(AcceleratorId{0}), 1); }

TEST(Platform, CountsByKind) { EXPECT_THAT(Mixed().CountByKind(), ElementsAre(2, 1, 3)); }

TEST(Platform, MayHaveNoneOfAKind) {
  Platform platform;
  platform.AddKind("simba", 0);
  EXPECT_THAT(platform.CountByKind(), ElementsAre(0));
}

TEST(Platform, HasNoBandwidthLimitUnlessTold) { EXPECT_EQ(Platform{}.bandwidth, 0); }

}  // namespace
}  // namespace fairlead
