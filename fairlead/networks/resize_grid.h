// Where the pixels of a resized image come from, along one axis: what Resize's grid and rounding
// mean, for the reference and all executors.
#pragma once

#include <cstdint>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// The place in an axis of `input` pixels that pixel i of `output` pixels is taken from.
double ResizePosition(ResizeGrid grid, std::int64_t i, std::int64_t input, std::int64_t output);

// The pixel nearest to a place; may lie outside of the axis.
double ResizeRounded(ResizeRounding rounding, double position);

}  // namespace fairlead
