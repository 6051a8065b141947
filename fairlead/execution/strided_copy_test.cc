#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fairlead/execution/strided_loops.h"

namespace fairlead {
namespace {

using testing::ElementsAre;

std::vector<float> Copied(const StridedCopy& copy, std::size_t results) {
  std::vector<float> from(12);
  std::iota(from.begin(), from.end(), 0.0F);
  std::vector<float> to(results, -1);
  copy.Run(from.data(), to.data());
  return to;
}

TEST(StridedCopy, CopiesRuns) {
  EXPECT_THAT(Copied({{{2, 6, 3}, {3, 1, 1}}, 1, 0}, 6), ElementsAre(1, 2, 3, 7, 8, 9));
}

TEST(StridedCopy, Transposes) {
  EXPECT_THAT(Copied({{{3, 1, 2}, {2, 3, 1}}, 0, 0}, 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(StridedCopy, GoesBackwards) {
  EXPECT_THAT(Copied({{{4, -2, 1}}, 9, 0}, 4), ElementsAre(9, 7, 5, 3));
}

TEST(StridedCopy, LeavesGapsAsTheyAre) {
  EXPECT_THAT(Copied({{{2, 1, 2}}, 0, 1}, 5), ElementsAre(-1, 0, -1, 1, -1));
}

TEST(StridedCopy, CopiesASingleNumber) {
  EXPECT_THAT(Copied({{{1, 5, 5}}, 3, 0}, 1), ElementsAre(3));
}

TEST(StridedCopy, CopiesNothingOfNothing) {
  EXPECT_THAT(Copied({{{0, 1, 1}, {3, 1, 1}}, 0, 0}, 2), ElementsAre(-1, -1));
}

TEST(DenseStrides, AreRowMajor) { EXPECT_THAT(DenseStrides({2, 3, 4}), ElementsAre(12, 4, 1)); }

}  // namespace
}  // namespace fairlead
