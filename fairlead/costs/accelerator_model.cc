#include "fairlead/costs/accelerator_model.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/integer.h"
#include "fairlead/costs/array_cost.h"
#include "fairlead/costs/unit_roofline.h"

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

bool AcceleratorModel::CanRun(const LayerShape& shape) const {
  return std::ranges::find(cannot_run, shape.kind) == cannot_run.end();
}

std::vector<int> AcceleratorModel::UnitChoices() const {
  std::vector<int> choices;
  const auto* processor = std::get_if<UnitRoofline>(&model);
  const int all = processor == nullptr ? 1 : static_cast<int>(processor->units);
  for (int units = 1; units < all; units *= 2) choices.push_back(units);
  choices.push_back(all);
  return choices;
}

LayerCost AcceleratorModel::Cost(const LayerShape& shape, int units) const {
  if (const auto* array = std::get_if<ArrayAccelerator>(&model)) return CostOn(*array, shape);
  return CostOn(std::get<UnitRoofline>(model), shape, units);
}

double AcceleratorModel::PeakGmacsPerSecond() const {
  if (const auto* array = std::get_if<ArrayAccelerator>(&model))
    return static_cast<double>(array->MacsPerCycle()) * array->clock_ghz;
  const auto& processor = std::get<UnitRoofline>(model);
  return processor.gmacs_per_s * static_cast<double>(processor.units);
}

double AcceleratorModel::DramGbPerSecond() const {
  return std::visit([](const auto& parts) { return parts.dram_gb_per_s; }, model);
}

std::int64_t AcceleratorModel::WordBits() const {
  return std::visit([](const auto& parts) { return parts.word_bits; }, model);
}

}  // namespace fairlead
