#include "fairlead/networks/random_layers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/networks/network_builder.h"

namespace fairlead {
namespace {

constexpr std::int64_t kFewestMacs = 100'000;
constexpr std::int64_t kMostMacs = 1'000'000'000;
constexpr std::int64_t kMostWeights = std::int64_t{16} << 20;
constexpr std::int64_t kPressInputs = 8192;
constexpr std::int64_t kPressOutputs = 16384;

// Between the two, each order of magnitude as likely; a multiple of 8 from 16 on.
std::int64_t DrawSize(RandomStream& random, double least, double most) {
  const double drawn = least * std::exp(random.Uniform() * std::log(most / least));
  const auto size = static_cast<std::int64_t>(drawn);
  return size < 16 ? size : size / 8 * 8;
}

struct DrawnShape {
  enum class Kind : std::uint8_t { kConvolution, kDepthwise, kLinear } kind = Kind::kConvolution;
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t side = 1;  // of the image

  std::int64_t Weights() const {
    return kind == Kind::kDepthwise ? inputs * kernel * kernel : inputs * outputs * kernel * kernel;
  }
  std::int64_t Macs() const {
    const std::int64_t out = (side + stride - 1) / stride;
    return Weights() * out * out;
  }
};

DrawnShape DrawAny(RandomStream& random) {
  static constexpr std::array<std::int64_t, 7> kSides = {7, 14, 17, 28, 35, 56, 112};
  static constexpr std::array<std::int64_t, 5> kKernels = {1, 1, 3, 5, 7};
  DrawnShape shape;
  const double kind = random.Uniform();
  if (kind < 0.2) {
    shape.kind = DrawnShape::Kind::kLinear;
    shape.inputs = DrawSize(random, 128, 16384);
    shape.outputs = DrawSize(random, 64, 8192);
    return shape;
  }
  shape.side = kSides[random.Below(kSides.size())];
  shape.stride = random.Uniform() < 0.2 ? 2 : 1;
  shape.inputs = DrawSize(random, 16, 1024);
  if (kind < 0.4) {
    shape.kind = DrawnShape::Kind::kDepthwise;
    shape.outputs = shape.inputs;
    shape.kernel = random.Uniform() < 0.6 ? 3 : 5;
    return shape;
  }
  shape.outputs = DrawSize(random, 16, 1024);
  shape.kernel = kKernels[random.Below(kKernels.size())];
  return shape;
}

DrawnShape DrawShape(RandomStream& random) {
  for (;;) {
    const DrawnShape shape = DrawAny(random);
    if (shape.Macs() >= kFewestMacs && shape.Macs() <= kMostMacs && shape.Weights() <= kMostWeights)
      return shape;
  }
}

void AddLayer(NetworkBuilder& builder, const DrawnShape& shape, std::size_t number) {
  const std::string name = fmt::format("{}{}", kDrawnLayer, number);
  if (shape.kind == DrawnShape::Kind::kLinear) {
    builder.Linear(name, builder.Input(shape.inputs, 1, 1), shape.outputs);
    return;
  }
  const Tensor fed =
      builder.Convolution(fmt::format("feed{}", number), builder.Input(3, shape.side, shape.side),
                          Same(shape.inputs, 1).With(Epilogue::kBias));
  const ConvolutionSpec spec = shape.kind == DrawnShape::Kind::kDepthwise
                                   ? Depthwise(shape.inputs, shape.kernel, shape.stride)
                                   : Same(shape.outputs, shape.kernel, shape.stride);
  const Tensor out = builder.Convolution(name, fed, spec.With(Epilogue::kBias));
  builder.GlobalPool(fmt::format("pool{}", number), out);
}

}  // namespace

OperatorGraph RandomLayers(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, "random layers");
  NetworkBuilder builder;
  for (std::size_t i = 0; i < count; ++i) AddLayer(builder, DrawShape(random), i);
  builder.Linear(std::string(kPressLayer), builder.Input(kPressInputs, 1, 1), kPressOutputs);
  OperatorGraph graph = builder.Take();
  graph.name = "random layers";
  return graph;
}

}  // namespace fairlead
