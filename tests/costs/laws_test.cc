// Laws that every cost obeys, on every layer of the zoo, on shapes that nobody chose, and on
// accelerators that nobody built.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/costs/array_cost.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/scenario/accelerator_catalogue.h"

namespace fairlead {
namespace {

std::string Describe(const LayerShape& s) {
  return fmt::format("{} n {} k {} c {} p {} q {} r {} s {} stride {} groups {}", Name(s.kind), s.n,
                     s.k, s.c, s.p, s.q, s.r, s.s, s.stride, s.groups);
}

std::int64_t UpTo(RandomStream& random, std::uint64_t bound) {
  return static_cast<std::int64_t>(1 + random.Below(bound));
}

LayerShape RandomShape(RandomStream& random) {
  LayerShape shape{.n = UpTo(random, 4),
                   .k = UpTo(random, 300),
                   .c = UpTo(random, 300),
                   .p = UpTo(random, 60),
                   .q = UpTo(random, 60),
                   .r = UpTo(random, 11),
                   .s = UpTo(random, 11),
                   .stride = UpTo(random, 4)};
  if (random.Below(4) == 0) {
    shape.kind = LayerKind::kDepthwise;
    shape.groups = shape.k = shape.c;
  } else if (random.Below(4) == 0) {
    shape.groups = UpTo(random, 4);
    shape.k *= shape.groups;
    shape.c *= shape.groups;
  }
  return shape;
}

std::vector<LayerShape> ManyShapes() {
  std::vector<LayerShape> shapes;
  for (const LayeredNetwork& network : Zoo()) {
    for (const NetworkLayer& layer : network.layers) shapes.push_back(layer.shape);
  }
  std::ranges::sort(shapes);
  shapes.erase(std::ranges::unique(shapes).begin(), shapes.end());
  RandomStream random(1, "shapes");
  for (int i = 0; i < 300; ++i) shapes.push_back(RandomShape(random));
  return shapes;
}

const AcceleratorModel& BuiltIn(const std::string& name) {
  return *std::ranges::find(BuiltInAccelerators(), name, &AcceleratorModel::name);
}

std::vector<std::string> BuiltInNames() {
  std::vector<std::string> names;
  for (const AcceleratorModel& accelerator : BuiltInAccelerators())
    names.push_back(accelerator.name);
  return names;
}

class Laws : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Accelerators, Laws, ::testing::ValuesIn(BuiltInNames()));

TEST_P(Laws, HoldForEveryShape) {
  const AcceleratorModel& model = BuiltIn(GetParam());
  const int units = model.UnitChoices().back();
  for (const LayerShape& shape : ManyShapes()) {
    const LayerCost cost = model.Cost(shape, units);
    const auto ns = static_cast<double>(cost.latency.count());
    const auto bytes = static_cast<double>(cost.DramBytes());
    // Never more multiplications in a time than the array has.
    ASSERT_LE(static_cast<double>(shape.Macs()), model.PeakGmacsPerSecond() * ns * (1 + 1e-9))
        << Describe(shape);
    // Never less traffic than inputs, weights and outputs once.
    ASSERT_GE(8 * cost.DramBytes(),
              model.WordBits() * (shape.Inputs() + shape.Weights() + shape.Outputs()))
        << Describe(shape);
    // Never more bandwidth than the pins have.
    ASSERT_LE(bytes, model.DramGbPerSecond() * ns * (1 + 1e-9)) << Describe(shape);
    ASSERT_GE(cost.utilisation, 0) << Describe(shape);
    ASSERT_LE(cost.utilisation, 1 + 1e-9) << Describe(shape);
  }
}

ArrayAccelerator RandomAccelerator(RandomStream& random) {
  ArrayAccelerator a;
  a.word_bits = random.Below(2) == 0 ? 8 : 16;
  a.dataflow = static_cast<Dataflow>(random.Below(3));
  a.unrolling = static_cast<Unrolling>(random.Below(2));
  a.double_buffering = random.Below(2) == 0;
  const std::size_t axes = 1 + random.Below(3);
  for (std::size_t i = 0; i < axes; ++i) {
    ArrayAxis axis{.size = UpTo(random, 24), .loops = {}, .inside_element = random.Below(3) == 0};
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const auto loop = static_cast<Dimension>(d);
      if (loop != Dimension::kX && random.Below(3) == 0) axis.loops.push_back(loop);
    }
    if (axis.loops.size() > 3) axis.loops.resize(3);
    a.array.push_back(axis);
  }
  a.mac_pj = 1;
  a.inputs = {.words = UpTo(random, 512), .read_pj = 1, .write_pj = 1};
  a.weights = {.words = UpTo(random, 4096), .read_pj = 1, .write_pj = 1};
  a.sums = {.words = UpTo(random, 128), .read_pj = 1, .write_pj = 1};
  a.buffers = {{.bytes = UpTo(random, 1 << 18),
                .holds_inputs = true,
                .holds_weights = random.Below(2) == 0,
                .holds_sums = true,
                .read_pj = 5,
                .write_pj = 5,
                .words_per_cycle = random.Below(2) == 0 ? 0.0 : 16.0}};
  return a;
}

// One more of one thing.
ArrayAccelerator Enlarged(ArrayAccelerator a, RandomStream& random) {
  switch (random.Below(8)) {
    case 0: a.clock_ghz *= 1.5; break;
    case 1: a.dram_gb_per_s *= 2; break;
    case 2: a.array[random.Below(a.array.size())].size += UpTo(random, 8); break;
    case 3: a.inputs.words += UpTo(random, 512); break;
    case 4: a.weights.words += UpTo(random, 4096); break;
    case 5: a.sums.words += UpTo(random, 128); break;
    case 6: a.buffers[0].bytes += UpTo(random, 1 << 17); break;
    default: a.buffers[0].words_per_cycle *= 2; break;
  }
  return a;
}

TEST(Laws, MoreOfAnythingIsNeverSlower) {
  RandomStream random(1, "accelerators");
  for (int i = 0; i < 1'500; ++i) {
    const ArrayAccelerator small = RandomAccelerator(random);
    const LayerShape shape = RandomShape(random);
    const ArrayAccelerator large = Enlarged(small, random);
    ASSERT_LE(CostOn(large, shape).latency, CostOn(small, shape).latency)
        << "world " << i << ": " << Describe(shape);
  }
}

TEST(Laws, MoreUnitsAreNeverSlower) {
  const AcceleratorModel& cpu = BuiltIn("cpu");
  for (const LayerShape& shape : ManyShapes()) {
    Duration before = kLongestDuration;
    for (const int units : cpu.UnitChoices()) {
      const Duration latency = cpu.Cost(shape, units).latency;
      ASSERT_LE(latency, before) << Describe(shape) << " on " << units;
      before = latency;
    }
  }
}

TEST(Laws, ABatchCostsNoMoreThanItsInputsOneByOne) {
  const AcceleratorModel& simba = BuiltIn("simba");
  for (const LayerShape& shape : ManyShapes()) {
    ASSERT_LE(simba.Cost(shape.Batched(4), 1).latency, 4 * simba.Cost(shape, 1).latency)
        << Describe(shape);
  }
}

}  // namespace
}  // namespace fairlead
