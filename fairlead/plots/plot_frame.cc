#include "fairlead/plots/plot_frame.h"

#include <algorithm>
#include <numeric>

namespace fairlead {
namespace {

constexpr int kMostTicksBelow = 6;
constexpr int kMostTicksLeft = 6;
constexpr double kTickLength = 4;
constexpr double kLegendRow = 17;
constexpr double kSwatch = 26;  // of a legend's entry, with the gap to its text

double TickAlpha(const Tick& tick) { return tick.labelled ? kGridPaint.opacity : 0.07; }

void DrawEntry(SvgWriter& svg, Point at, double width, const LegendEntry& entry) {
  const double middle = at.y - kTextSize * 0.35;
  const Paint paint{.fill = entry.style.colour, .stroke = entry.style.colour, .width = 1.5};
  if (entry.box) {
    svg.Rectangle({at.x + 4, middle - 5, at.x + 18, middle + 5}, {.fill = entry.style.colour});
  } else {
    if (entry.line) {
      Paint line = paint;
      line.dash = entry.style.dash;
      svg.Line({at.x, middle}, {at.x + 22, middle}, line);
    }
    if (entry.mark) svg.Mark({at.x + 11, middle}, entry.style.mark, 3.2, paint);
  }
  const std::string text = FitText(entry.name, width - kSwatch);
  svg.Text({at.x + kSwatch, at.y}, text, {.title = text == entry.name ? "" : entry.name});
}

std::size_t RowsIn(std::size_t columns, std::size_t entries) {
  return (entries + columns - 1) / columns;
}

// The widths of as many columns as fit, which share what is left over.
std::vector<double> LegendColumns(std::span<const LegendEntry> entries, double width) {
  for (std::size_t count = entries.size(); count > 1; --count) {
    const std::size_t rows = RowsIn(count, entries.size());
    std::vector<double> columns(RowsIn(rows, entries.size()), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double wanted = kSwatch + TextWidth(entries[i].name) + 12;
      columns[i / rows] = std::max(columns[i / rows], wanted);
    }
    const double left = width - std::accumulate(columns.begin(), columns.end(), 0.0);
    if (left < 0) continue;
    for (double& column : columns) column += left / static_cast<double>(columns.size());
    return columns;
  }
  return {width};
}

}  // namespace

double AxisBelowHeight(const Axis& axis) { return axis.label.empty() ? 20 : 38; }

void DrawAxisBelow(SvgWriter& svg, const Box& area, const Axis& axis, const Scale& scale) {
  for (const Tick& tick : scale.Ticks(kMostTicksBelow)) {
    const double x = scale(tick.value);
    Paint grid = kGridPaint;
    grid.opacity = TickAlpha(tick);
    svg.Line({x, area.top}, {x, area.bottom}, grid);
    if (!tick.labelled) continue;
    svg.Line({x, area.bottom}, {x, area.bottom + kTickLength}, kAxisPaint);
    // The outermost labels stay inside the picture.
    const std::string text = axis.format(tick.value);
    const double half = TextWidth(text) / 2;
    const double center = std::clamp(x, half, std::max(half, kPlotWidth - half));
    svg.Text({center, area.bottom + 17}, text, {.anchor = TextAnchor::kMiddle});
  }
  svg.Line({area.left, area.bottom}, {area.right, area.bottom}, kAxisPaint);
  if (axis.label.empty()) return;
  svg.Text({(area.left + area.right) / 2, area.bottom + 34}, axis.label,
           {.anchor = TextAnchor::kMiddle});
}

double AxisLeftWidth(const Axis& axis, const Scale& scale) {
  double width = 0;
  for (const Tick& tick : scale.Ticks(kMostTicksLeft)) {
    if (tick.labelled) width = std::max(width, TextWidth(axis.format(tick.value)));
  }
  return width + kTickLength + 4 + (axis.label.empty() ? 0 : 18);
}

void DrawAxisLeft(SvgWriter& svg, const Box& area, const Axis& axis, const Scale& scale) {
  for (const Tick& tick : scale.Ticks(kMostTicksLeft)) {
    const double y = scale(tick.value);
    Paint grid = kGridPaint;
    grid.opacity = TickAlpha(tick);
    svg.Line({area.left, y}, {area.right, y}, grid);
    if (!tick.labelled) continue;
    svg.Line({area.left - kTickLength, y}, {area.left, y}, kAxisPaint);
    svg.Text({area.left - kTickLength - 3, y + kTextSize * 0.35}, axis.format(tick.value),
             {.anchor = TextAnchor::kEnd});
  }
  svg.Line({area.left, area.top}, {area.left, area.bottom}, kAxisPaint);
  if (axis.label.empty()) return;
  const double x = area.left - AxisLeftWidth(axis, scale) + kTextSize;
  svg.Text({x, (area.top + area.bottom) / 2}, axis.label,
           {.anchor = TextAnchor::kMiddle, .upwards = true});
}

double DrawLegend(SvgWriter& svg, Point top_left, double width,
                  std::span<const LegendEntry> entries) {
  if (entries.empty()) return 0;
  const std::vector<double> columns = LegendColumns(entries, width);
  const std::size_t rows = RowsIn(columns.size(), entries.size());
  double x = top_left.x;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t column = i / rows;  // down, then across
    const double y = top_left.y + static_cast<double>(i % rows) * kLegendRow + kTextSize;
    DrawEntry(svg, {x, y}, columns[column], entries[i]);
    if (i % rows == rows - 1) x += columns[column];
  }
  return static_cast<double>(rows) * kLegendRow;
}

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
