#include "fairlead/plots/row_frame.h"

#include <algorithm>

#include "fairlead/plots/plot_frame.h"

namespace fairlead {
namespace {

constexpr double kWidestNameBeside = 130;
constexpr double kNameHeight = 15;
constexpr double kRowGap = 5;
constexpr double kTop = 6;

double WidestName(std::span<const std::string> names) {
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, TextWidth(name));
  return widest;
}

}  // namespace

Range RowPositions(std::span<const std::string> names) {
  const double widest = WidestName(names);
  return {widest > kWidestNameBeside ? 10 : widest + 14, kPlotWidth - 14};
}

RowFrame::RowFrame(std::vector<std::string> names, std::span<const double> heights)
    : names_(std::move(names)), names_above_(WidestName(names_) > kWidestNameBeside) {
  const Range positions = RowPositions(names_);
  double y = kTop;
  for (double height : heights) {
    tops_.push_back(y);
    if (names_above_) y += kNameHeight;
    y += kRowGap / 2;
    middles_.push_back(y + height / 2);
    y += height + kRowGap / 2;
  }
  area_ = {positions.low, kTop - 2, positions.high, y + 2};
}

double RowFrame::Draw(SvgWriter& svg, const Axis& axis, const Scale& scale) const {
  DrawAxisBelow(svg, area_, axis, scale);
  for (std::size_t row = 0; row < names_.size(); ++row) {
    if (names_above_) {
      const std::string name = FitText(names_[row], area_.width());
      svg.Text({area_.left, tops_[row] + kTextSize}, name,
               {.title = name == names_[row] ? "" : names_[row]});
    } else {
      svg.Text({area_.left - 8, Middle(row) + kTextSize * 0.35}, names_[row],
               {.anchor = TextAnchor::kEnd});
    }
  }
  return area_.bottom + AxisBelowHeight(axis);
}

}  // namespace fairlead
