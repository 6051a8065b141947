#include "fairlead/costs/array_cost.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/integer.h"
#include "fairlead/costs/array_mapping.h"
#include "fairlead/costs/memory_tiling.h"

namespace fairlead {
namespace {

double Words(std::int64_t words) { return static_cast<double>(words); }

// What the way through the buffers adds to the energy of the array's own accesses.
void AddFilling(const ArrayAccelerator& a, const ArrayMapping& mapping, const MemoryTiling& tiling,
                EnergyByLevel& energy) {
  energy.element_pj += a.weights.write_pj * Words(tiling.weights_read * mapping.weight_copies);
  for (const SharedBuffer& buffer : a.buffers) {
    if (buffer.holds_inputs) energy.buffer_pj += buffer.write_pj * Words(tiling.inputs_read);
    if (buffer.holds_weights)
      energy.buffer_pj +=
          buffer.write_pj * Words(tiling.weights_read) +
          buffer.read_pj * Words(mapping.weights_read * (tiling.position_tiles - 1));
    if (buffer.holds_sums) energy.buffer_pj += buffer.read_pj * Words(tiling.outputs_written);
  }
}

// The slowest of the three, rounded up to a nanosecond.
void SetLatency(const ArrayAccelerator& a, std::int64_t array_cycles, std::int64_t buffer_cycles,
                LayerCost& cost) {
  const double array_ns = static_cast<double>(array_cycles) / a.clock_ghz;
  const double buffer_ns = static_cast<double>(buffer_cycles) / a.clock_ghz;
  const double memory_ns = static_cast<double>(cost.DramBytes()) / a.dram_gb_per_s;
  const double slowest = std::max({array_ns, buffer_ns, memory_ns});
  cost.latency = Duration{static_cast<std::int64_t>(std::ceil(slowest))};
  cost.bound = slowest == array_ns    ? Bound::kArithmetic
               : slowest == buffer_ns ? Bound::kBuffer
                                      : Bound::kMemory;
}

LayerCost CostOfVectorOperator(const ArrayAccelerator& a, const LayerShape& shape) {
  LayerCost cost;
  cost.dram_read_bytes = CeilDiv(a.word_bits * shape.Inputs(), 8);
  cost.dram_write_bytes = CeilDiv(a.word_bits * shape.Outputs(), 8);
  cost.energy.arithmetic_pj = a.vector_pj * Words(shape.Operations());
  cost.energy.dram_pj = a.dram_pj_per_byte * Words(cost.DramBytes());
  SetLatency(a, CeilDiv(shape.Operations(), a.vector_lanes), 0, cost);
  return cost;
}

}  // namespace

std::int64_t ArrayAccelerator::MacsPerCycle() const {
  std::int64_t macs = 1;
  for (const ArrayAxis& axis : array) macs *= axis.size;
  return macs;
}

LayerCost CostOn(const ArrayAccelerator& a, const LayerShape& shape) {
  if (!shape.Multiplies()) return CostOfVectorOperator(a, shape);
  const ArrayMapping mapping = BestArrayMapping(a, shape);
  const MemoryTiling tiling = BestMemoryTiling(a, shape);
  LayerCost cost;
  cost.dram_read_bytes = tiling.ReadBytes(a);
  cost.dram_write_bytes = tiling.WriteBytes(a);
  cost.energy = {.arithmetic_pj = a.mac_pj * Words(shape.Macs()),
                 .element_pj = mapping.element_pj,
                 .buffer_pj = mapping.buffer_pj,
                 .dram_pj = a.dram_pj_per_byte * Words(cost.DramBytes())};
  AddFilling(a, mapping, tiling, cost.energy);
  SetLatency(a, mapping.cycles + mapping.passes * a.fill_and_drain_cycles, mapping.buffer_cycles,
             cost);
  cost.utilisation = Words(shape.Macs()) /
                     (Words(Nanoseconds(cost.latency)) * a.clock_ghz * Words(a.MacsPerCycle()));
  return cost;
}

}  // namespace fairlead
