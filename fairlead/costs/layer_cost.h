// What one layer costs alone on one accelerator, and where the energy goes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"

namespace fairlead {

struct EnergyByLevel {
  double arithmetic_pj = 0;
  double element_pj = 0;  // the stores beside the multipliers
  double buffer_pj = 0;
  double dram_pj = 0;

  double Total() const { return arithmetic_pj + element_pj + buffer_pj + dram_pj; }
};

// What bounds the latency of a layer.
enum class Bound : std::uint8_t { kArithmetic, kBuffer, kMemory };

struct LayerCost {
  Duration latency{};
  Bound bound = Bound::kArithmetic;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;
  EnergyByLevel energy;
  double utilisation = 0;  // multiplications done, of those possible in that time

  std::int64_t DramBytes() const { return dram_read_bytes + dram_write_bytes; }
  SegmentCost Segment() const { return {latency, DramBytes(), std::llround(energy.Total())}; }
};

}  // namespace fairlead
