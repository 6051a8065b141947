#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fairlead/networks/onnx/moving_rules.h"
#include "fairlead/networks/onnx/node_rules.h"

namespace fairlead {
namespace {

Status ImportConcatenation(NodeImport& node) {
  const std::size_t rank = node.OutputDims().size();
  ASSIGN_OR_RETURN(const std::size_t file_axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", 1), rank));
  ASSIGN_OR_RETURN(const std::size_t axis, node.SampleAxis(file_axis));
  std::vector<TensorIndex> inputs;
  for (std::size_t i = 0; i < node.op().inputs.size(); ++i) {
    ASSIGN_OR_RETURN(inputs.emplace_back(), node.Operand(i, rank));
  }
  return node.Emit(Concatenation{.axis = axis}, std::move(inputs));
}

// One slice for each part that something reads.
Status ImportSplit(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const std::size_t rank = node.OutputDims().size();
  ASSIGN_OR_RETURN(const std::size_t file_axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", 0), rank));
  ASSIGN_OR_RETURN(const std::size_t axis, node.SampleAxis(file_axis));
  std::int64_t start = 0;
  for (int i = 0; i < node.proto().output_size(); ++i) {
    const auto output = static_cast<std::size_t>(i);
    Slice slice{.start = TensorDims(rank - 1, 0), .step = TensorDims(rank - 1, 1)};
    slice.start[axis] = start;
    start += node.OutputDims(output)[file_axis];
    if (!node.IsNeeded(i)) continue;
    RETURN_IF_ERROR(node.Emit(std::move(slice), {data}, output));
  }
  return {};
}

Status ImportSlice(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const auto ranges, SliceRanges(node.op()));
  if (!ranges.has_value() || ranges->empty()) return Fail("has ranges that are not known");
  const SliceRange& batch = ranges->front();
  if (batch.start != 0 || batch.step != 1 || batch.size != in.front())
    return Fail("takes a part of the batch; no executor carries that out");
  Slice slice;
  for (auto range = ranges->begin() + 1; range != ranges->end(); ++range) {
    slice.start.push_back(range->start);
    slice.step.push_back(range->size > 1 ? range->step : 1);
  }
  return node.Emit(std::move(slice), {data});
}

Status ImportTransposition(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const Dims order = IntegersAttribute(node.proto(), "perm");
  if (order.empty() || order.front() != 0)
    return Fail("moves the batch to another place; no executor carries that out");
  Transposition transposition;
  for (auto axis = order.begin() + 1; axis != order.end(); ++axis)
    transposition.order.push_back(static_cast<std::size_t>(*axis) - 1);
  return node.Emit(std::move(transposition), {data});
}

// As the numbers stay in order, samples stay apart where the batch stays in front.
Status ImportReshape(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  return node.Emit(Reshape{}, {data});
}

Status ImportFlatten(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  const std::int64_t axis = IntegerAttribute(node.proto(), "axis", 1);
  if (axis == 0 || axis == -static_cast<std::int64_t>(in.size()))
    return Fail("joins the batch with the rest; no executor carries that out");
  return ImportReshape(node);
}

Status ImportSqueeze(NodeImport& node) {
  const auto axes = IntegersOf(node.op(), "axes", 1);
  const std::size_t rank = std::max(node.OutputDims().size(), node.op().InputDims(0)->size());
  if (!axes.has_value()) return Fail("has axes that are not known before it runs");
  for (std::int64_t each : *axes) {
    ASSIGN_OR_RETURN(const std::size_t axis, AxisIndex(each, rank));
    RETURN_IF_ERROR(node.SampleAxis(axis));
  }
  return ImportReshape(node);
}

Status ImportPadding(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  if (const auto mode = TextAttribute(node.proto(), "mode", "constant"); mode != "constant")
    return Fail("pads by mode '{}'; no executor carries out but 'constant'", mode);
  ASSIGN_OR_RETURN(const auto pads, PadAmounts(node.op()));
  if (!pads.has_value() || pads->before.empty()) return Fail("has pads that are not known");
  if (pads->before.front() != 0 || pads->after.front() != 0)
    return Fail("pads the batch; no executor carries that out");
  if (std::min(std::ranges::min(pads->before), std::ranges::min(pads->after)) < 0)
    return Fail("cuts off (negative pads); no executor carries that out: use a Slice");
  Padding padding{.before = TensorDims(pads->before.begin() + 1, pads->before.end()),
                  .after = TensorDims(pads->after.begin() + 1, pads->after.end())};
  ASSIGN_OR_RETURN(padding.value, node.Number("value", 2, 0));
  return node.Emit(std::move(padding), {data});
}

// Scales must be those of the sizes: then positions do not depend on which of them is given.
Status CheckScales(NodeImport& node, const Dims& in) {
  const Dims& out = node.OutputDims();
  if (in[0] != out[0] || in[1] != out[1])
    return Fail("resizes {} to {}; expected other heights and widths only", fmt::join(in, "x"),
                fmt::join(out, "x"));
  const auto scales = ResizeScales(node.op());
  if (!scales.has_value()) return Fail("has scales that are not known before it runs");
  if (scales->empty()) return {};
  const Dims axes = IntegersAttribute(node.proto(), "axes");
  for (std::size_t i = 0; i < scales->size(); ++i) {
    std::size_t axis = i;
    if (!axes.empty()) {
      ASSIGN_OR_RETURN(axis, AxisIndex(axes.at(i), in.size()));
    }
    const double exact = static_cast<double>(in[axis]) * (*scales)[i];
    if (std::abs(exact - static_cast<double>(out[axis])) > 1e-5 * exact)
      return Fail("scales {} by {}, which is no whole number; no executor carries that out",
                  in[axis], (*scales)[i]);
  }
  return {};
}

Result<ResizeGrid> GridOf(NodeImport& node, const Dims& in) {
  const bool early = node.proto().op_type() == "Upsample" || node.op().opset < 11;
  const std::string mode = TextAttribute(node.proto(), "coordinate_transformation_mode",
                                         early ? "asymmetric" : "half_pixel");
  if (mode == "align_corners") return ResizeGrid::kAlignCorners;
  if (mode == "asymmetric") return ResizeGrid::kAsymmetric;
  if (mode == "half_pixel" || mode == "half_pixel_symmetric") return ResizeGrid::kHalfPixel;
  if (mode != "pytorch_half_pixel")
    return Fail("places pixels by '{}'; no executor carries that out", mode);
  for (std::size_t i = 2; i < 4; ++i) {
    if (node.OutputDims()[i] == 1 && in[i] > 1)
      return Fail("resizes to a single pixel by '{}'; no executor carries that out", mode);
  }
  return ResizeGrid::kHalfPixel;
}

Result<ResizeRounding> RoundingOf(NodeImport& node) {
  const bool early = node.proto().op_type() == "Upsample" || node.op().opset < 11;
  const std::string mode =
      TextAttribute(node.proto(), "nearest_mode", early ? "floor" : "round_prefer_floor");
  if (mode == "floor") return ResizeRounding::kFloor;
  if (mode == "ceil") return ResizeRounding::kCeil;
  if (mode == "round_prefer_floor") return ResizeRounding::kHalfDown;
  if (mode == "round_prefer_ceil") return ResizeRounding::kHalfUp;
  return Fail("rounds by '{}'; expected one of ONNX's modes", mode);
}

Status ImportResize(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  RETURN_IF_ERROR(CheckScales(node, in));
  const std::string mode = TextAttribute(node.proto(), "mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear")
    return Fail("resizes by '{}'; no executor carries that out", mode);
  if (IntegerAttribute(node.proto(), "antialias", 0) != 0)
    return Fail("smoothes as it resizes (antialias); no executor carries that out");
  if (const auto policy = TextAttribute(node.proto(), "keep_aspect_ratio_policy", "stretch");
      policy != "stretch")
    return Fail("keeps the aspect ratio ('{}'); no executor carries that out", policy);
  Resize resize{.kind = mode == "nearest" ? ResizeKind::kNearest : ResizeKind::kLinear};
  ASSIGN_OR_RETURN(resize.grid, GridOf(node, in));
  if (resize.kind == ResizeKind::kNearest) {
    ASSIGN_OR_RETURN(resize.rounding, RoundingOf(node));
  }
  return node.Emit(resize, {data});
}

}  // namespace

NodeRule FindMovingNodeRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"Concat", &ImportConcatenation},
      {"Flatten", &ImportFlatten},
      {"Pad", &ImportPadding},
      {"Reshape", &ImportReshape},
      {"Resize", &ImportResize},
      {"Slice", &ImportSlice},
      {"Split", &ImportSplit},
      {"Squeeze", &ImportSqueeze},
      {"Transpose", &ImportTransposition},
      {"Unsqueeze", &ImportSqueeze},
      {"Upsample", &ImportResize},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

}  // namespace fairlead
