#include "fairlead/networks/network_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
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

TensorDims DimsOf(const LayerShape& shape) { return {shape.k, shape.p, shape.q}; }

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

fairlead::Pool OperatorOf(const PoolSpec& spec, const Tensor& in, const LayerShape& shape) {
  const auto reach = [&](std::int64_t outputs, std::int64_t size) {
    const std::int64_t end = (outputs - 1) * spec.stride + spec.kernel - spec.pad;
    return std::max<std::int64_t>(end - size, 0);
  };
  return {.kind = spec.kind,
          .window = {.kernel = {spec.kernel, spec.kernel},
                     .stride = {spec.stride, spec.stride},
                     .pad_before = {spec.pad, spec.pad},
                     .pad_after = {reach(shape.p, in.height), reach(shape.q, in.width)}}};
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

Tensor NetworkBuilder::Input(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return {channels, height, width, {}, graph_.Input("input", {channels, height, width})};
}

Tensor NetworkBuilder::Append(std::string name, const LayerIndices& from, const LayerShape& shape,
                              std::int64_t parameters, TensorIndex index) {
  const std::uint32_t layer = layers_.Append(
      {.name = std::move(name), .shape = shape, .parameters = parameters, .after = from});
  return {shape.k, shape.p, shape.q, {layer}, index};
}

std::string NetworkBuilder::NameBehind(TensorIndex tensor, const char* what) const {
  return fmt::format("{}.{}", graph_.graph().tensors[tensor].name, what);
}

Tensor NetworkBuilder::Activated(const Tensor& in, const Activation& activation) {
  Tensor out = in;
  if (!IsIdentity(activation))
    out.index = graph_.Apply(NameBehind(in.index, "activation"), activation, {in.index});
  return out;
}

TensorIndex NetworkBuilder::Normalised(const std::string& name, TensorIndex in) {
  const std::int64_t channels = graph_.dims(in)[0];
  return graph_.Apply(name, ChannelScale{WithoutValues({channels}), WithoutValues({channels})},
                      {in});
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
  TensorIndex index = graph_.Apply(name, OperatorOf(spec, in.channels), {in.index});
  if (spec.epilogue == Epilogue::kBatchNorm) index = Normalised(name + ".norm", index);
  const Tensor out = Append(std::move(name), in.from, shape,
                            shape.Weights() + shape.k * ParametersAChannel(spec.epilogue), index);
  return Activated(out, spec.activation.value_or(activation_));
}

Tensor NetworkBuilder::Linear(std::string name, const Tensor& in, std::int64_t outputs) {
  const LayerShape shape{.kind = LayerKind::kLinear, .k = outputs, .c = in.Elements()};
  fairlead::Linear body{.weights = WithoutValues({outputs, in.Elements()}),
                        .bias = WithoutValues({outputs})};
  const TensorIndex index = graph_.Apply(name, std::move(body), {Flatten(in).index});
  return Append(std::move(name), in.from, shape, shape.Weights() + outputs, index);
}

Tensor NetworkBuilder::Pool(std::string name, const Tensor& in, const PoolSpec& spec) {
  const LayerShape shape{.kind = LayerKind::kPool,
                         .k = in.channels,
                         .p = PooledSize(in.height, spec),
                         .q = PooledSize(in.width, spec),
                         .r = spec.kernel,
                         .s = spec.kernel,
                         .stride = spec.stride,
                         .operands = in.Elements()};
  const TensorIndex index =
      graph_.Apply(name, OperatorOf(spec, in, shape), {in.index}, DimsOf(shape));
  return Append(std::move(name), in.from, shape, 0, index);
}

Tensor NetworkBuilder::GlobalPool(std::string name, const Tensor& in) {
  const LayerShape shape{.kind = LayerKind::kPool,
                         .k = in.channels,
                         .r = in.height,
                         .s = in.width,
                         .operands = in.Elements()};
  const fairlead::Pool body{.kind = PoolKind::kAverage,
                            .window = {.kernel = {in.height, in.width}}};
  return Append(name, in.from, shape, 0, graph_.Apply(name, body, {in.index}));
}

Tensor NetworkBuilder::Add(std::string name, const Tensor& a, const Tensor& b) {
  CHECK(a.channels == b.channels && a.height == b.height && a.width == b.width);
  return Append(name, layers_.Merge(a.from, b.from),
                PassOver(LayerKind::kElementwise, a, a.Elements() + b.Elements()), 0,
                graph_.Apply(name, Binary{BinaryKind::kAdd}, {a.index, b.index}));
}

Tensor NetworkBuilder::Gate(std::string name, const Tensor& in, const Tensor& gates) {
  CHECK(in.channels == gates.channels && gates.height == 1 && gates.width == 1);
  return Append(name, layers_.Merge(in.from, gates.from),
                PassOver(LayerKind::kElementwise, in, in.Elements() + gates.Elements()), 0,
                graph_.Apply(name, Binary{BinaryKind::kMultiply}, {in.index, gates.index}));
}

Tensor NetworkBuilder::BatchNorm(std::string name, const Tensor& in) {
  return Activate(Append(name, in.from, PassOver(LayerKind::kElementwise, in, in.Elements()),
                         2 * in.channels, Normalised(name, in.index)));
}

Tensor NetworkBuilder::Upsample(std::string name, const Tensor& in, std::int64_t factor) {
  const LayerShape shape{.kind = LayerKind::kResize,
                         .k = in.channels,
                         .p = in.height * factor,
                         .q = in.width * factor,
                         .operands = in.Elements()};
  const Resize body{.kind = ResizeKind::kNearest, .grid = ResizeGrid::kAsymmetric};
  return Append(name, in.from, shape, 0, graph_.Apply(name, body, {in.index}, DimsOf(shape)));
}

Tensor NetworkBuilder::ShuffleChannels(std::string name, const Tensor& in) {
  const std::int64_t half = in.channels / 2;
  TensorIndex index =
      graph_.Apply(name + ".halves", Reshape{}, {in.index}, {2, half, in.height, in.width});
  index = graph_.Apply(name, Transposition{{1, 0, 2, 3}}, {index});
  index = graph_.Apply(name + ".whole", Reshape{}, {index}, {in.channels, in.height, in.width});
  return Append(std::move(name), in.from, PassOver(LayerKind::kShuffle, in, in.Elements()), 0,
                index);
}

Tensor NetworkBuilder::Flatten(const Tensor& in) {
  Tensor flat{in.Elements(), 1, 1, in.from, in.index};
  if (const TensorDims dims{flat.channels}; graph_.dims(in.index) != dims)
    flat.index = graph_.Apply(NameBehind(in.index, "flat"), Reshape{}, {in.index}, dims);
  return flat;
}

Tensor NetworkBuilder::Concatenate(const std::vector<Tensor>& parts) {
  CHECK(!parts.empty());
  Tensor result{0, parts[0].height, parts[0].width, {}, 0};
  std::vector<TensorIndex> indices;
  for (const Tensor& part : parts) {
    CHECK(part.height == result.height && part.width == result.width);
    result.channels += part.channels;
    result.from = layers_.Merge(result.from, part.from);
    indices.push_back(part.index);
  }
  std::string name = NameBehind(indices.back(), "concatenated");
  result.index = graph_.Apply(std::move(name), Concatenation{0}, std::move(indices));
  return result;
}

std::array<Tensor, 2> NetworkBuilder::Halves(const Tensor& in) {
  const TensorDims dims{in.channels / 2, in.height, in.width};
  const auto half = [&](const char* name, std::int64_t start) {
    const Slice body{.start = {start, 0, 0}, .step = {1, 1, 1}};
    return Tensor{dims[0], dims[1], dims[2], in.from,
                  graph_.Apply(NameBehind(in.index, name), body, {in.index}, dims)};
  };
  return {half("first_half", 0), half("second_half", in.channels - dims[0])};
}

BuiltNetwork NetworkBuilder::Take() {
  std::vector<bool> read(graph_.graph().tensors.size(), false);
  for (const GraphOperator& op : graph_.graph().operators) {
    for (TensorIndex input : op.inputs) read[input] = true;
  }
  for (TensorIndex tensor = 0; tensor < read.size(); ++tensor) {
    if (!read[tensor]) graph_.Output(tensor);
  }
  return {layers_.Take(), graph_.Take()};
}

}  // namespace fairlead
