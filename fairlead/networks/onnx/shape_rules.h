// Dimensions of an operator's outputs, from those of its inputs, for the operators that we know.
//
// ONNX's library has shape inference of its own, but believes what a file says: it divides by a
// stride of 0, and reads beyond the dimensions of inputs. A fuzzer ends the process through it
// within a minute, so these rules, which check, take its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

// The window that a convolution or a pool slides over its input.

// One entry for each spatial dimension.
struct Window {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims pads_before;
  Dims pads_after;

  bool IsOnePoint() const;  // it neither combines nor skips anything
  bool IsDilated() const;
};

// The dimensions of an image after its batch and channels.
inline Dims Spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

// Of Conv, MaxPool, AveragePool and LpPool over `spatial` dimensions. A convolution's kernel is the
// weights' where the node does not say. Refuses what is not positive, or does not fit `spatial`.
Result<Window> ReadWindow(const onnx::NodeProto& node, std::size_t spatial, const Dims& weights);

// The size of each spatial dimension of the output; at least 1, or an error.
Result<Dims> SlideWindow(const onnx::NodeProto& node, const Window& window, const Dims& sizes);

// The same with the pads that `auto_pad` stands for; an error where it stands for none that we
// know. Of Conv and pools, not ConvTranspose.
Result<Window> WithAutoPads(const onnx::NodeProto& node, Window window, const Dims& sizes);

// None where there is no rule, or something that it needs is not known. An error where the inputs
// and attributes cannot be right.
using InferredDims = std::optional<std::vector<Dims>>;
inline constexpr std::nullopt_t kUnknownDims = std::nullopt;
inline InferredDims One(Dims dims) { return std::vector<Dims>{std::move(dims)}; }
Result<InferredDims> InferByRule(const Operator& op);

// A dimension's index; negative ones count from the end.
Result<std::size_t> AxisIndex(std::int64_t axis, std::size_t rank);

// Over which dimensions Reduce... goes, ascending; none where that is not known.
Result<std::optional<Dims>> ReducedAxes(const Operator& op, std::size_t rank);

// Both as numpy does; an error where they do not fit.
Result<Dims> BroadcastDims(const Dims& a, const Dims& b);

// Shape rules for operators that move data: slices, pads, resizes and the like.

using ShapeRule = Result<InferredDims> (*)(const Operator&);

// What a Slice takes of one dimension.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t size = 0;
};

// One for each dimension of the input; none where they are not known.
Result<std::optional<std::vector<SliceRange>>> SliceRanges(const Operator& op);

// What a Pad adds to each dimension of its input.
struct PaddedBy {
  Dims before;
  Dims after;
};

// None where it is not known.
Result<std::optional<PaddedBy>> PadAmounts(const Operator& op);

// How much larger a Resize or Upsample makes each dimension that it names; empty where sizes are
// given instead, none where not known.
std::optional<std::vector<double>> ResizeScales(const Operator& op);

// Null where the type is not among them.
ShapeRule FindMovingRule(std::string_view type);

}  // namespace fairlead
