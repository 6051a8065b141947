#include "fairlead/policies/ordered_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VisitInOrder, ShowsOneChunkAfterAnother) {
  std::vector<int> list = {5, 3, 9, 1, 7, 2, 8};
  std::vector<std::vector<int>> chunks;
  VisitInOrder(list, 3, [&](std::span<int> chunk) {
    chunks.emplace_back(chunk.begin(), chunk.end());
    return ChunkStep::kOn;
  });
  EXPECT_THAT(chunks, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(5, 7, 8), ElementsAre(9)));
}

TEST(VisitInOrder, StopsWhenTold) {
  std::vector<int> list = {5, 3, 9, 1};
  std::vector<int> seen;
  VisitInOrder(list, 2, [&](std::span<int> chunk) {
    seen.insert(seen.end(), chunk.begin(), chunk.end());
    return ChunkStep::kStop;
  });
  EXPECT_THAT(seen, ElementsAre(1, 3));
}

TEST(VisitInOrder, ShowsNothingOfNothing) {
  std::vector<int> list;
  VisitInOrder(list, 1, [](std::span<int>) {
    ADD_FAILURE();
    return ChunkStep::kOn;
  });
  EXPECT_THAT(list, IsEmpty());
}

TEST(VisitInOrder, AgreesWithSorting) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "chunks");
    std::vector<std::uint64_t> list(random.Below(500));
    for (std::uint64_t& value : list) value = random.Below(100);
    std::vector<std::uint64_t> sorted = list;
    std::ranges::sort(sorted);
    std::vector<std::uint64_t> seen;
    VisitInOrder(list, 1 + random.Below(64), [&](auto chunk) {
      seen.insert(seen.end(), chunk.begin(), chunk.end());
      return ChunkStep::kOn;
    });
    ASSERT_EQ(seen, sorted) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fairlead
