// Box plots: distributions in rows, to be compared at a glance.
//
// The box reaches from the first to the third quartile with a line at the median, the whiskers from
// the least to the greatest value, and a diamond stands at the mean.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {

struct BoxRow {
  std::string name;
  SeriesStyle style;
  Distribution values;  // a row without values is empty
};

struct BoxPlot {
  std::string label;  // says in words what it shows
  Axis x;
  std::vector<BoxRow> rows;
};

std::string DrawBoxPlot(const BoxPlot& plot);

// Means with their confidence intervals, in rows.
struct IntervalRow {
  std::string name;
  SeriesStyle style;
  Estimate estimate;  // a count of 0: an empty row
};

struct IntervalPlot {
  std::string label;  // says in words what it shows
  Axis x;             // linear; the range holds 0 unless it is given
  std::vector<IntervalRow> rows;
};

// A bar from 0 to the mean, a mark there, and a line over the interval.
std::string DrawIntervalPlot(const IntervalPlot& plot);

// Swarm plots: every value as a mark, in rows. Marks do not overlap; where more crowd together than
// a row has room for, one mark stands for several, has an edge, and says so when pointed at.
struct SwarmPoint {
  double value = 0;   // finite
  std::string title;  // shown when pointed at
};

struct SwarmRow {
  std::string name;
  SeriesStyle style;
  std::vector<SwarmPoint> points;  // in any order
};

struct SwarmPlot {
  std::string label;  // says in words what it shows
  Axis x;             // linear
  std::vector<SwarmRow> rows;
};

std::string DrawSwarmPlot(SwarmPlot plot);

// Where the marks of a swarm go: each at its value, and as near to the middle of its row as it can
// be without touching another.

// How far from the middle each mark goes, for marks of a diameter at sorted positions. Two marks
// are never nearer than the diameter. Equal positions give equal offsets; the first of marks at
// one place is in the middle, the next below, the next above. O(n k^2) with k marks in a stretch
// of two diameters.
std::vector<double> SwarmOffsets(std::span<const double> positions, double diameter);

// Neighbours that are drawn as one mark, where there are too many for a row.
struct SwarmGroup {
  std::size_t first = 0;
  std::size_t count = 1;
};

// Groups of sorted positions: alone where a stretch of one diameter holds at most `most` of them,
// else in as many nearly equal groups. In order, all covered.
std::vector<SwarmGroup> GroupCrowded(std::span<const double> positions, double diameter,
                                     std::size_t most);

// A timeline: what ran where and when, as bars in rows.
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
