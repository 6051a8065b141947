#include "fairlead/costs/accelerator_model.h"

#include <algorithm>

#include "fairlead/costs/array_cost.h"

namespace fairlead {

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
