#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/window.h"

namespace fairlead {
namespace {

std::array<std::int64_t, 2> Pair(const Dims& dims) { return {dims[0], dims[1]}; }

ImageWindow ToImageWindow(const Window& window) {
  return {.kernel = Pair(window.kernel),
          .stride = Pair(window.strides),
          .dilation = Pair(window.dilations),
          .pad_before = Pair(window.pads_before),
          .pad_after = Pair(window.pads_after)};
}

std::int64_t Extent(const Window& window, std::size_t i) {
  return (window.kernel[i] - 1) * window.dilations[i] + 1;
}

Result<WeightsPointer> BiasOf(NodeImport& node, std::int64_t outputs) {
  if (!node.IsGiven(2)) return WeightsPointer();
  ASSIGN_OR_RETURN(WeightsPointer bias, node.Constant(2));
  if (bias->dims != TensorDims{outputs})
    return Fail("has a bias of {}; expected {}", fmt::join(bias->dims, "x"), outputs);
  return bias;
}

Status ImportConvolution(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  ASSIGN_OR_RETURN(const Window given, ReadWindow(node.proto(), 2, Spatial(dims)));
  ASSIGN_OR_RETURN(const Window window, WithAutoPads(node.proto(), given, Spatial(in)));
  if (FindAttribute(node.proto(), "ceil_mode") != nullptr)
    return Fail("has an attribute 'ceil_mode', which a convolution does not have");
  Convolution convolution{.window = ToImageWindow(window),
                          .groups = IntegerAttribute(node.proto(), "group", 1)};
  ASSIGN_OR_RETURN(convolution.weights, node.Constant(1));
  ASSIGN_OR_RETURN(convolution.bias, BiasOf(node, dims[0]));
  return node.Emit(std::move(convolution), {data});
}

// ConvTranspose says how large its result is in three ways. The pads follow from it: what the
// windows cover beyond the result.
Result<Window> TransposedWindow(NodeImport& node, const Dims& in, const Dims& weights) {
  ASSIGN_OR_RETURN(Window window, ReadWindow(node.proto(), 2, Spatial(weights)));
  const std::string auto_pad = TextAttribute(node.proto(), "auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID")
    return Fail("has 'auto_pad' {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);
  Dims more = IntegersAttribute(node.proto(), "output_padding");
  if (more.empty()) more = {0, 0};
  const bool asked = IntegersAttribute(node.proto(), "output_shape").size() == 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (more.size() != 2 || more[i] < 0 ||
        more[i] >= std::max(window.strides[i], window.dilations[i]))
      return Fail("has 'output_padding' {}; expected 2 entries that are less than the strides",
                  fmt::join(more, ","));
    const std::int64_t beyond =
        (in[i + 2] - 1) * window.strides[i] + Extent(window, i) - node.OutputDims()[i + 2];
    if (asked || same) {
      const std::int64_t all = std::max<std::int64_t>(beyond + more[i], 0);
      window.pads_before[i] = auto_pad == "SAME_UPPER" ? all / 2 : all - all / 2;
    }
    window.pads_after[i] = beyond - window.pads_before[i];
  }
  return window;
}

Status ImportTransposedConvolution(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  ASSIGN_OR_RETURN(const Window window, TransposedWindow(node, in, dims));
  const std::int64_t groups = IntegerAttribute(node.proto(), "group", 1);
  Convolution convolution{.window = ToImageWindow(window), .groups = groups, .transposed = true};
  ASSIGN_OR_RETURN(convolution.weights, node.Constant(1));
  ASSIGN_OR_RETURN(convolution.bias, BiasOf(node, dims[1] * groups));
  return node.Emit(std::move(convolution), {data});
}

// Of a pool over a padded image: whether each window has something of the image in it.
bool TouchesImage(const Window& window, const Dims& sizes, const Dims& out) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t last = (out[i] - 1) * window.strides[i] - window.pads_before[i];
    const bool padded = window.pads_before[i] > 0 || last + Extent(window, i) > sizes[i];
    if (padded && (window.pads_before[i] >= Extent(window, i) || last >= sizes[i] ||
                   window.dilations[i] > sizes[i]))
      return false;
  }
  return true;
}

Result<PoolKind> KindOf(NodeImport& node, const Window& window, const Dims& sizes,
                        const Dims& out) {
  const bool average = node.proto().op_type() == "AveragePool";
  if (average && IntegerAttribute(node.proto(), "count_include_pad", 0) != 0) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t reach =
          (out[i] - 1) * window.strides[i] + Extent(window, i) - window.pads_before[i] - sizes[i];
      if (reach > window.pads_after[i])
        return Fail(
            "counts padding (count_include_pad), but its last window reaches beyond that "
            "(ceil_mode); no executor carries that out");
    }
    return PoolKind::kAveragePadding;
  }
  if (!TouchesImage(window, sizes, out)) return Fail("has windows with nothing but padding");
  return average ? PoolKind::kAverage : PoolKind::kMax;
}

Status ImportPool(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Window given, ReadWindow(node.proto(), 2, {}));
  ASSIGN_OR_RETURN(Window window, WithAutoPads(node.proto(), given, Spatial(in)));
  const Dims sizes = Spatial(in);
  const Dims out = Spatial(node.OutputDims());
  ASSIGN_OR_RETURN(const PoolKind kind, KindOf(node, window, sizes, out));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = (out[i] - 1) * window.strides[i] + Extent(window, i);
    window.pads_after[i] = std::max<std::int64_t>(reach - window.pads_before[i] - sizes[i], 0);
  }
  return node.Emit(Pool{.kind = kind, .window = ToImageWindow(window)}, {data});
}

Status ImportGlobalPool(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const bool average = node.proto().op_type() == "GlobalAveragePool";
  return node.Emit(Pool{.kind = average ? PoolKind::kAverage : PoolKind::kMax,
                        .window = {.kernel = {in[2], in[3]}}},
                   {data});
}

}  // namespace

NodeRule FindWindowRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"Conv", &ImportConvolution},
      {"ConvTranspose", &ImportTransposedConvolution},
      {"AveragePool", &ImportPool},
      {"MaxPool", &ImportPool},
      {"GlobalAveragePool", &ImportGlobalPool},
      {"GlobalMaxPool", &ImportGlobalPool},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

}  // namespace fairlead
