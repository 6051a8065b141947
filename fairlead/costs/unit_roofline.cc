#include "fairlead/costs/unit_roofline.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/integer.h"

namespace fairlead {

LayerCost CostOn(const UnitRoofline& processor, const LayerShape& shape, std::int64_t units) {
  const auto working = static_cast<double>(units);
  const auto macs = static_cast<double>(shape.Macs());
  const bool slow = shape.kind == LayerKind::kDepthwise && processor.depthwise_gmacs_per_s > 0;
  const double rate = slow ? processor.depthwise_gmacs_per_s : processor.gmacs_per_s;
  LayerCost cost;
  cost.dram_read_bytes = CeilDiv(processor.word_bits * (shape.Inputs() + shape.Weights()), 8);
  cost.dram_write_bytes = CeilDiv(processor.word_bits * shape.Outputs(), 8);
  const auto bytes = static_cast<double>(cost.DramBytes());
  const double arithmetic_ns =
      macs / (rate * working) +
      static_cast<double>(shape.Operations()) / (processor.vector_gops_per_s * working);
  const double memory_ns =
      bytes / std::min(processor.dram_gb_per_s, processor.unit_gb_per_s * working);
  const double slower = std::max(arithmetic_ns, memory_ns);
  cost.latency = processor.overhead + Duration{static_cast<std::int64_t>(std::ceil(slower))};
  cost.bound = arithmetic_ns >= memory_ns ? Bound::kArithmetic : Bound::kMemory;
  cost.energy.arithmetic_pj = processor.mac_pj * (macs + static_cast<double>(shape.Operations()));
  cost.energy.dram_pj = processor.dram_pj_per_byte * bytes;
  cost.utilisation =
      macs / (static_cast<double>(Nanoseconds(cost.latency)) * processor.gmacs_per_s * working);
  return cost;
}

}  // namespace fairlead
