#include "fairlead/networks/operator_layer.h"

namespace fairlead {
namespace {

bool IsPlain(const Convolution& convolution) {
  const ImageWindow& window = convolution.window;
  return !convolution.transposed && window.dilation == std::array<std::int64_t, 2>{1, 1} &&
         window.stride[0] == window.stride[1] && window.pad_before == window.pad_after;
}

}  // namespace

std::optional<OperatorLayer> LayerOf(const OperatorGraph& graph, const GraphOperator& op,
                                     std::int64_t batch) {
  if (const auto* linear = std::get_if<Linear>(&op.body)) {
    const TensorDims& weights = linear->weights->dims;
    const std::int64_t outputs = ElementsOf(graph.tensors[op.output].dims);
    return OperatorLayer{
        .linear = true, .n = batch * (outputs / weights[0]), .cin = weights[1], .cout = weights[0]};
  }
  const auto* convolution = std::get_if<Convolution>(&op.body);
  if (convolution == nullptr || !IsPlain(*convolution)) return std::nullopt;
  const TensorDims& image = graph.tensors[op.inputs.front()].dims;
  const ImageWindow& window = convolution->window;
  return OperatorLayer{.n = batch,
                       .cin = image[0],
                       .cout = convolution->weights->dims[0],
                       .kh = window.kernel[0],
                       .kw = window.kernel[1],
                       .stride = window.stride[0],
                       .pad_h = window.pad_before[0],
                       .pad_w = window.pad_before[1],
                       .groups = convolution->groups,
                       .h = image[1],
                       .w = image[2]};
}

}  // namespace fairlead
