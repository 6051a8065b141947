#include "fairlead/networks/network_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

// A pool's window begins inside the data or its padding before, so rounding up can be in vain.
std::int64_t PooledSize(std::int64_t size, const PoolSpec& spec) {
  const std::int64_t room = size + 2 * spec.pad - spec.kernel;
  if (spec.round == PoolSpec::Round::kDown) return room / spec.stride + 1;
  const std::int64_t steps = (room + spec.stride - 1) / spec.stride;
  return steps * spec.stride >= size + spec.pad ? steps : steps + 1;
}

WeightsPointer WithoutValues(TensorDims dims) {
  return std::make_shared<const Weights>(Weights{.dims = std::move(dims), .values = {}});
}

fairlead::Convolution OperatorOf(const ConvolutionSpec& spec, std::int64_t inputs) {
  fairlead::Convolution body{
      .window = {.kernel = {spec.height, spec.width},
                 .stride = {spec.stride, spec.stride},
                 .pad_before = {spec.pad_height, spec.pad_width},
                 .pad_after = {spec.pad_height, spec.pad_width}},
      .groups = spec.groups,
      .weights = WithoutValues({spec.outputs, inputs / spec.groups, spec.height, spec.width})};
  if (spec.epilogue == Epilogue::kBias) body.bias = WithoutValues({spec.outputs});
  return body;
}

fairlead::Pool OperatorOf(const PoolSpec& spec, const Tensor& in, const TensorDims& dims) {
  const auto reach = [&](std::int64_t outputs, std::int64_t size) {
    const std::int64_t end = (outputs - 1) * spec.stride + spec.kernel - spec.pad;
    return std::max<std::int64_t>(end - size, 0);
  };
  return {.kind = spec.kind,
          .window = {.kernel = {spec.kernel, spec.kernel},
                     .stride = {spec.stride, spec.stride},
                     .pad_before = {spec.pad, spec.pad},
                     .pad_after = {reach(dims[1], in.height), reach(dims[2], in.width)}}};
}

bool IsIdentity(const Activation& activation) {
  return activation.kind == ActivationKind::kLinear && activation.alpha == 1 &&
         activation.beta == 0;
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

Tensor NetworkBuilder::TensorAt(TensorIndex index) const {
  const TensorDims& dims = graph_.dims(index);
  if (dims.size() == 1) return {dims[0], 1, 1, index};
  return {dims[0], dims[1], dims[2], index};
}

Tensor NetworkBuilder::Input(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return TensorAt(graph_.Input("input", {channels, height, width}));
}

std::string NetworkBuilder::NameBehind(TensorIndex tensor, const char* what) const {
  return fmt::format("{}.{}", graph_.graph().tensors[tensor].name, what);
}

Tensor NetworkBuilder::Activated(const Tensor& in, const Activation& activation) {
  if (IsIdentity(activation)) return in;
  return TensorAt(graph_.Apply(NameBehind(in.index, "activation"), activation, {in.index}));
}

TensorIndex NetworkBuilder::Normalised(const std::string& name, TensorIndex in) {
  const std::int64_t channels = graph_.dims(in)[0];
  return graph_.Apply(name, ChannelScale{WithoutValues({channels}), WithoutValues({channels})},
                      {in});
}

Tensor NetworkBuilder::Convolution(const std::string& name, const Tensor& in,
                                   const ConvolutionSpec& spec) {
  CHECK(in.channels % spec.groups == 0 && spec.outputs % spec.groups == 0);
  TensorIndex index = graph_.Apply(name, OperatorOf(spec, in.channels), {in.index});
  if (spec.epilogue == Epilogue::kBatchNorm) index = Normalised(name + ".norm", index);
  return Activated(TensorAt(index), spec.activation.value_or(activation_));
}

Tensor NetworkBuilder::Linear(std::string name, const Tensor& in, std::int64_t outputs) {
  fairlead::Linear body{.weights = WithoutValues({outputs, in.Elements()}),
                        .bias = WithoutValues({outputs})};
  return TensorAt(graph_.Apply(std::move(name), std::move(body), {Flatten(in).index}));
}

Tensor NetworkBuilder::Pool(std::string name, const Tensor& in, const PoolSpec& spec) {
  const TensorDims dims{in.channels, PooledSize(in.height, spec), PooledSize(in.width, spec)};
  return TensorAt(
      graph_.Apply(std::move(name), OperatorOf(spec, in, dims), {in.index}, TensorDims(dims)));
}

Tensor NetworkBuilder::GlobalPool(std::string name, const Tensor& in) {
  const fairlead::Pool body{.kind = PoolKind::kAverage,
                            .window = {.kernel = {in.height, in.width}}};
  return TensorAt(graph_.Apply(std::move(name), body, {in.index}));
}

Tensor NetworkBuilder::Add(std::string name, const Tensor& a, const Tensor& b) {
  CHECK(a.channels == b.channels && a.height == b.height && a.width == b.width);
  return TensorAt(graph_.Apply(std::move(name), Binary{BinaryKind::kAdd}, {a.index, b.index}));
}

Tensor NetworkBuilder::Gate(std::string name, const Tensor& in, const Tensor& gates) {
  CHECK(in.channels == gates.channels && gates.height == 1 && gates.width == 1);
  return TensorAt(
      graph_.Apply(std::move(name), Binary{BinaryKind::kMultiply}, {in.index, gates.index}));
}

Tensor NetworkBuilder::BatchNorm(const std::string& name, const Tensor& in) {
  return Activate(TensorAt(Normalised(name, in.index)));
}

Tensor NetworkBuilder::Upsample(std::string name, const Tensor& in, std::int64_t factor) {
  const Resize body{.kind = ResizeKind::kNearest, .grid = ResizeGrid::kAsymmetric};
  return TensorAt(graph_.Apply(std::move(name), body, {in.index},
                               {in.channels, in.height * factor, in.width * factor}));
}

Tensor NetworkBuilder::ShuffleChannels(const std::string& name, const Tensor& in) {
  const std::int64_t half = in.channels / 2;
  TensorIndex index =
      graph_.Apply(name + ".halves", Reshape{}, {in.index}, {2, half, in.height, in.width});
  index = graph_.Apply(name, Transposition{{1, 0, 2, 3}}, {index});
  return TensorAt(
      graph_.Apply(name + ".whole", Reshape{}, {index}, {in.channels, in.height, in.width}));
}

Tensor NetworkBuilder::Flatten(const Tensor& in) {
  const TensorDims dims{in.Elements()};
  if (graph_.dims(in.index) == dims) return in;
  return TensorAt(graph_.Apply(NameBehind(in.index, "flat"), Reshape{}, {in.index}, dims));
}

Tensor NetworkBuilder::Concatenate(const std::vector<Tensor>& parts) {
  CHECK(!parts.empty());
  std::vector<TensorIndex> indices;
  for (const Tensor& part : parts) {
    CHECK(part.height == parts[0].height && part.width == parts[0].width);
    indices.push_back(part.index);
  }
  std::string name = NameBehind(indices.back(), "concatenated");
  return TensorAt(graph_.Apply(std::move(name), Concatenation{0}, std::move(indices)));
}

std::array<Tensor, 2> NetworkBuilder::Halves(const Tensor& in) {
  const TensorDims dims{in.channels / 2, in.height, in.width};
  const auto half = [&](const char* name, std::int64_t start) {
    const Slice body{.start = {start, 0, 0}, .step = {1, 1, 1}};
    return TensorAt(graph_.Apply(NameBehind(in.index, name), body, {in.index}, dims));
  };
  return {half("first_half", 0), half("second_half", in.channels - dims[0])};
}

OperatorGraph NetworkBuilder::Take() {
  std::vector<bool> read(graph_.graph().tensors.size(), false);
  for (const GraphOperator& op : graph_.graph().operators) {
    for (TensorIndex input : op.inputs) read[input] = true;
  }
  for (TensorIndex tensor = 0; tensor < read.size(); ++tensor) {
    if (!read[tensor]) graph_.Output(tensor);
  }
  return graph_.Take();
}

}  // namespace fairlead
