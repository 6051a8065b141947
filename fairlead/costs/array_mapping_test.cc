#include "fairlead/costs/array_mapping.h"

#include <gtest/gtest.h>

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
  const LayerShape row{.p = 1, .q = 17};
  EXPECT_EQ(BestArrayMapping(a, row).cycles, 2);
  a.unrolling = Unrolling::kDivisors;
  EXPECT_EQ(BestArrayMapping(a, row).cycles, 17);
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
