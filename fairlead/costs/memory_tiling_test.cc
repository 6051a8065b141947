#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/costs/array_cost.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// One buffer for everything, so many bytes, words of a byte.
ArrayAccelerator WithBuffer(std::int64_t bytes) {
  ArrayAccelerator a;
  a.sum_bits = 8;
  a.array = {{.size = 8, .loops = {Dimension::kK}}};
  a.buffers = {{.bytes = bytes, .holds_inputs = true, .holds_weights = true, .holds_sums = true}};
  return a;
}

// 100 inputs and 100 outputs: 10'000 weights.
constexpr LayerShape kTiledLinear{.kind = LayerKind::kLinear, .k = 100, .c = 100};
// 16 maps of 10 x 10 into 16 maps of 8 x 8: 1'600 inputs, 2'304 weights, 1'024 outputs.
constexpr LayerShape kConvolution{.k = 16, .c = 16, .p = 8, .q = 8, .r = 3, .s = 3};

TEST(TileSizes, AreAllPartsRoundedUp) {
  EXPECT_THAT(TileSizes(12), ElementsAre(12, 6, 4, 3, 2, 1));
  EXPECT_THAT(TileSizes(7), ElementsAre(7, 4, 3, 2, 1));
  EXPECT_THAT(TileSizes(1), ElementsAre(1));
}

TEST(MemoryTiling, MovesEverythingOnceWhereItFits) {
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(1 << 20), kConvolution);
  EXPECT_EQ(tiling.inputs_read, 1600);
  EXPECT_EQ(tiling.weights_read, 2304);
  EXPECT_EQ(tiling.outputs_written, 1024);
  EXPECT_EQ(tiling.sums_read + tiling.sums_written, 0);
}

TEST(MemoryTiling, StreamsWeightsThatAreUsedOnce) {
  // A linear layer needs each weight once: a small tile at a time is enough.
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(512), kTiledLinear);
  EXPECT_EQ(tiling.weights_read, 10'000);
  EXPECT_EQ(tiling.inputs_read, 100);
  EXPECT_EQ(tiling.outputs_written, 100);
}

TEST(MemoryTiling, RollsRowsThatTilesShare) {
  // All weights and a few rows fit: rows at the seams stay, so inputs are read once.
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(3'500), kConvolution);
  EXPECT_EQ(tiling.inputs_read, 1600);
  EXPECT_EQ(tiling.weights_read, 2304);
}

TEST(MemoryTiling, FetchesAgainWhatDoesNotFit) {
  // Nothing but small tiles fits: something must be fetched again, whatever the order.
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(600), kConvolution);
  EXPECT_GT(tiling.inputs_read + tiling.weights_read + tiling.sums_read, 1600 + 2304);
}

TEST(MemoryTiling, DoubleBufferingHalvesWhatFits) {
  ArrayAccelerator twice = WithBuffer(1'200);
  twice.double_buffering = true;
  const MemoryTiling half = BestMemoryTiling(WithBuffer(600), kConvolution);
  EXPECT_EQ(BestMemoryTiling(twice, kConvolution).ReadBytes(twice), half.ReadBytes(twice));
}

TEST(MemoryTiling, WeightsOutsideOfBuffersPassForEachTileOfPositions) {
  ArrayAccelerator a = WithBuffer(120);
  a.buffers[0].holds_weights = false;  // and the elements keep none
  const MemoryTiling tiling = BestMemoryTiling(a, kConvolution);
  EXPECT_EQ(tiling.weights_read, 2304 * tiling.position_tiles);
  EXPECT_GT(tiling.position_tiles, 1);
}

TEST(MemoryTiling, ElementsKeepWeightsThatFit) {
  ArrayAccelerator a = WithBuffer(700);
  a.buffers[0].holds_weights = false;
  a.weights.words = 2304 / 8;
  EXPECT_EQ(BestMemoryTiling(a, kConvolution).weights_read, 2304);
}

TEST(MemoryTiling, GroupsAreTiledAlike) {
  LayerShape grouped = kConvolution;
  grouped.groups = 4;
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(1 << 20), grouped);
  EXPECT_EQ(tiling.weights_read, 2304 / 4);
  EXPECT_EQ(tiling.inputs_read, 1600);
}

TEST(MemoryTiling, ABatchSharesWeights) {
  const MemoryTiling tiling = BestMemoryTiling(WithBuffer(1 << 20), kTiledLinear.Batched(8));
  EXPECT_EQ(tiling.weights_read, 10'000);
  EXPECT_EQ(tiling.inputs_read, 800);
}

}  // namespace
}  // namespace fairlead
