#include "fairlead/networks/testing/random_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "fairlead/base/random.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/testing/random_choices.h"

namespace fairlead {
namespace {

using Made = std::optional<TensorIndex>;  // none: the step does not go with the tensor

class RandomGraphMaker : private RandomChoices {
 public:
  explicit RandomGraphMaker(std::uint64_t seed)
      : RandomChoices(RandomStream(seed, "graph")), graph_(fmt::format("random-{}", seed)) {}

  OperatorGraph Make(std::size_t operators) {
    const TensorDims image{Between(1, 6), Between(4, 9), Between(4, 9)};
    tensors_.push_back(graph_.Input("image", image));
    if (Chance(0.3)) tensors_.push_back(graph_.Input("other", image));
    while (graph_.graph().operators.size() < operators) {
      const Step step = kSteps[random().Below(kSteps.size())];
      if (const Made made = (this->*step)(Pick())) tensors_.push_back(*made);
    }
    ChooseOutputs();
    return graph_.Take();
  }

 private:
  using Step = Made (RandomGraphMaker::*)(TensorIndex);

  // The latest tensor, often: so chains arise that can be fused.
  TensorIndex Pick() {
    if (Chance(0.7)) return tensors_.back();
    return tensors_[random().Below(tensors_.size())];
  }
  std::string Name(const char* what) {
    return fmt::format("{}{}", what, graph_.graph().operators.size());
  }
  TensorIndex Apply(OperatorBody body, std::vector<TensorIndex> inputs) {
    return graph_.Apply(Name("op"), std::move(body), std::move(inputs));
  }
  TensorIndex Apply(OperatorBody body, std::vector<TensorIndex> inputs, TensorDims dims) {
    return graph_.Apply(Name("op"), std::move(body), std::move(inputs), std::move(dims));
  }
  TensorIndex Number(float value) { return graph_.Constant(Name("number"), {}, {value}); }
  bool IsImage(TensorIndex x) const { return graph_.dims(x).size() == 3; }

  // What nothing reads, and sometimes something in between.
  void ChooseOutputs() {
    std::unordered_set<TensorIndex> read;
    for (const GraphOperator& op : graph_.graph().operators) {
      for (TensorIndex tensor : op.Reads()) read.insert(tensor);
    }
    for (TensorIndex tensor : tensors_) {
      if (!read.contains(tensor) || Chance(0.05)) graph_.Output(tensor);
    }
  }

  // --- Layers with weights.

  Made Convolve(TensorIndex x) {
    if (!IsImage(x)) return std::nullopt;
    return Convolved(x, Between(1, 6));
  }

  TensorIndex Convolved(TensorIndex x, std::int64_t multiple) {
    const TensorDims in = graph_.dims(x);
    Convolution body;
    for (std::size_t axis : {0, 1}) {
      body.window.kernel[axis] = Between(1, std::min<std::int64_t>(3, in[axis + 1]));
      body.window.dilation[axis] = in[axis + 1] >= 5 ? Between(1, 2) : 1;
      body.window.stride[axis] = in[axis + 1] >= 4 ? Between(1, 2) : 1;
      body.window.pad_before[axis] = Between(0, body.window.kernel[axis] - 1);
      body.window.pad_after[axis] = Between(0, body.window.kernel[axis] - 1);
    }
    if (Chance(0.3)) body.groups = in[0];
    body.transposed = in[1] * in[2] < 40 && Chance(0.3);
    if (body.transposed) body.window.pad_before = body.window.pad_after = {0, 0};
    const std::int64_t outputs = body.groups == 1 ? multiple : in[0] * Between(1, 2);
    TensorDims weights{outputs, in[0] / body.groups, body.window.kernel[0], body.window.kernel[1]};
    if (body.transposed) weights = {in[0], outputs / body.groups, weights[2], weights[3]};
    body.weights = RandomWeights(weights, in[0] / body.groups * weights[2] * weights[3]);
    if (Chance(0.5)) body.bias = MakeWeights({outputs}, Reals(outputs, -0.5, 0.5));
    return Apply(std::move(body), {x});
  }

  WeightsPointer RandomWeights(const TensorDims& dims, std::int64_t fan_in) {
    const double bound = std::sqrt(3 / static_cast<double>(fan_in));
    return MakeWeights(dims, Reals(ElementsOf(dims), -bound, bound));
  }

  Made ApplyLinear(TensorIndex x) {
    if (graph_.dims(x).empty()) return std::nullopt;
    const std::int64_t inputs = graph_.dims(x).back();
    const std::int64_t outputs = Between(1, 8);
    Linear body{.weights = RandomWeights({outputs, inputs}, inputs), .bias = nullptr};
    if (Chance(0.5)) body.bias = MakeWeights({outputs}, Reals(outputs, -0.5, 0.5));
    return Apply(std::move(body), {x});
  }

  Made Normalise(TensorIndex x) {
    const std::int64_t channels = graph_.dims(x)[0];
    return Apply(ChannelScale{MakeWeights({channels}, Reals(channels, -1, 1)),
                              MakeWeights({channels}, Reals(channels, -1, 1))},
                 {x});
  }

  // --- Activations.

  Made Activate(TensorIndex x) {
    return Apply(OneOf(std::array<Activation, 12>{{{ActivationKind::kRelu},
                                                   {ActivationKind::kLeakyRelu, 0.1F},
                                                   {ActivationKind::kClip, -1, 2},
                                                   {ActivationKind::kSigmoid},
                                                   {ActivationKind::kHardSigmoid, 0.2F, 0.4F},
                                                   {ActivationKind::kHardSwish},
                                                   {ActivationKind::kSilu},
                                                   {ActivationKind::kTanh},
                                                   {ActivationKind::kElu, 0.5F},
                                                   {ActivationKind::kGelu},
                                                   {ActivationKind::kAbs},
                                                   {ActivationKind::kLinear, 0.5F, -1}}}),
                 {x});
  }

  Made ExponentialOrRoot(TensorIndex x) {
    if (Chance(0.5))
      return Apply(Activation{ActivationKind::kExp}, {*Activation1(ActivationKind::kTanh, x)});
    const TensorIndex positive = *Activation1(ActivationKind::kAbs, x);
    return *Activation1(ActivationKind::kSqrt, With(BinaryKind::kAdd, positive, 0.1F));
  }

  Made Activation1(ActivationKind kind, TensorIndex x) { return Apply(Activation{kind}, {x}); }

  // x and a number, in either order where both are the same.
  TensorIndex With(BinaryKind kind, TensorIndex x, float number) {
    const bool commutes = kind != BinaryKind::kSubtract && kind != BinaryKind::kDivide;
    if (commutes && Chance(0.5)) return Apply(Binary{kind}, {Number(number), x});
    return Apply(Binary{kind}, {x, Number(number)});
  }
  TensorIndex Product(TensorIndex a, TensorIndex b) {
    if (Chance(0.5)) std::swap(a, b);
    return Apply(Binary{BinaryKind::kMultiply}, {a, b});
  }

  TensorIndex ClippedTo6(TensorIndex x) {
    const TensorIndex shifted = With(BinaryKind::kAdd, x, 3);
    if (Chance(0.5)) return Apply(Activation{ActivationKind::kClip, 0, 6}, {shifted});
    return With(BinaryKind::kMinimum, With(BinaryKind::kMaximum, shifted, 0), 6);
  }

  Made ActivateAsExported(TensorIndex x) {
    switch (Between(0, 5)) {
      case 0: return Product(x, *Activation1(ActivationKind::kSigmoid, x));
      case 1:
        return Product(x, Apply(Activation{ActivationKind::kHardSigmoid, 1.0F / 6, 0.5F}, {x}));
      case 2: return With(BinaryKind::kDivide, Product(x, ClippedTo6(x)), 6);
      case 3: return Product(x, With(BinaryKind::kDivide, ClippedTo6(x), 6));
      case 4: return With(BinaryKind::kMultiply, ClippedTo6(x), 1.0F / 6);
      default: return With(BinaryKind::kMaximum, x, 0);
    }
  }

  // --- Two operands.

  static constexpr std::array<BinaryKind, 4> kSums{BinaryKind::kAdd, BinaryKind::kSubtract,
                                                   BinaryKind::kMaximum, BinaryKind::kMinimum};

  Made Combine(TensorIndex x) {
    const BinaryKind kind = Chance(0.7) ? BinaryKind::kAdd : OneOf(kSums);
    std::vector<TensorIndex> others;
    std::ranges::copy_if(tensors_, std::back_inserter(others),
                         [&](TensorIndex other) { return graph_.dims(other) == graph_.dims(x); });
    TensorIndex other = others[random().Below(others.size())];
    if (other == x && Chance(0.8)) other = *Normalise(x);
    return Chance(0.5) ? Apply(Binary{kind}, {x, other}) : Apply(Binary{kind}, {other, x});
  }

  Made CombineWithConstant(TensorIndex x) {
    const TensorDims in = graph_.dims(x);
    TensorDims dims;
    switch (Between(0, 3)) {
      case 0: break;
      case 1:
        dims = TensorDims(in.size(), 1);
        dims[0] = in[0];
        break;
      case 2: dims = {in.back()}; break;
      default: dims = in;
    }
    TensorIndex constant =
        graph_.Constant(Name("constant"), dims, Reals(ElementsOf(dims), 0.5, 1.5));
    if (Chance(0.2)) constant = With(BinaryKind::kAdd, constant, 1);
    const BinaryKind kind =
        OneOf(std::array{BinaryKind::kAdd, BinaryKind::kSubtract, BinaryKind::kMultiply,
                         BinaryKind::kDivide, BinaryKind::kMaximum, BinaryKind::kMinimum});
    if (kind != BinaryKind::kDivide && Chance(0.5)) return Apply(Binary{kind}, {constant, x});
    return Apply(Binary{kind}, {x, constant});
  }

  Made Divide(TensorIndex x) {
    const TensorIndex bounded = *Activation1(ActivationKind::kTanh, Pick());
    const TensorIndex divisor = Apply(Activation{ActivationKind::kLinear, 1, 2}, {bounded});
    if (graph_.dims(divisor) != graph_.dims(x)) return std::nullopt;
    return Apply(Binary{BinaryKind::kDivide}, {x, divisor});
  }

  // Squeeze and excitation; or the gates added.
  Made Gate(TensorIndex x) {
    if (!IsImage(x)) return std::nullopt;
    TensorIndex gates = *MeanOfImage(x);
    if (!IsImage(gates)) gates = Apply(Reshape{}, {gates}, {graph_.dims(x)[0], 1, 1});
    const std::int64_t channels = graph_.dims(x)[0];
    Convolution body{.weights = RandomWeights({channels, channels, 1, 1}, channels)};
    gates = *Activation1(ActivationKind::kSigmoid, Apply(std::move(body), {gates}));
    return Chance(0.7) ? Product(x, gates) : Apply(Binary{BinaryKind::kAdd}, {gates, x});
  }

  // --- Windows, reductions and norms.

  Made PoolImage(TensorIndex x) {
    if (!IsImage(x)) return std::nullopt;
    const TensorDims in = graph_.dims(x);
    Pool body{.kind =
                  OneOf(std::array{PoolKind::kMax, PoolKind::kAverage, PoolKind::kAveragePadding})};
    for (std::size_t axis : {0, 1}) {
      body.window.kernel[axis] = Between(1, std::min<std::int64_t>(3, in[axis + 1]));
      body.window.stride[axis] = in[axis + 1] >= 4 ? Between(1, 2) : 1;
      body.window.pad_before[axis] = Between(0, body.window.kernel[axis] / 2);
      body.window.pad_after[axis] = Between(0, body.window.kernel[axis] / 2);
    }
    return Apply(body, {x});
  }

  Made MeanOfImage(TensorIndex x) {
    if (!IsImage(x)) return std::nullopt;
    const std::int64_t channels = graph_.dims(x)[0];
    Reduction body{.kind = Chance(0.8) ? ReductionKind::kMean : ReductionKind::kMaximum,
                   .axes = {1, 2}};
    return Apply(body, {x}, Chance(0.5) ? TensorDims{channels} : TensorDims{channels, 1, 1});
  }

  Made Reduce(TensorIndex x) {
    TensorDims dims = graph_.dims(x);
    if (dims.size() < 2) return std::nullopt;
    const auto axis = random().Below(dims.size());
    dims[axis] = 1;
    const ReductionKind kind =
        OneOf(std::array{ReductionKind::kMean, ReductionKind::kSum, ReductionKind::kMaximum});
    if (Chance(0.5)) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    return Apply(Reduction{kind, {axis}}, {x}, dims);
  }

  Made NormaliseNeighbours(TensorIndex x) {
    if (IsImage(x) && Chance(0.5))
      return Apply(LocalResponseNorm{.size = Between(1, 5), .alpha = 0.5F}, {x});
    return Apply(Softmax{.axis = random().Below(graph_.dims(x).size()), .logarithm = Chance(0.3)},
                 {x});
  }

  // --- Moves.

  Made PadAndUse(TensorIndex x) {
    if (!IsImage(x)) return std::nullopt;
    Padding body{.before = {0, Between(0, 2), Between(0, 2)},
                 .after = {0, Between(0, 2), Between(0, 2)},
                 .value = Chance(0.8) ? 0 : Real(-1, 1)};
    if (Chance(0.1)) body.before[0] = 1;
    const TensorIndex padded = Apply(std::move(body), {x});
    tensors_.push_back(padded);
    return Chance(0.5) ? Convolve(padded) : PoolImage(padded);
  }

  Made Cut(TensorIndex x) {
    TensorDims dims = graph_.dims(x);
    Slice body;
    for (std::int64_t& dim : dims) {
      const std::int64_t step = dim >= 4 && Chance(0.2) ? 2 : 1;
      const std::int64_t start = dim >= 3 && Chance(0.4) ? 1 : 0;
      body.start.push_back(start);
      body.step.push_back(step);
      dim = (dim - start + step - 1) / step;
      if (dim >= 3 && Chance(0.3)) --dim;
    }
    return Apply(std::move(body), {x}, dims);
  }

  Made Transpose(TensorIndex x) {
    Transposition body;
    for (std::size_t i = 0; i < graph_.dims(x).size(); ++i) body.order.push_back(i);
    for (std::size_t i = body.order.size(); i > 1; --i)
      std::swap(body.order[i - 1], body.order[random().Below(i)]);
    return Apply(std::move(body), {x});
  }

  Made ReshapeAnyhow(TensorIndex x) {
    const std::int64_t elements = ElementsOf(graph_.dims(x));
    const std::int64_t channels = graph_.dims(x)[0];
    return Apply(
        Reshape{}, {x},
        OneOf(std::array<TensorDims, 4>{
            {{elements}, {channels, elements / channels}, {elements, 1, 1}, graph_.dims(x)}}));
  }

  Made ShuffleChannels(TensorIndex x) {
    const TensorDims in = graph_.dims(x);
    if (!IsImage(x) || in[0] % 2 != 0) return std::nullopt;
    const TensorIndex split = Apply(Reshape{}, {x}, {2, in[0] / 2, in[1], in[2]});
    const TensorIndex swapped = Apply(Transposition{.order = {1, 0, 2, 3}}, {split});
    return Apply(Reshape{}, {swapped}, in);
  }

  Made Concatenate(TensorIndex x) {
    std::vector<TensorIndex> parts{x};
    const auto axis = random().Below(graph_.dims(x).size());
    for (TensorIndex other : tensors_) {
      TensorDims dims = graph_.dims(other);
      if (dims.size() != graph_.dims(x).size() || dims[axis] > 6) continue;
      dims[axis] = graph_.dims(x)[axis];
      if (dims == graph_.dims(x) && Chance(0.5) && parts.size() < 3) parts.push_back(other);
    }
    return Apply(Concatenation{axis}, std::move(parts));
  }

  Made ResizeImage(TensorIndex x) {
    const TensorDims in = graph_.dims(x);
    if (!IsImage(x) || in[1] * in[2] > 60) return std::nullopt;
    const Resize body{
        .kind = OneOf(std::array{ResizeKind::kNearest, ResizeKind::kLinear}),
        .grid = OneOf(
            std::array{ResizeGrid::kHalfPixel, ResizeGrid::kAlignCorners, ResizeGrid::kAsymmetric}),
        .rounding = OneOf(std::array{ResizeRounding::kFloor, ResizeRounding::kCeil,
                                     ResizeRounding::kHalfDown, ResizeRounding::kHalfUp})};
    if (Chance(0.5)) return Apply(body, {x}, {in[0], 2 * in[1], 2 * in[2]});
    return Apply(body, {x}, {in[0], Between(1, 9), Between(1, 9)});
  }

  static constexpr std::array kSteps{&RandomGraphMaker::Convolve,
                                     &RandomGraphMaker::Convolve,
                                     &RandomGraphMaker::Convolve,
                                     &RandomGraphMaker::ApplyLinear,
                                     &RandomGraphMaker::Normalise,
                                     &RandomGraphMaker::Normalise,
                                     &RandomGraphMaker::Activate,
                                     &RandomGraphMaker::Activate,
                                     &RandomGraphMaker::ExponentialOrRoot,
                                     &RandomGraphMaker::ActivateAsExported,
                                     &RandomGraphMaker::Combine,
                                     &RandomGraphMaker::Combine,
                                     &RandomGraphMaker::CombineWithConstant,
                                     &RandomGraphMaker::Divide,
                                     &RandomGraphMaker::Gate,
                                     &RandomGraphMaker::PoolImage,
                                     &RandomGraphMaker::MeanOfImage,
                                     &RandomGraphMaker::Reduce,
                                     &RandomGraphMaker::NormaliseNeighbours,
                                     &RandomGraphMaker::PadAndUse,
                                     &RandomGraphMaker::Cut,
                                     &RandomGraphMaker::Transpose,
                                     &RandomGraphMaker::ReshapeAnyhow,
                                     &RandomGraphMaker::ShuffleChannels,
                                     &RandomGraphMaker::Concatenate,
                                     &RandomGraphMaker::ResizeImage};

  GraphBuilder graph_;
  std::vector<TensorIndex> tensors_;  // to go on with
};

}  // namespace

OperatorGraph RandomGraph(std::uint64_t seed, std::size_t operators) {
  return RandomGraphMaker(seed).Make(operators);
}

std::vector<std::vector<float>> RandomInputs(const OperatorGraph& graph, std::int64_t batch,
                                             std::uint64_t seed) {
  RandomStream random(seed, "inputs");
  std::vector<std::vector<float>> inputs;
  for (TensorIndex input : graph.inputs) {
    inputs.emplace_back(static_cast<std::size_t>(batch * ElementsOf(graph.tensors[input].dims)));
    for (float& value : inputs.back()) value = static_cast<float>(random.Normal());
  }
  return inputs;
}

}  // namespace fairlead
