#include "fairlead/costs/array_cost.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

ArrayAccelerator Square() {
  ArrayAccelerator a;
  a.array = {{.size = 10, .loops = {Dimension::kC}}, {.size = 10, .loops = {Dimension::kK}}};
  a.buffers = {{.bytes = 1 << 20, .holds_inputs = true, .holds_weights = true, .holds_sums = true}};
  a.dram_gb_per_s = 10;
  a.vector_lanes = 4;
  return a;
}

// 400 positions: more arithmetic than data.
constexpr LayerShape kDense{.k = 100, .c = 100, .p = 20, .q = 20};
constexpr LayerShape kLinear{.kind = LayerKind::kLinear, .k = 100, .c = 100};
constexpr LayerShape kPool{.kind = LayerKind::kPool,
                           .k = 8,
                           .p = 10,
                           .q = 10,
                           .r = 2,
                           .s = 2,
                           .stride = 2,
                           .operands = 3200};

TEST(ArrayCost, IsBoundByTheArray) {
  const LayerCost cost = CostOn(Square(), kDense);
  EXPECT_EQ(cost.latency, Duration{10 * 10 * 400});
  EXPECT_EQ(cost.bound, Bound::kArithmetic);
  EXPECT_DOUBLE_EQ(cost.utilisation, 1);
}

TEST(ArrayCost, IsBoundByMemory) {
  const LayerCost cost = CostOn(Square(), kLinear);
  EXPECT_EQ(cost.latency, Duration{(100 + 10'000 + 100) / 10});
  EXPECT_EQ(cost.bound, Bound::kMemory);
}

TEST(ArrayCost, AFasterClockDoesNotHurryMemory) {
  ArrayAccelerator fast = Square();
  fast.clock_ghz = 2;
  EXPECT_EQ(CostOn(fast, kDense).latency, Duration{10 * 10 * 400 / 2});
  EXPECT_EQ(CostOn(fast, kLinear).latency, CostOn(Square(), kLinear).latency);
}

TEST(ArrayCost, FillsAndDrainsForEachPass) {
  ArrayAccelerator slow = Square();
  slow.fill_and_drain_cycles = 28;
  EXPECT_EQ(CostOn(slow, kDense).latency, Duration{10 * 10 * (400 + 28)});
}

TEST(ArrayCost, EnergyIsCountedByLevel) {
  ArrayAccelerator a = Square();
  a.mac_pj = 2;
  a.dram_pj_per_byte = 64;
  a.buffers[0].read_pj = 3;
  a.buffers[0].write_pj = 5;
  const LayerCost cost = CostOn(a, kLinear);
  EXPECT_DOUBLE_EQ(cost.energy.arithmetic_pj, 2 * 10'000);
  EXPECT_DOUBLE_EQ(cost.energy.dram_pj, 64 * 10'200);
  EXPECT_DOUBLE_EQ(cost.energy.element_pj, 0);
  // Reads: inputs for 10 rounds of outputs, weights once, sums 9 times, outputs on their way out.
  // Writes: inputs and weights as they arrive, sums for 10 rounds of inputs.
  EXPECT_DOUBLE_EQ(cost.energy.buffer_pj,
                   3 * (1'000 + 10'000 + 900 + 100) + 5 * (100 + 10'000 + 1'000));
}

TEST(ArrayCost, OperatorsThatDoNotMultiplyRunOnLanes) {
  ArrayAccelerator a = Square();
  a.dram_gb_per_s = 1'000;
  EXPECT_EQ(CostOn(a, kPool).latency, Duration{800 * 4 / 4});
  EXPECT_EQ(CostOn(a, kPool).DramBytes(), 3200 + 800);
  EXPECT_EQ(CostOn(a, kPool).utilisation, 0);
}

TEST(ArrayCost, WordsOf16BitsAreTwoBytes) {
  ArrayAccelerator wide = Square();
  wide.word_bits = 16;
  EXPECT_EQ(CostOn(wide, kLinear).DramBytes(), 2 * 10'200);
}

}  // namespace
}  // namespace fairlead
