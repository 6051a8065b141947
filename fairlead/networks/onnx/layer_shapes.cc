#include "fairlead/networks/onnx/layer_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/window.h"

namespace fairlead {
namespace {

constexpr std::int64_t kMostBelievable = 100'000'000'000'000;

std::int64_t Product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

// Not above what is no longer believable, so that it never overflows.
std::int64_t Sum(std::int64_t a, std::int64_t b) { return std::min(a + b, 2 * kMostBelievable); }

// All but the last, and the last; one dimension is the first of two.
struct HeightAndWidth {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

HeightAndWidth Fold(const Dims& spatial) {
  if (spatial.size() < 2) return {Product(spatial), 1};
  return {Product(Dims(spatial.begin(), spatial.end() - 1)), spatial.back()};
}

class LayerDescriber {
 public:
  LayerDescriber(const OnnxGraph& graph, const InferredTensors& inferred, const GraphNode& node)
      : inferred_(inferred), node_(node), op_{*node.proto, graph.opset, {}} {
    for (const std::string& name : node.proto->input())
      op_.inputs.push_back(name.empty() ? nullptr : &inferred.tensors.at(name));
  }

  Result<DescribedLayer> Describe() {
    if (op_.InputDims(0) == nullptr) return Unknown();
    switch (RoleOf(node_)) {
      case OperatorRole::kConvolution: return Convolution();
      case OperatorRole::kTransposedConvolution: return TransposedConvolution();
      case OperatorRole::kLinear: return Linear();
      case OperatorRole::kPool: return Pool();
      case OperatorRole::kGlobalPool: return GlobalPool();
      case OperatorRole::kReduction: return Reduction();
      case OperatorRole::kNormalisation: return Pass(LayerKind::kNormalisation);
      case OperatorRole::kResize: return Resize();
      case OperatorRole::kTranspose:
      case OperatorRole::kPad:
      case OperatorRole::kCopy: return Pass(LayerKind::kShuffle);
      case OperatorRole::kPointwise: return Pass(LayerKind::kElementwise);
      default: return Unknown();
    }
  }

 private:
  const Dims& In() const { return *op_.InputDims(0); }
  const TensorInfo& Out() const { return inferred_.tensors.at(node_.proto->output(0)); }
  static Dims Spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

  DescribedLayer Done(const LayerShape& shape) { return {shape, std::move(warnings_)}; }

  // A layer that does not multiply, by what it reads and writes.
  DescribedLayer Pass(LayerKind kind) {
    LayerShape shape = DescribePointwise(inferred_, node_.reads, node_.proto->output(0));
    shape.kind = kind;
    return Done(shape);
  }

  void WarnAbout(const Window& window) {
    if (std::ranges::min(window.strides) != std::ranges::max(window.strides))
      warnings_.push_back(fmt::format("strides {}: the input is counted as with the largest",
                                      fmt::join(window.strides, "x")));
    if (window.IsDilated())
      warnings_.emplace_back("dilation: the input is counted as if there were none");
    if (window.kernel.size() > 2)
      warnings_.push_back(
          fmt::format("{} spatial dimensions: counted as two", window.kernel.size()));
  }

  Result<DescribedLayer> Convolution() {
    if (op_.InputDims(1) == nullptr) return Unknown();
    const Dims& weights = *op_.InputDims(1);
    ASSIGN_OR_RETURN(const Window window,
                     ReadWindow(*node_.proto, In().size() - 2, Spatial(weights)));
    const std::int64_t channels = In()[1];
    const std::int64_t groups = IntegerAttribute(*node_.proto, "group", 1);
    const auto [p, q] = Fold(Spatial(*Out().dims));
    const auto [r, s] = Fold(window.kernel);
    WarnAbout(window);
    const bool depthwise = groups > 1 && groups == channels;
    return Done({.kind = depthwise ? LayerKind::kDepthwise : LayerKind::kConvolution,
                 .n = In()[0],
                 .k = weights[0],
                 .c = channels,
                 .p = p,
                 .q = q,
                 .r = r,
                 .s = s,
                 .stride = std::ranges::max(window.strides),
                 .groups = groups});
  }

  // Each input position meets the whole kernel: as a convolution at the input's size that computes
  // stride x stride times the outputs, each from a part of the kernel.
  Result<DescribedLayer> TransposedConvolution() {
    const Dims* weights = op_.InputDims(1);
    if (weights == nullptr) return Unknown();
    ASSIGN_OR_RETURN(const Window window,
                     ReadWindow(*node_.proto, In().size() - 2, Spatial(*weights)));
    const std::int64_t groups = IntegerAttribute(*node_.proto, "group", 1);
    Dims part;
    for (std::size_t i = 0; i < window.kernel.size(); ++i)
      part.push_back((window.kernel[i] + window.strides[i] - 1) / window.strides[i]);
    const auto [p, q] = Fold(Spatial(In()));
    const auto [r, s] = Fold(part);
    Dims outputs = window.strides;
    outputs.insert(outputs.end(), {(*weights)[1], groups});
    const auto all = CountElements(outputs);
    if (!all.has_value()) return Fail("has more outputs than can be believed");
    return Done(
        {.n = In()[0], .k = *all, .c = In()[1], .p = p, .q = q, .r = r, .s = s, .groups = groups});
  }

  // Rows of the first operand are positions; those of a batch, inputs. Where the second operand has
  // several matrices, each is a group.
  Result<DescribedLayer> Linear() {
    const Dims* b = op_.InputDims(1);
    if (b == nullptr || In().size() < 2 || b->size() < 2) return Unknown();
    const bool gemm = node_.proto->op_type() == "Gemm";
    const bool turned = gemm && IntegerAttribute(*node_.proto, "transB", 0) != 0;
    const std::int64_t inputs = (*b)[b->size() - (turned ? 1 : 2)];
    const std::int64_t outputs = Out().dims->back();
    const std::int64_t matrices = Product(Dims(b->begin(), b->end() - 2));
    const std::int64_t rows = Out().Elements() / outputs / matrices;
    const std::int64_t batch = rows % inferred_.batch == 0 ? inferred_.batch : 1;
    return Done({.kind = LayerKind::kLinear,
                 .n = batch,
                 .k = outputs * matrices,
                 .c = inputs * matrices,
                 .p = rows / batch,
                 .groups = matrices});
  }

  Result<DescribedLayer> Pool() {
    ASSIGN_OR_RETURN(const Window window, ReadWindow(*node_.proto, In().size() - 2, {}));
    DescribedLayer layer = Pass(LayerKind::kPool);
    const auto [r, s] = Fold(window.kernel);
    layer.shape.r = r;
    layer.shape.s = s;
    layer.shape.stride = std::ranges::max(window.strides);
    return layer;
  }

  Result<DescribedLayer> GlobalPool() {
    DescribedLayer layer = Pass(LayerKind::kPool);
    const auto [r, s] = Fold(Spatial(In()));
    layer.shape.r = r;
    layer.shape.s = s;
    return layer;
  }

  Result<DescribedLayer> Reduction() {
    ASSIGN_OR_RETURN(const auto axes, ReducedAxes(op_, In().size()));
    DescribedLayer layer = Pass(LayerKind::kPool);
    Dims reduced;
    for (std::int64_t axis : axes.value_or(Dims{}))
      reduced.push_back(In()[static_cast<std::size_t>(axis)]);
    const auto [r, s] = Fold(reduced);
    layer.shape.r = r;
    layer.shape.s = s;
    return layer;
  }

  Result<DescribedLayer> Resize() {
    DescribedLayer layer = Pass(LayerKind::kResize);
    const std::string mode = TextAttribute(*node_.proto, "mode", "nearest");
    layer.shape.r = layer.shape.s = mode == "linear" ? 2 : mode == "cubic" ? 4 : 1;
    return layer;
  }

  // Everything it reads, weights included, and everything it writes.
  Result<DescribedLayer> Unknown() {
    DescribedLayer layer = Pass(LayerKind::kOther);
    std::int64_t constants = 0;
    for (const std::string& name : node_.reads) {
      const TensorInfo& info = inferred_.tensors.at(name);
      if (info.constant && info.dims.has_value()) constants = Sum(constants, info.Elements());
    }
    layer.shape.operands += constants / layer.shape.n;
    std::int64_t others = 0;
    for (int i = 1; i < node_.proto->output_size(); ++i) {
      const auto found = inferred_.tensors.find(node_.proto->output(i));
      if (found != inferred_.tensors.end() && found->second.dims.has_value())
        others = Sum(others, found->second.Elements());
    }
    const std::int64_t positions = layer.shape.n * layer.shape.p * layer.shape.q;
    layer.shape.k += (others + positions - 1) / positions;
    return layer;
  }

  const InferredTensors& inferred_;
  const GraphNode& node_;
  Operator op_;
  std::vector<std::string> warnings_;
};

// Whether the dimensions that are not 1 stay in order, so that no element moves.
bool MovesNothing(const GraphNode& node, const Dims& in) {
  Dims order = IntegersAttribute(*node.proto, "perm");
  if (order.empty()) {
    order.resize(in.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  std::erase_if(order, [&](std::int64_t axis) { return in[static_cast<std::size_t>(axis)] == 1; });
  return std::ranges::is_sorted(order);
}

}  // namespace

Result<Treatment> TreatmentOf(const OnnxGraph& graph, const InferredTensors& inferred,
                              const GraphNode& node) {
  const std::string& output = node.proto->output(0);
  const auto out = inferred.tensors.find(output);
  if (out == inferred.tensors.end() || out->second.constant) return Treatment::kFree;
  const auto free_if = [](bool free) { return free ? Treatment::kFree : Treatment::kAlone; };
  const auto first = node.proto->input_size() == 0 ? inferred.tensors.end()
                                                   : inferred.tensors.find(node.proto->input(0));
  if (first == inferred.tensors.end() || !first->second.dims.has_value())
    return RoleOf(node) == OperatorRole::kView ? Treatment::kFree : Treatment::kAlone;
  const Dims& in = *first->second.dims;
  const bool same = out->second.dims == in;
  switch (RoleOf(node)) {
    case OperatorRole::kView: return Treatment::kFree;
    case OperatorRole::kPointwise: return Treatment::kPointwise;
    case OperatorRole::kTranspose: return free_if(MovesNothing(node, in));
    case OperatorRole::kPad: return free_if(same || IsPaddedByReaders(graph, output));
    case OperatorRole::kResize: return free_if(same);
    case OperatorRole::kCopy: return free_if(same && node.proto->op_type() != "Gather");
    case OperatorRole::kPool: {
      ASSIGN_OR_RETURN(const Window window, ReadWindow(*node.proto, in.size() - 2, {}));
      return window.IsOnePoint() ? Treatment::kFree : Treatment::kLayer;
    }
    case OperatorRole::kUnknown: return Treatment::kAlone;
    default: return Treatment::kLayer;
  }
}

Result<DescribedLayer> DescribeLayer(const OnnxGraph& graph, const InferredTensors& inferred,
                                     const GraphNode& node) {
  return LayerDescriber(graph, inferred, node).Describe();
}

LayerShape DescribePointwise(const InferredTensors& inferred, const std::vector<std::string>& reads,
                             const std::string& writes) {
  const Dims& dims = *inferred.tensors.at(writes).dims;
  const bool batched = dims.size() > 1 && dims.front() == inferred.batch;
  LayerShape shape{.kind = LayerKind::kElementwise, .n = batched ? inferred.batch : 1};
  Dims rest(dims.begin() + (batched ? 1 : 0), dims.end());
  if (rest.size() > 2) {
    shape.q = rest.back();
    rest.pop_back();
  }
  if (rest.size() > 1) {
    shape.p = rest.back();
    rest.pop_back();
  }
  shape.k = Product(rest);
  std::vector<std::string> distinct = reads;
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::int64_t operands = 0;
  for (const std::string& name : distinct) {
    const TensorInfo& info = inferred.tensors.at(name);
    if (!info.constant) operands = Sum(operands, info.stored);
  }
  shape.operands = (operands + shape.n - 1) / shape.n;
  return shape;
}

bool IsBelievable(const LayerShape& shape) {
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    std::int64_t result = 1;
    for (std::int64_t factor : factors) {
      if (factor < 1 || __builtin_mul_overflow(result, factor, &result))
        return std::numeric_limits<std::int64_t>::max();
    }
    return result;
  };
  // The latter bounds the input: its windows would have to lie side by side.
  const std::int64_t inputs_a_group = shape.c / shape.groups;
  return shape.operands <= kMostBelievable &&
         product({shape.n, shape.k, shape.p, shape.q, inputs_a_group, shape.r, shape.s}) <=
             kMostBelievable &&
         product({shape.n, shape.c, shape.p, shape.q, shape.r, shape.s}) <= kMostBelievable;
}

}  // namespace fairlead
