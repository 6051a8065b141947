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
