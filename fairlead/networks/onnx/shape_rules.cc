#include "fairlead/networks/onnx/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

namespace {

constexpr std::int64_t kLargest = 1'000'000'000;  // of strides, pads and the like

Result<Dims> ReadSizes(const onnx::NodeProto& node, const char* name, std::size_t count,
                       std::int64_t least, std::int64_t otherwise) {
  Dims sizes = IntegersAttribute(node, name);
  if (sizes.empty()) sizes.assign(count, otherwise);
  if (sizes.size() != count)
    return Fail("'{}' has {} entries; expected {}", name, sizes.size(), count);
  for (std::int64_t size : sizes) {
    if (size < least || size > kLargest)
      return Fail("'{}' has an entry {}; expected {} to {}", name, size, least, kLargest);
  }
  return sizes;
}

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

bool Window::IsOnePoint() const {
  const auto all = [](const Dims& sizes, std::int64_t value) {
    return std::ranges::all_of(sizes, [value](std::int64_t size) { return size == value; });
  };
  return all(kernel, 1) && all(strides, 1) && all(pads_before, 0) && all(pads_after, 0);
}

bool Window::IsDilated() const {
  return std::ranges::any_of(dilations, [](std::int64_t dilation) { return dilation > 1; });
}

Result<Window> ReadWindow(const onnx::NodeProto& node, std::size_t spatial, const Dims& weights) {
  Window window;
  if (weights.empty() || FindAttribute(node, "kernel_shape") != nullptr) {
    ASSIGN_OR_RETURN(window.kernel, ReadSizes(node, "kernel_shape", spatial, 1, 0));
  } else {
    window.kernel = weights;
  }
  if (std::ranges::any_of(window.kernel, [](std::int64_t size) { return size > kLargest; }))
    return Fail("has a window of {}; expected at most {}", fmt::join(window.kernel, "x"), kLargest);
  if (!weights.empty() && window.kernel != weights)
    return Fail("'kernel_shape' contradicts the weights' dimensions");
  ASSIGN_OR_RETURN(window.strides, ReadSizes(node, "strides", spatial, 1, 1));
  ASSIGN_OR_RETURN(window.dilations, ReadSizes(node, "dilations", spatial, 1, 1));
  ASSIGN_OR_RETURN(const Dims pads, ReadSizes(node, "pads", 2 * spatial, 0, 0));
  window.pads_before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  window.pads_after.assign(pads.begin() + static_cast<std::ptrdiff_t>(spatial), pads.end());
  return window;
}

Result<Dims> SlideWindow(const onnx::NodeProto& node, const Window& window, const Dims& sizes) {
  const std::string auto_pad = TextAttribute(node, "auto_pad", "NOTSET");
  const bool round_up = IntegerAttribute(node, "ceil_mode", 0) != 0;
  Dims out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (auto_pad.starts_with("SAME")) {
      out.push_back(CeilDiv(sizes[i], window.strides[i]));
      continue;
    }
    const bool padded = auto_pad != "VALID";
    const std::int64_t before = padded ? window.pads_before[i] : 0;
    const std::int64_t after = padded ? window.pads_after[i] : 0;
    const std::int64_t room =
        sizes[i] + before + after - (window.kernel[i] - 1) * window.dilations[i] - 1;
    if (room < 0)
      return Fail("its window of {} is larger than its padded input of {}",
                  (window.kernel[i] - 1) * window.dilations[i] + 1, sizes[i] + before + after);
    std::int64_t steps = room / window.strides[i];
    if (round_up) {
      steps = CeilDiv(room, window.strides[i]);
      if (steps > 0 && steps * window.strides[i] >= sizes[i] + before) --steps;
    }
    out.push_back(steps + 1);
  }
  return out;
}

Result<Window> WithAutoPads(const onnx::NodeProto& node, Window window, const Dims& sizes) {
  const std::string auto_pad = TextAttribute(node, "auto_pad", "NOTSET");
  if (auto_pad.empty() || auto_pad == "NOTSET") return window;
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "VALID")
    return Fail("has 'auto_pad' {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t reach = (CeilDiv(sizes[i], window.strides[i]) - 1) * window.strides[i] +
                               (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t all = same ? std::max<std::int64_t>(reach - sizes[i], 0) : 0;
    window.pads_before[i] = auto_pad == "SAME_LOWER" ? all - all / 2 : all / 2;
    window.pads_after[i] = all - window.pads_before[i];
  }
  return window;
}

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

namespace {

Result<Dims> SpatialDims(const Dims& dims) {
  if (dims.size() < 3)
    return Fail("has an input of {} dimensions; expected 3 or more", dims.size());
  return Dims(dims.begin() + 2, dims.end());
}

Result<InferredDims> ConvolutionDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const Dims* weights = op.InputDims(1);
  if (op.Input(0) == nullptr || op.Input(1) == nullptr)
    return Fail("has {} inputs; expected data and weights", op.inputs.size());
  if (in == nullptr || weights == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  const std::int64_t groups = IntegerAttribute(op.node, "group", 1);
  if (weights->size() != in->size() || std::ranges::min(*weights) < 1)
    return Fail("has weights of {}; expected {} positive dimensions", fmt::join(*weights, "x"),
                in->size());
  if (groups < 1 || (*weights)[0] % groups != 0 || (*in)[1] % groups != 0 ||
      (*weights)[1] != (*in)[1] / groups)
    return Fail("has {} channels in {} groups, and weights of {}", (*in)[1], groups,
                fmt::join(*weights, "x"));
  ASSIGN_OR_RETURN(const Window window,
                   ReadWindow(op.node, sizes.size(), Dims(weights->begin() + 2, weights->end())));
  ASSIGN_OR_RETURN(const Dims out, SlideWindow(op.node, window, sizes));
  Dims dims = {(*in)[0], (*weights)[0]};
  dims.insert(dims.end(), out.begin(), out.end());
  return One(std::move(dims));
}

Result<InferredDims> PoolDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(op.node, sizes.size(), {}));
  ASSIGN_OR_RETURN(const Dims out, SlideWindow(op.node, window, sizes));
  Dims dims = {(*in)[0], (*in)[1]};
  dims.insert(dims.end(), out.begin(), out.end());
  return InferredDims{std::vector<Dims>(2, dims)};  // MaxPool's second output: where it was found
}

Result<InferredDims> GlobalPool(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  Dims dims = *in;
  std::fill(dims.begin() + 2, dims.end(), 1);
  return One(std::move(dims));
}

Result<InferredDims> Gemm(const Operator& op) {
  const Dims* a = op.InputDims(0);
  const Dims* b = op.InputDims(1);
  if (a == nullptr || b == nullptr) return kUnknownDims;
  if (a->size() != 2 || b->size() != 2)
    return Fail("multiplies {} and {}; expected 2 dimensions each", fmt::join(*a, "x"),
                fmt::join(*b, "x"));
  const bool turn_a = IntegerAttribute(op.node, "transA", 0) != 0;
  const bool turn_b = IntegerAttribute(op.node, "transB", 0) != 0;
  if ((*a)[turn_a ? 0 : 1] != (*b)[turn_b ? 1 : 0])
    return Fail("multiplies {} and {}: these do not fit", fmt::join(*a, "x"), fmt::join(*b, "x"));
  return One({(*a)[turn_a ? 1 : 0], (*b)[turn_b ? 0 : 1]});
}

Result<InferredDims> MatMul(const Operator& op) {
  const Dims* a = op.InputDims(0);
  const Dims* b = op.InputDims(1);
  if (a == nullptr || b == nullptr) return kUnknownDims;
  if (a->size() < 2 || b->size() < 2) return kUnknownDims;
  if (a->back() != (*b)[b->size() - 2])
    return Fail("multiplies {} and {}: these do not fit", fmt::join(*a, "x"), fmt::join(*b, "x"));
  ASSIGN_OR_RETURN(Dims dims,
                   BroadcastDims(Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2)));
  dims.push_back((*a)[a->size() - 2]);
  dims.push_back(b->back());
  return One(std::move(dims));
}

// All outputs have the dimensions of the first input.
Result<InferredDims> SameAsFirst(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  return InferredDims{
      std::vector<Dims>(static_cast<std::size_t>(std::max(op.node.output_size(), 1)), *in)};
}

Result<InferredDims> Pointwise(const Operator& op) {
  if (!Broadcasts(op.node)) return SameAsFirst(op);
  Dims dims;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.Input(i) == nullptr) continue;
    const Dims* in = op.InputDims(i);
    if (in == nullptr) return kUnknownDims;
    ASSIGN_OR_RETURN(dims, BroadcastDims(dims, *in));
  }
  return One(std::move(dims));
}

Result<InferredDims> ReshapeDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto wanted = IntegersOf(op, "shape", 1);
  if (in == nullptr || !wanted.has_value()) return kUnknownDims;
  const bool keep_zero = IntegerAttribute(op.node, "allowzero", 0) != 0;
  Dims dims = *wanted;
  auto rest = dims.end();
  std::int64_t product = 1;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    const auto index = static_cast<std::size_t>(dim - dims.begin());
    if (*dim == 0 && !keep_zero && index < in->size()) *dim = (*in)[index];
    if (*dim == -1 && rest == dims.end()) {
      rest = dim;
    } else if (*dim < 1 || __builtin_mul_overflow(product, *dim, &product)) {
      return Fail("reshapes to {}", fmt::join(*wanted, "x"));
    }
  }
  const std::int64_t elements = CountElements(*in).value_or(0);
  if (rest != dims.end()) *rest = elements / product;
  if (CountElements(dims) != elements || elements == 0)
    return Fail("reshapes {} to {}: these do not fit", fmt::join(*in, "x"),
                fmt::join(*wanted, "x"));
  return One(std::move(dims));
}

Result<InferredDims> Flatten(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  const std::int64_t asked = IntegerAttribute(op.node, "axis", 1);
  const auto rank = static_cast<std::int64_t>(in->size());
  if (asked < -rank || asked > rank)
    return Fail("has axis {}; its input has {} dimensions", asked, rank);
  const auto middle = in->begin() + (asked < 0 ? asked + rank : asked);
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  };
  return One({product(in->begin(), middle), product(middle, in->end())});
}

Result<InferredDims> JoinedDims(const Operator& op) {
  const Dims* first = op.InputDims(0);
  if (first == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const std::size_t axis,
                   AxisIndex(IntegerAttribute(op.node, "axis", 1), first->size()));
  Dims dims = *first;
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    const Dims* part = op.InputDims(i);
    if (part == nullptr) return kUnknownDims;
    Dims others = *part;
    if (others.size() != dims.size())
      return Fail("joins {} and {} dimensions", dims.size(), others.size());
    others[axis] = dims[axis];
    if (others != dims)
      return Fail("joins {} and {}: these do not fit", fmt::join(*first, "x"),
                  fmt::join(*part, "x"));
    if (__builtin_add_overflow(dims[axis], (*part)[axis], &dims[axis]))
      return Fail("joins more than can be counted");
  }
  return One(std::move(dims));
}

Result<InferredDims> Split(const Operator& op) {
  const Dims* in = op.InputDims(0);
  auto sizes = IntegersOf(op, "split", 1);
  if (in == nullptr || !sizes.has_value()) return kUnknownDims;
  ASSIGN_OR_RETURN(const std::size_t axis,
                   AxisIndex(IntegerAttribute(op.node, "axis", 0), in->size()));
  const auto outputs = static_cast<std::size_t>(op.node.output_size());
  if (sizes->empty()) {
    const auto count = static_cast<std::int64_t>(outputs);
    const std::int64_t each = ((*in)[axis] + count - 1) / count;
    sizes->assign(outputs, each);
    sizes->back() = (*in)[axis] - each * (count - 1);
  }
  std::int64_t left = (*in)[axis];
  for (std::int64_t size : *sizes) left = size < 1 || size > left ? -1 : left - size;
  if (sizes->size() != outputs || left != 0)
    return Fail("splits {} into {}", (*in)[axis], fmt::join(*sizes, ", "));
  std::vector<Dims> parts;
  for (std::int64_t size : *sizes) {
    parts.push_back(*in);
    parts.back()[axis] = size;
  }
  return InferredDims{std::move(parts)};
}

Result<InferredDims> Transpose(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  Dims order = IntegersAttribute(op.node, "perm");
  if (order.empty()) {
    order.resize(in->size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  Dims sorted = order;
  std::ranges::sort(sorted);
  Dims all(in->size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    return Fail("has 'perm' {}; its input has {} dimensions", fmt::join(order, ","), in->size());
  Dims dims;
  for (std::int64_t axis : order) dims.push_back((*in)[static_cast<std::size_t>(axis)]);
  return One(std::move(dims));
}

Result<InferredDims> ReductionDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const auto axes, ReducedAxes(op, in->size()));
  if (!axes.has_value()) return kUnknownDims;
  const bool keep = IntegerAttribute(op.node, "keepdims", 1) != 0;
  Dims dims;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const bool reduced = std::ranges::find(*axes, static_cast<std::int64_t>(i)) != axes->end();
    if (!reduced) dims.push_back((*in)[i]);
    if (reduced && keep) dims.push_back(1);
  }
  return One(std::move(dims));
}

}  // namespace

Result<std::size_t> AxisIndex(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    return Fail("has axis {}; its input has {} dimensions", axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<Dims> BroadcastDims(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() < b.size() ? b : a;
  const Dims& shorter = a.size() < b.size() ? a : b;
  Dims dims = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[offset + i];
    if (dim == 1) {
      dim = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != dim) {
      return Fail("combines {} and {}: these do not fit", fmt::join(a, "x"), fmt::join(b, "x"));
    }
  }
  return dims;
}

Result<std::optional<Dims>> ReducedAxes(const Operator& op, std::size_t rank) {
  const auto asked = IntegersOf(op, "axes", 1);
  if (!asked.has_value()) return std::optional<Dims>();
  Dims axes;
  for (std::int64_t each : *asked) {
    ASSIGN_OR_RETURN(const std::size_t axis, AxisIndex(each, rank));
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty() && IntegerAttribute(op.node, "noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::ranges::sort(axes);
  axes.erase(std::ranges::unique(axes).begin(), axes.end());
  return std::optional<Dims>(std::move(axes));
}

Result<InferredDims> InferByRule(const Operator& op) {
  static const std::unordered_map<std::string_view, ShapeRule> rules = {
      {"Conv", &ConvolutionDims}, {"Gemm", &Gemm},           {"MatMul", &MatMul},
      {"Concat", &JoinedDims},    {"Dropout", &SameAsFirst}, {"Flatten", &Flatten},
      {"Identity", &SameAsFirst}, {"Reshape", &ReshapeDims}, {"Split", &Split},
      {"Transpose", &Transpose},
  };
  const GraphNode node{.proto = &op.node, .reads = {}};
  switch (RoleOf(node)) {
    case OperatorRole::kPool: return PoolDims(op);
    case OperatorRole::kGlobalPool: return GlobalPool(op);
    case OperatorRole::kReduction: return ReductionDims(op);
    case OperatorRole::kPointwise: return Pointwise(op);
    case OperatorRole::kNormalisation: return SameAsFirst(op);
    default: break;
  }
  const auto found = rules.find(op.node.op_type());
  const ShapeRule rule = found == rules.end() ? FindMovingRule(op.node.op_type()) : found->second;
  return rule == nullptr ? Result<InferredDims>(kUnknownDims) : rule(op);
}

}  // namespace fairlead
