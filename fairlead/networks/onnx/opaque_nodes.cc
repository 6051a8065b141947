#include "fairlead/networks/onnx/opaque_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fairlead/networks/layer_shapes.h"
#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/window.h"

namespace fairlead {
namespace {

// A sum of elements that is no longer believable, far from overflow.
constexpr std::int64_t kManyElements = 200'000'000'000'000;

// Whether the dimensions that are not 1 stay in order, so that no element moves.
bool MovesNothing(const onnx::NodeProto& node, const Dims& in) {
  Dims order = IntegersAttribute(node, "perm");
  if (order.empty()) {
    order.resize(in.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  std::erase_if(order, [&](std::int64_t axis) { return in[static_cast<std::size_t>(axis)] == 1; });
  return std::ranges::is_sorted(order);
}

// One node, whose result is its output number `output`.
class Describer {
 public:
  Describer(NodeImport& node, int output) : node_(node), output_(output) {
    opaque_.type = node.proto().op_type();
  }

  Result<Opaque> Describe() {
    RETURN_IF_ERROR(DescribeRole());
    AddWeights();
    return std::move(opaque_);
  }

 private:
  const Dims& In() const { return *node_.op().InputDims(0); }
  const Dims* Weights() const { return node_.op().InputDims(1); }
  Dims Out() const { return node_.Info(node_.proto().output(output_)).dims.value_or(Dims{1}); }

  Status DescribeRole() {
    const OperatorRole role = RoleOf(node_.node());
    if (node_.op().InputDims(0) == nullptr) {
      if (role == OperatorRole::kView) return Free();
      return Unknown();
    }
    const bool same = Out() == In();
    switch (role) {
      case OperatorRole::kConvolution: return Convolution();
      case OperatorRole::kTransposedConvolution: return TransposedConvolution();
      case OperatorRole::kLinear: return Linear();
      case OperatorRole::kPool: return Pool();
      case OperatorRole::kGlobalPool:
        return Pass(LayerRole::kLayer, LayerKind::kPool, Spatial(In()));
      case OperatorRole::kReduction: return Reduction();
      case OperatorRole::kNormalisation: return Pass(LayerRole::kLayer, LayerKind::kNormalisation);
      case OperatorRole::kPointwise: return Pass(LayerRole::kPointwise, LayerKind::kElementwise);
      case OperatorRole::kResize: return same ? Free() : Resize();
      case OperatorRole::kTranspose: return MovesNothing(node_.proto(), In()) ? Free() : Copy();
      case OperatorRole::kCopy: return same && opaque_.type != "Gather" ? Free() : Copy();
      case OperatorRole::kPad:
        return same ? Free() : Pass(LayerRole::kPadding, LayerKind::kShuffle);
      case OperatorRole::kView: return Free();
      default: return Unknown();
    }
  }

  Status Free() { return Pass(LayerRole::kFree, LayerKind::kOther); }
  Status Copy() { return Pass(LayerRole::kAlone, LayerKind::kShuffle); }

  Status Pass(LayerRole role, LayerKind kind, const Dims& kernel = {1, 1},
              std::int64_t stride = 1) {
    opaque_.role = role;
    opaque_.shape = WithWindow({.kind = kind}, kernel, stride);
    return {};
  }

  Status Multiply(const LayerShape& shape) {
    opaque_.role = LayerRole::kLayer;
    opaque_.shape = shape;
    return {};
  }

  Result<ConvolutionGeometry> Geometry(std::int64_t outputs, const Dims& size) {
    ASSIGN_OR_RETURN(const Window window,
                     ReadWindow(node_.proto(), In().size() - 2, Spatial(*Weights())));
    return ConvolutionGeometry{.batch = In()[0],
                               .inputs = In()[1],
                               .outputs = outputs,
                               .groups = IntegerAttribute(node_.proto(), "group", 1),
                               .size = Spatial(size),
                               .kernel = window.kernel,
                               .strides = window.strides};
  }

  Status Convolution() {
    if (Weights() == nullptr) return Unknown();
    ASSIGN_OR_RETURN(const auto geometry, Geometry(Weights()->front(), Out()));
    return Multiply(ConvolutionShape(geometry));
  }

  Status TransposedConvolution() {
    if (Weights() == nullptr) return Unknown();
    const std::int64_t groups = IntegerAttribute(node_.proto(), "group", 1);
    const auto outputs = CountElements({(*Weights())[1], groups});
    if (!outputs.has_value()) return Fail("has more outputs than can be believed");
    ASSIGN_OR_RETURN(const auto geometry, Geometry(*outputs, In()));
    return Multiply(TransposedConvolutionShape(geometry));
  }

  // Rows of the first operand are positions; those of a batch, inputs. Where the second operand has
  // several matrices, each is a group.
  Status Linear() {
    const Dims* b = Weights();
    if (b == nullptr || In().size() < 2 || b->size() < 2) return Unknown();
    const bool turned = opaque_.type == "Gemm" && IntegerAttribute(node_.proto(), "transB", 0) != 0;
    ProductGeometry geometry{.inputs = (*b)[b->size() - (turned ? 1 : 2)],
                             .outputs = Out().back(),
                             .matrices = ElementsOf(Dims(b->begin(), b->end() - 2))};
    const std::int64_t rows = ElementsOf(Out()) / geometry.outputs / geometry.matrices;
    geometry.batch = rows % node_.batch() == 0 ? node_.batch() : 1;
    geometry.rows = rows / geometry.batch;
    return Multiply(LinearShape(geometry));
  }

  Status Pool() {
    ASSIGN_OR_RETURN(const Window window, ReadWindow(node_.proto(), In().size() - 2, {}));
    if (window.IsOnePoint()) return Free();
    return Pass(LayerRole::kLayer, LayerKind::kPool, window.kernel,
                std::ranges::max(window.strides));
  }

  Status Reduction() {
    ASSIGN_OR_RETURN(const auto axes, ReducedAxes(node_.op(), In().size()));
    Dims reduced;
    for (std::int64_t axis : axes.value_or(Dims{}))
      reduced.push_back(In()[static_cast<std::size_t>(axis)]);
    return Pass(LayerRole::kLayer, LayerKind::kPool, reduced);
  }

  Status Resize() {
    const std::string mode = TextAttribute(node_.proto(), "mode", "nearest");
    const std::int64_t side = mode == "linear" ? 2 : mode == "cubic" ? 4 : 1;
    return Pass(LayerRole::kAlone, LayerKind::kResize, {side, side});
  }

  // Everything it reads, weights included, and everything it writes.
  Status Unknown() {
    const auto add = [](std::int64_t& sum, const OnnxTensorInfo& info) {
      if (info.dims.has_value()) sum = std::min(sum + info.Elements(), kManyElements);
    };
    for (const std::string& name : node_.node().reads) {
      if (node_.Info(name).constant) add(opaque_.constants, node_.Info(name));
    }
    for (int i = 0; i < node_.proto().output_size(); ++i) {
      const std::string& name = node_.proto().output(i);
      if (i != output_ && !name.empty()) add(opaque_.other_results, node_.Info(name));
    }
    node_.Warn(fmt::format("operator '{}' is not known: costs what it reads and writes",
                           Printable(opaque_.type)));
    return Pass(LayerRole::kAlone, LayerKind::kOther);
  }

  // Trained numbers: not what says where to move data. A batch norm's mean and variance are not
  // trained either.
  void AddWeights() {
    const OperatorRole role = RoleOf(node_.node());
    if (role == OperatorRole::kCopy || role == OperatorRole::kPad ||
        role == OperatorRole::kResize || role == OperatorRole::kReduction ||
        opaque_.role == LayerRole::kFree)
      return;
    const std::size_t most = opaque_.type == "BatchNormalization" ? 3 : node_.op().inputs.size();
    for (std::size_t i = 0; i < std::min(most, node_.op().inputs.size()); ++i) {
      if (!node_.IsConstant(i)) continue;
      if (auto weights = node_.Constant(i); weights.has_value())
        opaque_.weights.push_back(std::move(*weights));
    }
  }

  NodeImport& node_;
  int output_;
  Opaque opaque_;
};

}  // namespace

Status ImportOpaque(NodeImport& node) {
  int first = 0;
  while (first + 1 < node.proto().output_size() && !node.IsNeeded(first)) ++first;
  ASSIGN_OR_RETURN(Opaque opaque, Describer(node, first).Describe());
  ASSIGN_OR_RETURN(const TensorIndex result,
                   node.EmitOpaque(std::move(opaque), node.AllData(), first));
  for (int i = first + 1; i < node.proto().output_size(); ++i) {
    if (!node.IsNeeded(i)) continue;
    RETURN_IF_ERROR(
        node.EmitOpaque({.type = node.proto().op_type(), .role = LayerRole::kFree}, {result}, i));
  }
  return {};
}

Status WarnOfShape(NodeImport& node) {
  const Dims* in = node.op().InputDims(0);
  const Dims* weights = node.op().InputDims(1);
  if (in == nullptr || weights == nullptr) return {};
  ASSIGN_OR_RETURN(const Window window,
                   ReadWindow(node.proto(), in->size() - 2, Spatial(*weights)));
  if (std::ranges::min(window.strides) != std::ranges::max(window.strides))
    node.Warn(fmt::format("strides {}: the input is counted as with the largest",
                          fmt::join(window.strides, "x")));
  if (window.IsDilated()) node.Warn("dilation: the input is counted as if there were none");
  if (window.kernel.size() > 2)
    node.Warn(fmt::format("{} spatial dimensions: counted as two", window.kernel.size()));
  return {};
}

}  // namespace fairlead
