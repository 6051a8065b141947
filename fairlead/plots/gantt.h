// A timeline: what ran where and when, as bars in rows.
#pragma once

#include <string>
#include <vector>

#include "fairlead/plots/axis.h"
#include "fairlead/plots/plot_frame.h"

namespace fairlead {

struct GanttBar {
  std::size_t row = 0;
  double start = 0;
  double end = 0;
  std::size_t series = 0;  // its colour, in the legend
  std::string title;       // shown when pointed at
};

struct GanttChart {
  std::string label;  // says in words what it shows
  Axis time;          // with a range; bars are cut off at its ends
  std::vector<std::string> rows;
  std::vector<std::string> series;  // what the colours stand for; the legend has those with bars
  std::vector<GanttBar> bars;       // those of one row that overlap in time lie side by side
};

std::string DrawGantt(const GanttChart& chart);

// Lanes for bars in order of their starts: those that overlap in time have different ones, and
// there are as few as can be. O(n log n) without overlaps, times the number of lanes with them.
std::vector<std::size_t> LanesOf(std::span<const GanttBar> bars);

}  // namespace fairlead
