#include "fairlead/networks/operator_shape.h"

#include <algorithm>

#include "fairlead/networks/layer_shapes.h"

namespace fairlead {
namespace {

TensorDims AsDims(const std::array<std::int64_t, 2>& pair) { return {pair[0], pair[1]}; }

struct ShapeMaker {
  const OperatorGraph& graph;
  const GraphOperator& op;
  std::int64_t batch;
  const OperatorShapes& shapes;

  const TensorDims& In() const { return graph.tensors[op.inputs.front()].dims; }
  const TensorDims& Out() const { return graph.tensors[op.output].dims; }
  LayerShape Pass(LayerKind kind) const { return shapes.OfPass(kind, op.Reads(), op.output); }

  LayerShape operator()(const Convolution& body) const {
    const TensorDims& size = body.transposed ? In() : Out();
    const ConvolutionGeometry geometry{.batch = batch,
                                       .inputs = In()[0],
                                       .outputs = Out()[0],
                                       .groups = body.groups,
                                       .size = {size[1], size[2]},
                                       .kernel = AsDims(body.window.kernel),
                                       .strides = AsDims(body.window.stride)};
    return body.transposed ? TransposedConvolutionShape(geometry) : ConvolutionShape(geometry);
  }
  LayerShape operator()(const Linear& body) const {
    const std::int64_t outputs = body.weights->dims[0];
    return LinearShape({.batch = batch,
                        .rows = ElementsOf(Out()) / outputs,
                        .inputs = body.weights->dims[1],
                        .outputs = outputs});
  }
  LayerShape operator()(const Pool& body) const {
    return WithWindow(Pass(LayerKind::kPool), AsDims(body.window.kernel),
                      std::ranges::max(body.window.stride));
  }
  LayerShape operator()(const Reduction& body) const {
    TensorDims reduced;
    for (std::size_t axis : body.axes) reduced.push_back(In()[axis]);
    return WithWindow(Pass(LayerKind::kPool), reduced);
  }
  LayerShape operator()(const Softmax&) const { return Pass(LayerKind::kNormalisation); }
  LayerShape operator()(const LocalResponseNorm&) const { return Pass(LayerKind::kNormalisation); }
  LayerShape operator()(const Resize& body) const {
    const std::int64_t side = body.kind == ResizeKind::kLinear ? 2 : 1;
    return WithWindow(Pass(LayerKind::kResize), {side, side});
  }
  LayerShape operator()(const Opaque& body) const {
    if (body.shape.Multiplies()) return body.shape;
    LayerShape shape = Pass(body.shape.kind);
    shape.r = body.shape.r;
    shape.s = body.shape.s;
    shape.stride = body.shape.stride;
    shape.operands += body.constants / shape.n;
    const std::int64_t positions = shape.n * shape.p * shape.q;
    shape.k += (body.other_results + positions - 1) / positions;
    return shape;
  }
  LayerShape operator()(const ChannelScale&) const { return Pass(LayerKind::kElementwise); }
  LayerShape operator()(const Activation&) const { return Pass(LayerKind::kElementwise); }
  LayerShape operator()(const Binary&) const { return Pass(LayerKind::kElementwise); }
  // Those that move data.
  template <typename Other>
  LayerShape operator()(const Other&) const {
    return Pass(LayerKind::kShuffle);
  }
};

bool IsPadding(const GraphOperator& op) {
  const auto* opaque = std::get_if<Opaque>(&op.body);
  return opaque != nullptr ? opaque->role == LayerRole::kPadding
                           : std::holds_alternative<Padding>(op.body);
}

}  // namespace

OperatorShapes::OperatorShapes(const OperatorGraph& graph, std::int64_t batch)
    : graph_(graph), batch_(batch), stored_(graph.tensors.size()) {
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    const std::int64_t samples = graph.tensors[i].mixes_samples ? 1 : batch;
    stored_[i] = samples * ElementsOf(graph.tensors[i].dims);
  }
}

void OperatorShapes::NoteFree(const GraphOperator& op) {
  if (IsPadding(op)) stored_[op.output] = stored_[op.inputs.front()];
}

LayerShape OperatorShapes::Of(const GraphOperator& op) const {
  return std::visit(ShapeMaker{graph_, op, batch_, *this}, op.body);
}

LayerShape OperatorShapes::OfPass(LayerKind kind, const std::vector<TensorIndex>& reads,
                                  TensorIndex writes) const {
  std::vector<TensorIndex> distinct = reads;
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::int64_t operands = 0;
  for (TensorIndex tensor : distinct) {
    if (graph_.tensors[tensor].constant == nullptr) operands += stored_[tensor];
  }
  const std::int64_t samples = graph_.tensors[writes].mixes_samples ? 1 : batch_;
  LayerShape shape =
      PassShape(kind, graph_.tensors[writes].dims, (operands + samples - 1) / samples);
  shape.n = samples;
  return shape;
}

}  // namespace fairlead
