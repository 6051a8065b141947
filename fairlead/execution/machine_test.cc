#include "fairlead/execution/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Machine, BindsAThreadAndNoOther) {
  const Machine& machine = Machine::This();
  const std::vector<int> before = machine.UsableCores();
  ASSERT_THAT(before, Not(IsEmpty()));
  std::thread([&] {
    const int core = before.back();
    ASSERT_TRUE(machine.BindThread(std::span(&core, 1)).has_value());
    EXPECT_THAT(machine.UsableCores(), ElementsAre(core));
  }).join();
  EXPECT_EQ(machine.UsableCores(), before);
}

TEST(Machine, CannotBindToACoreThatIsNotThere) {
  std::thread([] {
    const int core = 4000;
    const Status bound = Machine::This().BindThread(std::span(&core, 1));
    ASSERT_FALSE(bound.has_value());
    EXPECT_THAT(bound.error().message, HasSubstr("cannot bind a thread to cores 4000: "));
  }).join();
}

// Cores 0 and 1 share 8 MiB, cores 2 and 3 as much.
const char* const kTwoCaches = "l3:2(size=8388608) l2:2(size=1048576) core:1 pu:1";

TEST(CacheShares, AreOfTheLastLevel) {
  const std::vector<int> groups[] = {{0}};
  EXPECT_THAT(Machine::Imagined(kTwoCaches).CacheShares(groups), ElementsAre(8 << 20));
  EXPECT_THAT(Machine::Imagined("l2:4(size=1048576) core:1 pu:1").CacheShares(groups),
              ElementsAre(1 << 20));
}

TEST(CacheShares, AreDividedAmongThoseWhoUseThem) {
  const std::vector<int> groups[] = {{0}, {1}, {2, 3}};
  EXPECT_THAT(Machine::Imagined(kTwoCaches).CacheShares(groups),
              ElementsAre(4 << 20, 4 << 20, 8 << 20));
}

TEST(CacheShares, AreNotDividedWithIdleCores) {
  const std::vector<int> groups[] = {{0}, {2}};
  EXPECT_THAT(Machine::Imagined(kTwoCaches).CacheShares(groups), ElementsAre(8 << 20, 8 << 20));
}

TEST(CacheShares, AreUnknownWhereThereIsNoSuchCoreOrCache) {
  const std::vector<int> groups[] = {{9}};
  EXPECT_THAT(Machine::Imagined(kTwoCaches).CacheShares(groups), ElementsAre(0));
  const std::vector<int> first[] = {{0}};
  EXPECT_THAT(Machine::Imagined("core:2 pu:1").CacheShares(first), ElementsAre(0));
}

}  // namespace
}  // namespace fairlead
