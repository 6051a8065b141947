// How the series of a figure are told apart: by colour, dash and mark at once, so that a reader who
// sees no colours, or a printer that has none, loses nothing.
#pragma once

#include <string_view>

#include "fairlead/plots/svg.h"

namespace fairlead {

struct SeriesStyle {
  std::string_view colour;
  std::string_view dash;  // empty: a whole line
  MarkShape mark = MarkShape::kCircle;
};

// Colours of Okabe and Ito without yellow, which white paper swallows, and without black, which
// is kept for bounds and axes. The first 28 differ in colour and dash, or in colour and mark; then
// they come again.
SeriesStyle StyleOf(std::size_t series);

// What is not one of the series: a bound, a limit.
inline constexpr SeriesStyle kBoundStyle{.colour = kInk, .dash = "1 3", .mark = MarkShape::kPlus};

}  // namespace fairlead
