#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"

namespace fairlead {
namespace {

// Zeros around images, and nothing cut off.
bool IsAroundImages(const Padding& padding) {
  const auto none_negative = [](const TensorDims& sizes) {
    return std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; });
  };
  return padding.value == 0 && padding.before.size() == 3 && padding.before[0] == 0 &&
         padding.after[0] == 0 && none_negative(padding.before) && none_negative(padding.after);
}

ImageWindow Padded(ImageWindow window, const Padding& padding) {
  for (std::size_t i : {0, 1}) {
    window.pad_before[i] += padding.before[i + 1];
    window.pad_after[i] += padding.after[i + 1];
  }
  return window;
}

bool IsPadded(const ImageWindow& window) {
  const std::array<std::int64_t, 2> none{0, 0};
  return window.pad_before != none || window.pad_after != none;
}

// How far the last windows reach behind an image, given the dimensions of both.
std::array<std::int64_t, 2> Reach(const ImageWindow& window, const TensorDims& image,
                                  const TensorDims& result) {
  std::array<std::int64_t, 2> reach{};
  for (std::size_t i : {0, 1}) {
    const std::int64_t end =
        (result[i + 1] - 1) * window.stride[i] + (window.kernel[i] - 1) * window.dilation[i] + 1;
    reach[i] = std::max<std::int64_t>(0, end - window.pad_before[i] - image[i + 1]);
  }
  return reach;
}

// The operator on what the padding pads; none if that is something else. A maximum is: the padding
// of its own never wins.
std::optional<OperatorBody> WithPadding(const GraphWalk& walk, const GraphOperator& op,
                                        const GraphOperator& padding_op, const Padding& padding) {
  if (!IsAroundImages(padding)) return std::nullopt;
  if (const auto* convolution = std::get_if<Convolution>(&op.body)) {
    if (convolution->transposed) return std::nullopt;
    Convolution padded = *convolution;
    padded.window = Padded(convolution->window, padding);
    return padded;
  }
  const auto* pool = std::get_if<Pool>(&op.body);
  if (pool == nullptr || pool->kind == PoolKind::kMax) return std::nullopt;
  if (pool->kind == PoolKind::kAverage && IsPadded(pool->window)) return std::nullopt;
  Pool padded{.kind = PoolKind::kAveragePadding, .window = Padded(pool->window, padding)};
  padded.window.pad_after =
      Reach(padded.window, walk.dims(padding_op.inputs[0]), walk.dims(op.output));
  return padded;
}

}  // namespace

OperatorGraph FoldPadding(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    const GraphOperator* before = walk.ProducerOf(op.inputs[0]);
    if (const auto* padding = PlainBody<Padding>(before)) {
      if (auto body = WithPadding(walk, op, *before, *padding)) {
        op.body = std::move(*body);
        walk.ReadInstead(op, before->inputs);
      }
    }
    walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
