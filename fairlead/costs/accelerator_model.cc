#include "fairlead/costs/accelerator_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/integer.h"
#include "fairlead/costs/array_cost.h"

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

namespace {

NetworkGraph GraphOf(const LayeredNetwork& network) {
  std::vector<SegmentSpec> specs;
  for (const NetworkLayer& layer : network.layers) specs.push_back({layer.name, layer.after});
  auto graph = NetworkGraph::Create(network.name, specs);
  CHECK_MSG(graph.has_value(), graph.error().message);
  return std::move(*graph);
}

}  // namespace

const LayerCost& LayerCosts::Of(const LayerShape& shape, int units) {
  const auto [found, added] = known_.try_emplace({shape, units});
  if (added) found->second = accelerator_.Cost(shape, units);
  return found->second;
}

Profile ProfileOf(std::span<const LayeredNetwork> networks,
                  std::span<const AcceleratorModel> accelerators, std::span<const int> batches) {
  static constexpr int kOne[] = {1};
  if (batches.empty()) batches = kOne;
  Profile profile;
  std::vector<LayerCosts> costs;
  std::int64_t word_bits = 0;
  for (const AcceleratorModel& accelerator : accelerators) {
    word_bits = std::max(word_bits, accelerator.WordBits());
    profile.kinds.push_back(accelerator.name);
    costs.emplace_back(accelerator);
  }
  for (const LayeredNetwork& network : networks) {
    const NetworkId id{profile.networks.size()};
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
      const LayerShape& shape = network.layers[layer].shape;
      for (std::size_t a = 0; a < accelerators.size(); ++a) {
        if (!accelerators[a].CanRun(shape)) continue;
        for (const int units : accelerators[a].UnitChoices()) {
          for (const int batch : batches)
            profile.rows.push_back({id,
                                    SegmentId{layer},
                                    KindId{a},
                                    {units, batch},
                                    costs[a].Of(shape.Batched(batch), units).Segment()});
        }
      }
    }
    profile.networks.push_back(GraphOf(network));
    std::vector<std::int64_t>& alive = profile.alive_bytes.emplace_back();
    for (const NetworkLayer& layer : network.layers)
      alive.push_back(CeilDiv(word_bits * layer.shape.Outputs(), 8));
  }
  return profile;
}

}  // namespace fairlead
