#include "fairlead/networks/layer.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <span>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

std::string_view Name(LayerKind kind) {
  static constexpr std::array<std::string_view, kLayerKinds> kNames = {
      "conv",          "depthwise", "linear",  "pool", "elementwise",
      "normalisation", "resize",    "shuffle", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

constexpr std::int64_t kMostBelievable = 100'000'000'000'000;

// The largest number there is where it overflows, or a factor is not positive.
std::int64_t Product(std::span<const std::int64_t> factors) {
  std::int64_t result = 1;
  for (std::int64_t factor : factors) {
    if (factor < 1 || __builtin_mul_overflow(result, factor, &result))
      return std::numeric_limits<std::int64_t>::max();
  }
  return result;
}

std::int64_t Product(std::initializer_list<std::int64_t> factors) {
  return Product(std::span(factors.begin(), factors.size()));
}

// All but the last, and the last; one dimension is the first of two.
struct HeightAndWidth {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

HeightAndWidth Fold(std::span<const std::int64_t> spatial) {
  if (spatial.size() < 2) return {Product(spatial), 1};
  return {Product(spatial.first(spatial.size() - 1)), spatial.back()};
}

}  // namespace

LayerShape ConvolutionShape(const ConvolutionGeometry& geometry) {
  const auto [p, q] = Fold(geometry.size);
  const auto [r, s] = Fold(geometry.kernel);
  const bool depthwise = geometry.groups > 1 && geometry.groups == geometry.inputs;
  return {.kind = depthwise ? LayerKind::kDepthwise : LayerKind::kConvolution,
          .n = geometry.batch,
          .k = geometry.outputs,
          .c = geometry.inputs,
          .p = p,
          .q = q,
          .r = r,
          .s = s,
          .stride = std::ranges::max(geometry.strides),
          .groups = geometry.groups};
}

LayerShape TransposedConvolutionShape(const ConvolutionGeometry& geometry) {
  TensorDims part;
  for (std::size_t i = 0; i < geometry.kernel.size(); ++i)
    part.push_back((geometry.kernel[i] + geometry.strides[i] - 1) / geometry.strides[i]);
  const auto [p, q] = Fold(geometry.size);
  const auto [r, s] = Fold(part);
  return {.n = geometry.batch,
          .k = Product({Product(geometry.strides), geometry.outputs}),
          .c = geometry.inputs,
          .p = p,
          .q = q,
          .r = r,
          .s = s,
          .groups = geometry.groups};
}

LayerShape LinearShape(const ProductGeometry& geometry) {
  return {.kind = LayerKind::kLinear,
          .n = geometry.batch,
          .k = geometry.outputs * geometry.matrices,
          .c = geometry.inputs * geometry.matrices,
          .p = geometry.rows,
          .groups = geometry.matrices};
}

LayerShape PassShape(LayerKind kind, const TensorDims& dims, std::int64_t operands) {
  LayerShape shape{.kind = kind, .operands = operands};
  std::span<const std::int64_t> rest = dims;
  if (rest.size() > 2) {
    shape.q = rest.back();
    rest = rest.first(rest.size() - 1);
  }
  if (rest.size() > 1) {
    shape.p = rest.back();
    rest = rest.first(rest.size() - 1);
  }
  shape.k = Product(rest);
  return shape;
}

LayerShape WithWindow(LayerShape shape, const TensorDims& kernel, std::int64_t stride) {
  const auto [r, s] = Fold(kernel);
  shape.r = r;
  shape.s = s;
  shape.stride = stride;
  return shape;
}

bool IsBelievable(const LayerShape& shape) {
  // The latter bounds the input: its windows would have to lie side by side.
  const std::int64_t inputs_a_group = shape.c / shape.groups;
  return shape.operands <= kMostBelievable &&
         Product({shape.n, shape.k, shape.p, shape.q, inputs_a_group, shape.r, shape.s}) <=
             kMostBelievable &&
         Product({shape.n, shape.c, shape.p, shape.q, shape.r, shape.s}) <= kMostBelievable;
}

std::int64_t LayeredNetwork::Macs() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.shape.Macs();
  return total;
}

std::int64_t LayeredNetwork::Parameters() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.parameters;
  return total;
}

std::int64_t LayeredNetwork::Activations() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.shape.Outputs() / layer.shape.n;
  return total;
}

}  // namespace fairlead
