#include "fairlead/policies/scored_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

std::vector<std::uint64_t> Serials(const std::vector<ScoredSegment>& segments) {
  ScoredOrder order;
  order.Arrange(segments);
  std::vector<std::uint64_t> serials;
  for (auto group = order.Next(); !group.empty(); group = order.Next()) {
    for (const ScoredSegment& segment : group) serials.push_back(segment.serial);
  }
  return serials;
}

std::vector<std::uint64_t> Sorted(std::vector<ScoredSegment> segments) {
  std::ranges::sort(segments, [](const auto& a, const auto& b) { return a < b; });
  std::vector<std::uint64_t> serials;
  serials.reserve(segments.size());
  for (const ScoredSegment& segment : segments) serials.push_back(segment.serial);
  return serials;
}

TEST(ScoredOrder, ShowsNothingOfNothing) { EXPECT_TRUE(Serials({}).empty()); }

TEST(ScoredOrder, PutsRankBeforeScoreBeforeSerial) {
  EXPECT_EQ(Serials({{.score = 1, .serial = 4},
                     {.score = -1, .serial = 3, .rank = 1},
                     {.score = 0.5, .serial = 2},
                     {.score = 1, .serial = 1}}),
            (std::vector<std::uint64_t>{2, 1, 4, 3}));
}

TEST(ScoredOrder, PutsWhatIsCoveredBeforeEverything) {
  EXPECT_EQ(Serials({{.score = -1, .serial = 1, .rank = -5, .covered = false},
                     {.score = 2, .serial = 2, .rank = 7},
                     {.score = -2, .serial = 3, .rank = -5, .covered = false}}),
            (std::vector<std::uint64_t>{2, 3, 1}));
}

// Scores as rules give them: spread out, bunched, equal, around zero, of vastly different sizes.
double DrawScore(RandomStream& random, std::uint64_t shape) {
  switch (shape) {
    case 0: return random.Uniform();
    case 1: return 3.6e12 + static_cast<double>(random.Below(1'000'000));
    case 2: return static_cast<double>(random.Below(3)) - 1;
    case 3: return random.Normal() * std::pow(10.0, 40 * random.Uniform() - 20);
    case 4: return random.Below(20) == 0 ? 1e300 : random.Uniform();
    case 5: return random.Below(2) == 0 ? -0.0 : 0.0;
    default: return random.Below(2) == 0 ? std::numeric_limits<double>::infinity() : -1e9;
  }
}

std::int32_t DrawRank(RandomStream& random, std::uint64_t shape) {
  switch (shape) {
    case 0: return 0;
    case 1: return -static_cast<std::int32_t>(random.Below(10));
    case 2: return static_cast<std::int32_t>(random.Below(5'000)) - 2'500;
    default:
      return random.Below(2) == 0 ? std::numeric_limits<std::int32_t>::max()
                                  : std::numeric_limits<std::int32_t>::min();
  }
}

TEST(ScoredOrder, AgreesWithSorting) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    RandomStream random(seed, "scored order");
    const std::uint64_t scores = random.Below(7);
    const std::uint64_t ranks = random.Below(4);
    const std::uint64_t covered_of_10 = random.Below(2) == 0 ? 10 : random.Below(11);
    std::vector<ScoredSegment> segments(random.Below(random.Below(2) == 0 ? 100 : 2'000));
    for (std::size_t i = 0; i < segments.size(); ++i) {
      segments[i] = {.score = DrawScore(random, scores),
                     .serial = (i * 7'919) % 10'007,  // all different, in no order
                     .rank = DrawRank(random, ranks),
                     .covered = random.Below(10) < covered_of_10};
    }
    ASSERT_EQ(Serials(segments), Sorted(segments)) << "seed " << seed;
  }
}

TEST(ScoredOrder, CanBeArrangedAgain) {
  ScoredOrder order;
  const std::vector<ScoredSegment> many(100);
  order.Arrange(many);
  order.Next();
  const std::vector<ScoredSegment> one = {{.serial = 5}};
  order.Arrange(one);
  EXPECT_EQ(order.Next().front().serial, 5);
  EXPECT_TRUE(order.Next().empty());
}

}  // namespace
}  // namespace fairlead
