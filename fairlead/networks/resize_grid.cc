#include "fairlead/networks/resize_grid.h"

#include <cmath>

namespace fairlead {

double ResizePosition(ResizeGrid grid, std::int64_t i, std::int64_t input, std::int64_t output) {
  const auto pixel = static_cast<double>(i);
  const auto in = static_cast<double>(input);
  const auto out = static_cast<double>(output);
  switch (grid) {
    case ResizeGrid::kHalfPixel: return (pixel + 0.5) * in / out - 0.5;
    case ResizeGrid::kAlignCorners: return output == 1 ? 0 : pixel * (in - 1) / (out - 1);
    case ResizeGrid::kAsymmetric: return pixel * in / out;
  }
  return 0;
}

double ResizeRounded(ResizeRounding rounding, double position) {
  switch (rounding) {
    case ResizeRounding::kFloor: return std::floor(position);
    case ResizeRounding::kCeil: return std::ceil(position);
    case ResizeRounding::kHalfDown: return std::ceil(position - 0.5);
    case ResizeRounding::kHalfUp: return std::floor(position + 0.5);
  }
  return position;
}

}  // namespace fairlead
