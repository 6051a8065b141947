#include <gtest/gtest.h>

#include "fairlead/costs/accelerator_model.h"

namespace fairlead {
namespace {

UnitRoofline Processor() {
  return {.units = 8,
          .gmacs_per_s = 10,
          .depthwise_gmacs_per_s = 1,
          .vector_gops_per_s = 2,
          .unit_gb_per_s = 4,
          .dram_gb_per_s = 16,
          .overhead = Duration{100},
          .word_bits = 32};
}

constexpr LayerShape kRoofDense{.k = 100, .c = 100, .p = 10, .q = 10};  // a million MACs
constexpr LayerShape kRoofLinear{.kind = LayerKind::kLinear, .k = 100, .c = 100};

TEST(UnitRoofline, ArithmeticGrowsWithTheUnits) {
  EXPECT_EQ(CostOn(Processor(), kRoofDense, 1).latency, Duration{100 + 100'000});
  EXPECT_EQ(CostOn(Processor(), kRoofDense, 8).latency, Duration{100 + 12'500});
}

TEST(UnitRoofline, BandwidthGrowsUntilMemoryIsBusy) {
  const std::int64_t bytes = 40'800;  // 10,200 numbers
  EXPECT_EQ(CostOn(Processor(), kRoofLinear, 2).latency, Duration{100 + bytes / 8});
  EXPECT_EQ(CostOn(Processor(), kRoofLinear, 4).latency, Duration{100 + bytes / 16});
  EXPECT_EQ(CostOn(Processor(), kRoofLinear, 8).latency, Duration{100 + bytes / 16});
}

TEST(UnitRoofline, DepthwiseHasItsOwnRate) {
  const LayerShape depthwise{.kind = LayerKind::kDepthwise,
                             .k = 10,
                             .c = 10,
                             .p = 10,
                             .q = 10,
                             .r = 3,
                             .s = 3,
                             .groups = 10};
  EXPECT_EQ(CostOn(Processor(), depthwise, 1).latency, Duration{100 + 9'000});
}

TEST(UnitRoofline, OtherOperatorsCountTheirOperations) {
  const LayerShape add{
      .kind = LayerKind::kElementwise, .k = 10, .p = 100, .q = 10, .operands = 20'000};
  EXPECT_EQ(CostOn(Processor(), add, 1).latency, Duration{100 + 4 * 30'000 / 4});
}

}  // namespace
}  // namespace fairlead
