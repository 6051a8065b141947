#include <algorithm>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"
#include "fairlead/networks/reference_bodies.h"
#include "fairlead/networks/tensor_indexing.h"

namespace fairlead {
namespace {

double Combined(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return a / b;
    case BinaryKind::kMaximum: return std::max(a, b);
    case BinaryKind::kMinimum: return std::min(a, b);
  }
  return a;
}

// Replaces a line of numbers, `stride` apart, by their softmax.
void SoftmaxLine(double* begin, std::size_t size, std::size_t stride, bool logarithm) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size; ++i) maximum = std::max(maximum, begin[i * stride]);
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += std::exp(begin[i * stride] - maximum);
  for (std::size_t i = 0; i < size; ++i) {
    const double exponent = begin[i * stride] - maximum - std::log(sum);
    begin[i * stride] = logarithm ? exponent : std::exp(exponent);
  }
}

}  // namespace

ExactValues Exact(const ChannelScale& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis channels(dims, 0);
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t channel = i / channels.stride;
    if (body.scale != nullptr) result[i] *= double{body.scale->values[channel]};
    if (body.shift != nullptr) result[i] += double{body.shift->values[channel]};
  }
  return result;
}

ExactValues Exact(const Activation& body, SampleViews inputs, const TensorDims&) {
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (double& value : result) value = ReferenceValue(body, value);
  return result;
}

ExactValues Exact(const Binary& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  IndexWalk walk(dims);
  do {
    result.push_back(Combined(body.kind, inputs[0].values[PlaceOf(walk.index(), inputs[0].dims)],
                              inputs[1].values[PlaceOf(walk.index(), inputs[1].dims)]));
  } while (walk.Next());
  return result;
}

ExactValues Exact(const Softmax& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis axis(dims, body.axis);
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (std::size_t outer = 0; outer < axis.outer; ++outer) {
    for (std::size_t inner = 0; inner < axis.stride; ++inner)
      SoftmaxLine(&result[axis.Begin(outer, inner)], axis.size, axis.stride, body.logarithm);
  }
  return result;
}

ExactValues Exact(const Reduction& body, SampleViews inputs, const TensorDims& dims) {
  TensorDims kept = inputs[0].dims;  // with the axes, of size 1
  for (std::size_t axis : body.axes) kept[axis] = 1;
  CHECK(ElementsOf(kept) == ElementsOf(dims));
  const bool maximum = body.kind == ReductionKind::kMaximum;
  const double nothing = maximum ? -std::numeric_limits<double>::infinity() : 0;
  ExactValues result(static_cast<std::size_t>(ElementsOf(dims)), nothing);
  IndexWalk walk(inputs[0].dims);
  for (float value : inputs[0].values) {
    double& so_far = result[PlaceOf(walk.index(), kept)];
    so_far = maximum ? std::max<double>(so_far, value) : so_far + double{value};
    walk.Next();
  }
  if (body.kind == ReductionKind::kMean) {
    const auto count =
        static_cast<double>(inputs[0].values.size()) / static_cast<double>(result.size());
    for (double& value : result) value /= count;
  }
  return result;
}

}  // namespace fairlead
