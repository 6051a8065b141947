#include "fairlead/costs/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"
#include "fairlead/costs/zoo.h"

namespace fairlead {
namespace {

constexpr std::int64_t kDramBytesPerCycle = 16;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Simba: 8 inputs wide, 8 outputs in lanes, and 16 processing elements divided between inputs and
// outputs as suits the layer. Weights stay, so positions and kernel are walked in time.
std::int64_t SimbaCycles(const LayerShape& shape) {
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t across_inputs : {1, 2, 4, 8, 16}) {
    const std::int64_t across_outputs = 16 / across_inputs;
    best =
        std::min(best, CeilDiv(shape.c, 8 * across_inputs) * CeilDiv(shape.k, 8 * across_outputs));
  }
  return best * shape.n * shape.p * shape.q * shape.r * shape.s;
}

// Gemmini: inputs on 16 rows, outputs on 16 columns.
std::int64_t GemminiCycles(const LayerShape& shape) {
  return CeilDiv(shape.c, 16) * CeilDiv(shape.k, 16) * shape.n * shape.p * shape.q * shape.r *
         shape.s;
}

// Eyeriss: on its 14 columns output positions and outputs, on its 12 rows the kernel's rows, then
// inputs and outputs; each in numbers that divide the dimension.
std::int64_t EyerissCycles(const LayerShape& shape) {
  const auto largest_divisor = [](std::int64_t value, std::int64_t limit) {
    std::int64_t divisor = std::min(value, limit);
    while (value % divisor != 0) --divisor;
    return divisor;
  };
  const std::int64_t k = shape.k % 2 == 0 ? shape.k : shape.k + 1;  // a prime would map badly
  const std::int64_t rows = largest_divisor(shape.s, 12);
  std::int64_t best = 1;
  for (std::int64_t positions = 1; positions <= 14; ++positions) {
    if (shape.q % positions != 0) continue;
    for (std::int64_t outputs = 1; outputs <= 14 / positions; ++outputs) {
      if (k % outputs != 0) continue;
      for (std::int64_t inputs = 1; inputs <= 12 / rows; ++inputs) {
        if (shape.c % inputs != 0) continue;
        const std::int64_t more = largest_divisor(k / outputs, 12 / rows / inputs);
        best = std::max(best, positions * outputs * inputs * more);
      }
    }
  }
  return CeilDiv(shape.n * k * shape.c * shape.p * shape.q * shape.r * shape.s, rows * best);
}

// Energies per operation and byte are fitted to Timeloop and Accelergy's at 45 nm
// (data/timeloop/README.md).
constexpr std::array<RooflineAccelerator, 4> kAccelerators = {{
    {"simba", "1024 MACs, weight-stationary, 8 bit", 1024, 1, 1.64, 66.4, &SimbaCycles},
    {"eyeriss", "168 MACs, row-stationary, 8 bit", 168, 1, 3.32, 67.5, &EyerissCycles},
    {"eyeriss16", "168 MACs, row-stationary, 16 bit", 168, 2, 6.10, 67.0, &EyerissCycles},
    {"gemmini", "16x16 MACs, systolic, weight-stationary, 8 bit", 256, 1, 3.29, 83.6,
     &GemminiCycles},
}};

}  // namespace

SegmentCost RooflineAccelerator::Cost(const LayerShape& shape) const {
  LayerShape group = shape;  // groups run one after the other
  group.k /= shape.groups;
  group.c /= shape.groups;
  group.groups = 1;
  const std::int64_t bytes = word_bytes * (shape.Inputs() + shape.Weights() + shape.Outputs());
  const std::int64_t time =
      std::max(shape.groups * cycles(group), CeilDiv(bytes, kDramBytesPerCycle));
  const double energy =
      pj_per_mac * static_cast<double>(shape.Macs()) + pj_per_byte * static_cast<double>(bytes);
  return {Duration{time}, bytes, std::llround(energy)};
}

std::span<const RooflineAccelerator> RooflineAccelerators() { return kAccelerators; }

Profile ZooProfile(std::span<const std::string_view> accelerators) {
  Profile profile;
  std::vector<const RooflineAccelerator*> chosen;
  for (std::string_view name : accelerators) {
    const auto found = std::ranges::find(kAccelerators, name, &RooflineAccelerator::name);
    CHECK(found != kAccelerators.end());
    chosen.push_back(&*found);
    profile.kinds.emplace_back(name);
  }
  for (const LayeredNetwork& network : Zoo()) {
    const NetworkId id{profile.networks.size()};
    std::vector<SegmentSpec> specs;
    for (const NetworkLayer& layer : network.layers) {
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        profile.rows.push_back(
            {id, SegmentId{specs.size()}, KindId{k}, {}, chosen[k]->Cost(layer.shape)});
      }
      specs.push_back({layer.name, layer.after});
    }
    auto graph = NetworkGraph::Create(std::string(network.name), specs);
    CHECK_MSG(graph.has_value(), graph.error().message);
    profile.networks.push_back(std::move(*graph));
  }
  return profile;
}

}  // namespace fairlead
