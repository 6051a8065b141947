#include "fairlead/report/plot_frame.h"

#include <algorithm>

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
  double widest = 0;
  for (const LegendEntry& entry : entries)
    widest = std::max(widest, kSwatch + TextWidth(entry.name) + 12);
  const int columns = std::max(1, static_cast<int>(width / widest));
  const double column_width = width / columns;
  const int rows = (static_cast<int>(entries.size()) + columns - 1) / columns;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int column = static_cast<int>(i) / rows;  // down, then across
    const int row = static_cast<int>(i) % rows;
    DrawEntry(svg, {top_left.x + column * column_width, top_left.y + row * kLegendRow + kTextSize},
              column_width, entries[i]);
  }
  return rows * kLegendRow;
}

}  // namespace fairlead
