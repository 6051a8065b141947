#include <gtest/gtest.h>

#include <algorithm>

#include "fairlead/base/random.h"
#include "fairlead/execution/live_tensors.h"

namespace fairlead {
namespace {

TEST(MemoryPlan, IsEmptyForNothing) { EXPECT_EQ(PlanMemory({}).bytes, 0U); }

TEST(MemoryPlan, BuffersThatFollowEachOtherShareTheirPlace) {
  const BufferLife lives[] = {{.bytes = 640, .first = 0, .last = 1},
                              {.bytes = 128, .first = 2, .last = 3}};
  EXPECT_EQ(PlanMemory(lives).bytes, 640U);
}

TEST(MemoryPlan, BuffersThatMeetInOneStepDoNot) {
  const BufferLife lives[] = {{.bytes = 640, .first = 0, .last = 2},
                              {.bytes = 128, .first = 2, .last = 3}};
  EXPECT_EQ(PlanMemory(lives).bytes, 768U);
}

TEST(MemoryPlan, SmallBuffersFitIntoGaps) {
  const BufferLife lives[] = {{.bytes = 256, .first = 0, .last = 9},
                              {.bytes = 192, .first = 0, .last = 4},
                              {.bytes = 128, .first = 5, .last = 9},
                              {.bytes = 64, .first = 5, .last = 9}};
  EXPECT_EQ(PlanMemory(lives).bytes, 448U);
}

TEST(MemoryPlan, PlacesAreAligned) {
  const BufferLife lives[] = {{.bytes = 100, .last = 1}, {.bytes = 4, .last = 1}};
  const MemoryPlan plan = PlanMemory(lives);
  EXPECT_EQ(plan.offsets[1] % 64, 0U);
}

class RandomLives : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::vector<BufferLife> Lives() {
    RandomStream random(GetParam(), "test");
    std::vector<BufferLife> lives;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<std::size_t>(random.Below(40));
      lives.push_back({.bytes = 1 + static_cast<std::size_t>(random.Below(1000)),
                       .first = first,
                       .last = first + static_cast<std::size_t>(random.Below(8))});
    }
    return lives;
  }
};

TEST_P(RandomLives, DoNotOverlapWhereTheyMeet) {
  const std::vector<BufferLife> lives = Lives();
  const MemoryPlan plan = PlanMemory(lives);
  for (std::size_t a = 0; a < lives.size(); ++a) {
    EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.bytes);
    for (std::size_t b = 0; b < a; ++b) {
      if (lives[a].last < lives[b].first || lives[b].last < lives[a].first) continue;
      EXPECT_TRUE(plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                  plan.offsets[b] + lives[b].bytes <= plan.offsets[a])
          << a << " and " << b;
    }
  }
}

TEST_P(RandomLives, TakeLittleMoreThanTheFullestStep) {
  const std::vector<BufferLife> lives = Lives();
  std::size_t fullest = 0;
  for (std::size_t step = 0; step < 50; ++step) {
    std::size_t bytes = 0;
    for (const BufferLife& life : lives) {
      if (life.first <= step && step <= life.last) bytes += (life.bytes + 63) / 64 * 64;
    }
    fullest = std::max(fullest, bytes);
  }
  EXPECT_LE(static_cast<double>(PlanMemory(lives).bytes), 1.35 * static_cast<double>(fullest));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLives, testing::Range<std::uint64_t>(1, 11));

}  // namespace
}  // namespace fairlead
