// Shape rules for operators that move data: slices, pads, resizes and the like.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fairlead/networks/onnx/shape_rules.h"

namespace fairlead {

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
