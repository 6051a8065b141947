#include "fairlead/costs/network_builder.h"

#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

std::int64_t ParametersAChannel(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kBatchNorm: return 2;
    case Epilogue::kBias: return 1;
    case Epilogue::kNothing: return 0;
  }
  return 0;
}

// A pool's window begins inside the data or its padding before, so rounding up can be in vain.
std::int64_t PooledSize(std::int64_t size, const PoolSpec& spec) {
  const std::int64_t room = size + 2 * spec.pad - spec.kernel;
  if (spec.round == PoolSpec::Round::kDown) return room / spec.stride + 1;
  const std::int64_t steps = (room + spec.stride - 1) / spec.stride;
  return steps * spec.stride >= size + spec.pad ? steps : steps + 1;
}

// The shape of a layer that does not multiply and keeps the size of its input.
LayerShape PassOver(LayerKind kind, const Tensor& in, std::int64_t operands) {
  return {.kind = kind, .k = in.channels, .p = in.height, .q = in.width, .operands = operands};
}

}  // namespace

ConvolutionSpec Same(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {.outputs = outputs,
          .height = kernel,
          .width = kernel,
          .stride = stride,
          .pad_height = kernel / 2,
          .pad_width = kernel / 2};
}

ConvolutionSpec Valid(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {.outputs = outputs, .height = kernel, .width = kernel, .stride = stride};
}

ConvolutionSpec Depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
  ConvolutionSpec spec = Same(channels, kernel, stride);
  spec.groups = channels;
  return spec;
}

Tensor NetworkBuilder::Append(std::string name, const LayerIndices& from, const LayerShape& shape,
                              std::int64_t parameters) {
  const std::uint32_t index = layers_.Append(
      {.name = std::move(name), .shape = shape, .parameters = parameters, .after = from});
  return {shape.k, shape.p, shape.q, {index}};
}

Tensor NetworkBuilder::Convolution(std::string name, const Tensor& in,
                                   const ConvolutionSpec& spec) {
  CHECK(in.channels % spec.groups == 0 && spec.outputs % spec.groups == 0);
  const bool depthwise = spec.groups > 1 && spec.groups == in.channels;
  const LayerShape shape{.kind = depthwise ? LayerKind::kDepthwise : LayerKind::kConvolution,
                         .k = spec.outputs,
                         .c = in.channels,
                         .p = (in.height + 2 * spec.pad_height - spec.height) / spec.stride + 1,
                         .q = (in.width + 2 * spec.pad_width - spec.width) / spec.stride + 1,
                         .r = spec.height,
                         .s = spec.width,
                         .stride = spec.stride,
                         .groups = spec.groups};
  return Append(std::move(name), in.from, shape,
                shape.Weights() + shape.k * ParametersAChannel(spec.epilogue));
}

Tensor NetworkBuilder::Linear(std::string name, const Tensor& in, std::int64_t outputs) {
  const LayerShape shape{.kind = LayerKind::kLinear, .k = outputs, .c = in.Elements()};
  return Append(std::move(name), in.from, shape, shape.Weights() + outputs);
}

Tensor NetworkBuilder::Pool(std::string name, const Tensor& in, const PoolSpec& spec) {
  return Append(std::move(name), in.from,
                {.kind = LayerKind::kPool,
                 .k = in.channels,
                 .p = PooledSize(in.height, spec),
                 .q = PooledSize(in.width, spec),
                 .r = spec.kernel,
                 .s = spec.kernel,
                 .stride = spec.stride,
                 .operands = in.Elements()},
                0);
}

Tensor NetworkBuilder::GlobalPool(std::string name, const Tensor& in) {
  return Append(std::move(name), in.from,
                {.kind = LayerKind::kPool,
                 .k = in.channels,
                 .r = in.height,
                 .s = in.width,
                 .operands = in.Elements()},
                0);
}

Tensor NetworkBuilder::Add(std::string name, const Tensor& a, const Tensor& b) {
  CHECK(a.channels == b.channels && a.height == b.height && a.width == b.width);
  return Append(std::move(name), layers_.Merge(a.from, b.from),
                PassOver(LayerKind::kElementwise, a, a.Elements() + b.Elements()), 0);
}

Tensor NetworkBuilder::Gate(std::string name, const Tensor& in, const Tensor& gates) {
  CHECK(in.channels == gates.channels && gates.height == 1 && gates.width == 1);
  return Append(std::move(name), layers_.Merge(in.from, gates.from),
                PassOver(LayerKind::kElementwise, in, in.Elements() + gates.Elements()), 0);
}

Tensor NetworkBuilder::BatchNorm(std::string name, const Tensor& in) {
  return Append(std::move(name), in.from, PassOver(LayerKind::kElementwise, in, in.Elements()),
                2 * in.channels);
}

Tensor NetworkBuilder::Upsample(std::string name, const Tensor& in, std::int64_t factor) {
  return Append(std::move(name), in.from,
                {.kind = LayerKind::kResize,
                 .k = in.channels,
                 .p = in.height * factor,
                 .q = in.width * factor,
                 .operands = in.Elements()},
                0);
}

Tensor NetworkBuilder::ShuffleChannels(std::string name, const Tensor& in) {
  return Append(std::move(name), in.from, PassOver(LayerKind::kShuffle, in, in.Elements()), 0);
}

Tensor NetworkBuilder::Concatenate(const std::vector<Tensor>& parts) const {
  CHECK(!parts.empty());
  Tensor result{0, parts[0].height, parts[0].width, {}};
  for (const Tensor& part : parts) {
    CHECK(part.height == result.height && part.width == result.width);
    result.channels += part.channels;
    result.from = layers_.Merge(result.from, part.from);
  }
  return result;
}

}  // namespace fairlead
