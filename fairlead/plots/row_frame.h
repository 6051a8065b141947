// Figures with a row for each policy or accelerator and one axis below them all. Names stand to the
// left of their rows while they are short, and above them when one is long: never cut for want of
// room beside the figure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/plots/axis.h"
#include "fairlead/plots/svg.h"

namespace fairlead {

class RowFrame {
 public:
  // Heights are those of the rows' contents.
  RowFrame(std::vector<std::string> names, std::span<const double> heights);

  const Box& area() const { return area_; }
  double Middle(std::size_t row) const { return middles_[row]; }

  // Axis, grid and names. What is drawn later lies on top of the grid. Returns where free space
  // begins below.
  double Draw(SvgWriter& svg, const Axis& axis, const Scale& scale) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> middles_;
  std::vector<double> tops_;
  bool names_above_ = false;
  Box area_;
};

// Where values start and end on the axis of a figure with rows.
Range RowPositions(std::span<const std::string> names);

}  // namespace fairlead
