#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fairlead/costs/array_cost.h"

namespace fairlead {
namespace {

ArrayAccelerator Systolic() {
  ArrayAccelerator a;
  a.array = {{.size = 16, .loops = {Dimension::kC}}, {.size = 16, .loops = {Dimension::kK}}};
  a.weights.words = 1;
  a.buffers = {{.bytes = 1 << 20, .holds_inputs = true, .holds_weights = true, .holds_sums = true}};
  return a;
}

// 40 inputs take 3 rounds of the rows, 20 outputs 2 of the columns.
constexpr LayerShape kShape{.k = 20, .c = 40, .p = 10, .q = 10, .r = 3, .s = 3};

TEST(ArrayMapping, TakesWholeRounds) {
  EXPECT_EQ(BestArrayMapping(Systolic(), kShape).cycles, 3 * 2 * 9 * 100);
}

TEST(ArrayMapping, PassesOnceForEachTileOfWeights) {
  EXPECT_EQ(BestArrayMapping(Systolic(), kShape).passes, 3 * 2 * 9);
}

TEST(ArrayMapping, ReadsInputsForEachTapAndRoundOfOutputs) {
  EXPECT_EQ(BestArrayMapping(Systolic(), kShape).inputs_read, 40 * 9 * 100 * 2);
}

TEST(ArrayMapping, MovesSumsForEachRoundOfInputs) {
  const ArrayMapping mapping = BestArrayMapping(Systolic(), kShape);
  EXPECT_EQ(mapping.sums_written, 20 * 100 * 9 * 3);
  EXPECT_EQ(mapping.sums_read, 20 * 100 * (9 * 3 - 1));
}

TEST(ArrayMapping, OutputsThatStayAreWrittenOnce) {
  ArrayAccelerator a = Systolic();
  a.dataflow = Dataflow::kOutputStationary;
  a.array[0].loops = {Dimension::kX};
  const ArrayMapping mapping = BestArrayMapping(a, kShape);
  EXPECT_EQ(mapping.cycles, 7 * 2 * 9 * 40);  // 100 positions on 16 rows
  EXPECT_EQ(mapping.sums_written, 20 * 100);
  EXPECT_EQ(mapping.sums_read, 0);
  EXPECT_EQ(mapping.weights_read, 20 * 40 * 9 * 7);
}

TEST(ArrayMapping, DividesAnAxisAsSuitsTheLayer) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 16, .loops = {Dimension::kK, Dimension::kC}}};
  const LayerShape narrow{.k = 4, .c = 4, .p = 5, .q = 5};
  EXPECT_EQ(BestArrayMapping(a, narrow).cycles, 25);
}

TEST(ArrayMapping, DivisorsOnlyLeavesMoreIdle) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 14, .loops = {Dimension::kQ}}};
  const LayerShape row{.p = 1, .q = 34};
  EXPECT_EQ(BestArrayMapping(a, row).cycles, 3);
  a.unrolling = Unrolling::kDivisors;
  EXPECT_EQ(BestArrayMapping(a, row).cycles, 17);
}

TEST(ArrayMapping, PadsASideThatNothingDivides) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 14, .loops = {Dimension::kQ}}};
  a.unrolling = Unrolling::kDivisors;
  EXPECT_EQ(BestArrayMapping(a, {.p = 1, .q = 17}).cycles, 2);
  EXPECT_EQ(BestArrayMapping(a, {.p = 1, .q = 149}).cycles, 11);
}

TEST(ArrayMapping, RowsThatStayAreSpreadOverTheArray) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 12, .loops = {Dimension::kC, Dimension::kS}}};
  const LayerShape wide{.c = 12, .p = 10, .q = 10, .r = 1, .s = 7};
  EXPECT_EQ(BestArrayMapping(a, wide).cycles, 7 * 100);
  a.dataflow = Dataflow::kRowStationary;
  EXPECT_EQ(BestArrayMapping(a, wide).cycles, 12 * 100);
}

TEST(ArrayMapping, RowsLongerThanTheArrayTakeTurns) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 4, .loops = {Dimension::kS}}};
  a.dataflow = Dataflow::kRowStationary;
  EXPECT_EQ(BestArrayMapping(a, {.p = 10, .q = 10, .r = 1, .s = 7}).cycles, 2 * 100);
}

// The fewest cycles of an array like Eyeriss's, by trying everything: 14 columns share q and k, 12
// rows s, c and k. Nothing here is taken from the search.
std::int64_t FewestCycles(const LayerShape& shape) {
  const auto divides = [](std::int64_t length, std::int64_t by) { return length % by == 0; };
  const auto rounds = [](std::int64_t length, std::int64_t by) { return (length + by - 1) / by; };
  bool side_has_divisors = shape.q <= 16;
  for (std::int64_t d = 2; d < shape.q; ++d) side_has_divisors |= divides(shape.q, d);
  const std::int64_t k = shape.k + (shape.k > 1 ? shape.k % 2 : 0);
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t q = 1; q <= 14; ++q) {
    if (side_has_divisors && !divides(shape.q, q)) continue;
    for (std::int64_t k0 = 1; q * k0 <= 14; ++k0) {
      for (std::int64_t c = 1; shape.s * c <= 12; ++c) {
        for (std::int64_t k1 = 1; shape.s * c * k1 <= 12; ++k1) {
          if (!divides(k, k0 * k1) || !divides(shape.c, c)) continue;
          fewest = std::min(fewest, shape.p * rounds(shape.q, q) * (shape.c / c) *
                                        rounds(shape.k, k0 * k1) * shape.r);
        }
      }
    }
  }
  return fewest;
}

TEST(ArrayMapping, FindsTheFastestThatExists) {
  ArrayAccelerator a = Systolic();
  a.array = {{.size = 14, .loops = {Dimension::kQ, Dimension::kK}},
             {.size = 12, .loops = {Dimension::kS, Dimension::kC, Dimension::kG, Dimension::kK}}};
  a.dataflow = Dataflow::kRowStationary;
  a.unrolling = Unrolling::kDivisors;
  for (const std::int64_t side : {7, 8, 13, 17, 19, 34, 35, 71, 73, 147, 149}) {
    for (const std::int64_t k : {1, 32, 80, 128, 160, 192, 255, 448}) {
      for (const std::int64_t c : {3, 64, 128, 160, 192, 768}) {
        for (const auto& [r, s] : {std::pair{1, 1}, {3, 3}, {5, 5}, {1, 7}, {7, 1}, {11, 11}}) {
          const LayerShape shape{.k = k, .c = c, .p = side, .q = side, .r = r, .s = s};
          EXPECT_EQ(BestArrayMapping(a, shape).cycles, FewestCycles(shape))
              << "side " << side << " k " << k << " c " << c << " kernel " << r << " x " << s;
        }
      }
    }
  }
}

TEST(ArrayMapping, AWindowInTheElementsReadsInputsOnce) {
  ArrayAccelerator a = Systolic();
  a.inputs.words = 4096;
  a.weights.words = 4096;
  a.sums.words = 64;
  // All outputs at once, all columns side by side: 40 maps of 12 x 12.
  EXPECT_EQ(BestArrayMapping(a, kShape).inputs_read, 40 * 12 * 12);
}

TEST(ArrayMapping, GroupsRunSideBySideWhereTheArrayAllows) {
  ArrayAccelerator a = Systolic();
  const LayerShape depthwise{.kind = LayerKind::kDepthwise,
                             .k = 32,
                             .c = 32,
                             .p = 10,
                             .q = 10,
                             .r = 3,
                             .s = 3,
                             .groups = 32};
  EXPECT_EQ(BestArrayMapping(a, depthwise).cycles, 32 * 9 * 100);
  a.array[1].loops.push_back(Dimension::kG);
  EXPECT_EQ(BestArrayMapping(a, depthwise).cycles, 2 * 9 * 100);
}

TEST(ArrayMapping, ASlowBufferIsTheLimit) {
  ArrayAccelerator a = Systolic();
  a.buffers[0].words_per_cycle = 2;
  const ArrayMapping mapping = BestArrayMapping(a, kShape);
  // Inputs 72'000, weights 7'200, sums 52'000 words to read, at two a cycle.
  EXPECT_EQ(mapping.buffer_cycles, (72'000 + 7'200 + 52'000) / 2);
}

}  // namespace
}  // namespace fairlead
