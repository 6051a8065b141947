#include "fairlead/networks/onnx/moving_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "fairlead/networks/onnx/window.h"

namespace fairlead {
namespace {

constexpr std::int64_t kFar = 1'000'000'000'000'000;  // beyond every dimension

Dims FirstAxes(std::size_t count) {
  Dims axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Result<std::int64_t> Times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return Fail("is larger than can be counted");
  return product;
}

// Axes as indices, each once.
Result<Dims> Indices(const Dims& axes, std::size_t rank) {
  if (rank > kMostDims) return Fail("has {} dimensions; at most {}", rank, kMostDims);
  Dims indices;
  for (std::int64_t axis : axes) {
    ASSIGN_OR_RETURN(const std::size_t index, AxisIndex(axis, rank));
    if (std::ranges::find(indices, static_cast<std::int64_t>(index)) != indices.end())
      return Fail("has axis {} twice", axis);
    indices.push_back(static_cast<std::int64_t>(index));
  }
  return indices;
}

Result<InferredDims> Squeeze(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto axes = IntegersOf(op, "axes", 1);
  if (in == nullptr || !axes.has_value()) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims indices, Indices(*axes, in->size()));
  Dims dims;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const bool named = std::ranges::find(indices, static_cast<std::int64_t>(i)) != indices.end();
    if (named && (*in)[i] != 1) return Fail("squeezes a dimension of {}", (*in)[i]);
    if (indices.empty() ? (*in)[i] != 1 : !named) dims.push_back((*in)[i]);
  }
  return One(std::move(dims));
}

Result<InferredDims> Unsqueeze(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto axes = IntegersOf(op, "axes", 1);
  if (in == nullptr || !axes.has_value()) return kUnknownDims;
  const std::size_t rank = in->size() + axes->size();
  ASSIGN_OR_RETURN(const Dims indices, Indices(*axes, rank));
  Dims dims;
  auto next = in->begin();
  for (std::size_t i = 0; i < rank; ++i) {
    const bool named = std::ranges::find(indices, static_cast<std::int64_t>(i)) != indices.end();
    dims.push_back(named ? 1 : *next++);
  }
  return One(std::move(dims));
}

SliceRange RangeOf(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  for (std::int64_t* place : {&start, &end, &step}) *place = std::clamp(*place, -kFar, kFar);
  if (start < 0) start += size;
  if (end < 0) end += size;
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = std::max(step > 0 ? size : size - 1, low);
  start = std::clamp(start, std::min<std::int64_t>(0, high), high);
  end = std::clamp(end, low, high);
  const std::int64_t span = step > 0 ? end - start : start - end;
  const std::int64_t stride = std::abs(step);
  return {start, step, span <= 0 ? 0 : (span + stride - 1) / stride};
}

Result<InferredDims> SliceDims(const Operator& op) {
  ASSIGN_OR_RETURN(const auto ranges, SliceRanges(op));
  if (!ranges.has_value()) return kUnknownDims;
  Dims dims;
  for (const SliceRange& range : *ranges) dims.push_back(range.size);
  return One(std::move(dims));
}

Result<InferredDims> GatheredDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const Dims* indices = op.InputDims(1);
  if (in == nullptr || indices == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const std::size_t axis,
                   AxisIndex(IntegerAttribute(op.node, "axis", 0), in->size()));
  Dims dims(in->begin(), in->begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.end(), indices->begin(), indices->end());
  dims.insert(dims.end(), in->begin() + static_cast<std::ptrdiff_t>(axis) + 1, in->end());
  return One(std::move(dims));
}

Result<InferredDims> Expand(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto shape = IntegersOf(op, "shape", 1);
  if (in == nullptr || !shape.has_value()) return kUnknownDims;
  ASSIGN_OR_RETURN(Dims dims, BroadcastDims(*in, *shape));
  return One(std::move(dims));
}

Result<InferredDims> Tile(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto repeats = IntegersOf(op, "repeats", 1);
  if (in == nullptr || !repeats.has_value()) return kUnknownDims;
  if (repeats->size() != in->size())
    return Fail("has {} repeats for {} dimensions", repeats->size(), in->size());
  Dims dims;
  for (std::size_t i = 0; i < in->size(); ++i) {
    ASSIGN_OR_RETURN(dims.emplace_back(), Times((*in)[i], (*repeats)[i]));
  }
  return One(std::move(dims));
}

Result<InferredDims> Pad(const Operator& op) {
  ASSIGN_OR_RETURN(const auto pads, PadAmounts(op));
  if (!pads.has_value()) return kUnknownDims;
  Dims dims = *op.InputDims(0);
  for (std::size_t i = 0; i < dims.size(); ++i) dims[i] += pads->before[i] + pads->after[i];
  return One(std::move(dims));
}

Result<InferredDims> ResizeDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto scales = ResizeScales(op);
  const auto sizes = IntegersOf(op, "sizes", 3);
  if (in == nullptr || (!scales.has_value() && !sizes.has_value())) return kUnknownDims;
  Dims axes = IntegersAttribute(op.node, "axes");
  if (axes.empty()) axes = FirstAxes(in->size());
  ASSIGN_OR_RETURN(const Dims indices, Indices(axes, in->size()));
  const bool by_scale = scales.has_value() && !scales->empty();
  if (!by_scale && !sizes.has_value()) return kUnknownDims;
  const std::size_t given = by_scale ? scales->size() : sizes->size();
  if (given != indices.size())
    return Fail("has {} scales or sizes for {} dimensions", given, indices.size());
  Dims dims = *in;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::int64_t& dim = dims[static_cast<std::size_t>(indices[i])];
    dim = by_scale ? ToInteger(std::floor(static_cast<double>(dim) * (*scales)[i])) : (*sizes)[i];
  }
  return One(std::move(dims));
}

// Blocks of depth become squares of space, or the other way round.
Result<InferredDims> Blocks(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  const std::int64_t block = IntegerAttribute(op.node, "blocksize", 0);
  if (in->size() != 4 || block < 1 || block > 1'000'000)
    return Fail("has {} dimensions and blocks of {}", in->size(), block);
  Dims dims = *in;
  if (op.node.op_type() == "DepthToSpace") {
    dims = {dims[0], dims[1] / (block * block), dims[2], dims[3]};
    for (std::size_t i : {2, 3}) {
      ASSIGN_OR_RETURN(dims[i], Times(dims[i], block));
    }
  } else {
    ASSIGN_OR_RETURN(dims[1], Times(dims[1], block * block));
    for (std::size_t i : {2, 3}) dims[i] /= block;
  }
  if (CountElements(dims) != CountElements(*in))
    return Fail("has blocks of {} in {}: these do not fit", block, fmt::join(*in, "x"));
  return One(std::move(dims));
}

Result<InferredDims> TransposedConvolution(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const Dims* weights = op.InputDims(1);
  if (in == nullptr || weights == nullptr) return kUnknownDims;
  const std::int64_t groups = IntegerAttribute(op.node, "group", 1);
  if (in->size() < 3 || weights->size() != in->size() || std::ranges::min(*weights) < 1 ||
      (*weights)[0] != (*in)[1] || groups < 1 || (*in)[1] % groups != 0)
    return Fail("has an input of {}, weights of {} and {} groups: these do not fit",
                fmt::join(*in, "x"), fmt::join(*weights, "x"), groups);
  ASSIGN_OR_RETURN(const Window window,
                   ReadWindow(op.node, in->size() - 2, Dims(weights->begin() + 2, weights->end())));
  const Dims more = IntegersAttribute(op.node, "output_padding");
  const Dims asked = IntegersAttribute(op.node, "output_shape");
  const bool same = TextAttribute(op.node, "auto_pad", "NOTSET").starts_with("SAME");
  Dims dims = {(*in)[0]};
  ASSIGN_OR_RETURN(dims.emplace_back(), Times((*weights)[1], groups));
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    ASSIGN_OR_RETURN(std::int64_t size, Times((*in)[i + 2] - (same ? 0 : 1), window.strides[i]));
    if (!same)
      size = std::min(size, kFar) + (window.kernel[i] - 1) * window.dilations[i] + 1 -
             window.pads_before[i] - window.pads_after[i];
    if (i < more.size()) size += std::clamp(more[i], -kFar, kFar);
    if (asked.size() == window.kernel.size()) size = asked[i];
    dims.push_back(size);
  }
  return One(std::move(dims));
}

Result<InferredDims> ConstantOfShape(const Operator& op) {
  const auto shape = IntegersOf(op, "shape", 0);
  if (!shape.has_value()) return kUnknownDims;
  return One(*shape);
}

}  // namespace

Result<std::optional<std::vector<SliceRange>>> SliceRanges(const Operator& op) {
  using Ranges = std::optional<std::vector<SliceRange>>;
  const Dims* in = op.InputDims(0);
  const auto starts = IntegersOf(op, "starts", 1);
  const auto ends = IntegersOf(op, "ends", 2);
  auto axes = IntegersOf(op, "axes", 3);
  auto steps = IntegersOf(op, "steps", 4);
  if (in == nullptr || !starts || !ends || !axes || !steps) return Ranges();
  if (axes->empty()) axes = FirstAxes(starts->size());
  if (steps->empty()) steps = Dims(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return Fail("has {} starts, {} ends, {} axes and {} steps", starts->size(), ends->size(),
                axes->size(), steps->size());
  ASSIGN_OR_RETURN(const Dims indices, Indices(*axes, in->size()));
  std::vector<SliceRange> ranges;
  for (std::int64_t size : *in) ranges.push_back({.size = size});
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if ((*steps)[i] == 0) return Fail("has a step of 0");
    SliceRange& range = ranges[static_cast<std::size_t>(indices[i])];
    range = RangeOf(range.size, (*starts)[i], (*ends)[i], (*steps)[i]);
  }
  return Ranges(std::move(ranges));
}

Result<std::optional<PaddedBy>> PadAmounts(const Operator& op) {
  using Amounts = std::optional<PaddedBy>;
  const Dims* in = op.InputDims(0);
  const char* const name = op.opset == 1 ? "paddings" : "pads";
  const auto pads = IntegersOf(op, name, 1);
  auto axes = IntegersOf(op, "axes", 3);
  if (in == nullptr || !pads.has_value() || !axes.has_value()) return Amounts();
  if (axes->empty()) axes = FirstAxes(in->size());
  ASSIGN_OR_RETURN(const Dims indices, Indices(*axes, in->size()));
  if (pads->size() != 2 * indices.size())
    return Fail("has {} pads for {} dimensions", pads->size(), indices.size());
  PaddedBy amounts{.before = Dims(in->size(), 0), .after = Dims(in->size(), 0)};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto axis = static_cast<std::size_t>(indices[i]);
    amounts.before[axis] = std::clamp((*pads)[i], -kFar, kFar);
    amounts.after[axis] = std::clamp((*pads)[i + indices.size()], -kFar, kFar);
  }
  return Amounts(std::move(amounts));
}

std::optional<std::vector<double>> ResizeScales(const Operator& op) {
  if (const auto* attribute = FindAttribute(op.node, "scales"))
    return std::vector<double>(attribute->floats().begin(), attribute->floats().end());
  const bool early = op.node.op_type() == "Upsample" || op.opset < 11;
  const OnnxTensorInfo* scales = op.Input(early ? 1 : 2);
  return scales == nullptr ? std::vector<double>() : scales->numbers;
}

ShapeRule FindMovingRule(std::string_view type) {
  static const std::unordered_map<std::string_view, ShapeRule> rules = {
      {"ConstantOfShape", &ConstantOfShape},
      {"ConvTranspose", &TransposedConvolution},
      {"DepthToSpace", &Blocks},
      {"Expand", &Expand},
      {"Gather", &GatheredDims},
      {"Pad", &Pad},
      {"Resize", &ResizeDims},
      {"Slice", &SliceDims},
      {"SpaceToDepth", &Blocks},
      {"Squeeze", &Squeeze},
      {"Tile", &Tile},
      {"Unsqueeze", &Unsqueeze},
      {"Upsample", &ResizeDims},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

}  // namespace fairlead
