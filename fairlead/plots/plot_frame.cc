#include "fairlead/plots/plot_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "fairlead/base/check.h"

namespace fairlead {

namespace {

// The smallest of 1, 2, 5 times a power of ten that is not below the value. Above 0.
double RoundUp(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> LinearTicks(const Range& range, int most) {
  const double step = RoundUp((range.high - range.low) / std::max(1, most - 1));
  const auto first = static_cast<std::int64_t>(std::ceil(range.low / step - 1e-6));
  const auto last = static_cast<std::int64_t>(std::floor(range.high / step + 1e-6));
  std::vector<Tick> ticks;
  for (std::int64_t i = first; i <= last; ++i)
    ticks.push_back({.value = static_cast<double>(i) * step});
  return ticks;
}

// Ticks at each 1 to 9 times a power of ten; labels at powers, with halves at 2 and 5 times them
// too.
std::vector<Tick> LogTicks(const Range& range, int most, bool halves) {
  const int first = static_cast<int>(std::floor(std::log10(range.low) + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
  const double decades = std::log10(range.high / range.low);
  const int stride = std::max(1, (last - first + most) / most);
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= (decades <= 5 ? 9 : 1); ++digit) {
      const double value = digit * std::pow(10, exponent);
      if (value < range.low * (1 - 1e-9) || value > range.high * (1 + 1e-9)) continue;
      const bool labelled =
          digit == 1 ? exponent % stride == 0 : halves && (digit == 2 || digit == 5);
      ticks.push_back({value, labelled});
    }
  }
  return ticks;
}

// On a logarithmic scale: those that are too close to the last label have none.
std::vector<Tick> WithRoom(std::vector<Tick> ticks, const Range& range, int most) {
  const double room = std::log(range.high / range.low) / (most + 1);
  double last = 0;
  for (Tick& tick : ticks) {
    tick.labelled = tick.labelled && (last == 0 || std::log(tick.value / last) >= room);
    if (tick.labelled) last = tick.value;
  }
  return ticks;
}

std::string Shortest(double value) { return fmt::format("{:.4g}", value); }

struct Prefix {
  double factor;
  std::string_view name;
};

// The value in the largest unit in which it is not below 1, or in the last one.
std::string WithPrefix(double value, std::initializer_list<Prefix> prefixes) {
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.factor * (1 - 1e-9))
      return Shortest(value / prefix.factor) + std::string(prefix.name);
  }
  const Prefix& last = *(prefixes.end() - 1);
  return Shortest(value / last.factor) + std::string(last.name);
}

}  // namespace

Range Range::With(double value) const { return {std::min(low, value), std::max(high, value)}; }

Scale::Scale(ScaleKind kind, Range values, Range positions)
    : kind_(kind), values_(values), positions_(positions) {
  CHECK(std::isfinite(values.low) && std::isfinite(values.high) && values.low < values.high);
  CHECK(kind == ScaleKind::kLinear || values.low > 0);
}

double Scale::operator()(double value) const {
  const double share = kind_ == ScaleKind::kLinear
                           ? (value - values_.low) / (values_.high - values_.low)
                           : std::log(value / values_.low) / std::log(values_.high / values_.low);
  return positions_.low + share * (positions_.high - positions_.low);
}

std::vector<Tick> Scale::Ticks(int most) const {
  if (kind_ == ScaleKind::kLinear) return LinearTicks(values_, most);
  const auto labels = [](const std::vector<Tick>& ticks) {
    return std::ranges::count_if(ticks, &Tick::labelled);
  };
  const bool halves = std::log10(values_.high / values_.low) * 3 + 1 <= most;
  std::vector<Tick> ticks = LogTicks(values_, most, halves);
  if (labels(ticks) >= 2) return ticks;
  ticks = WithRoom(LogTicks(values_, most, true), values_, most);
  if (labels(ticks) >= 2) return ticks;
  return WithRoom(LinearTicks(values_, most), values_, most);
}

Range Axis::RangeFor(const std::optional<Range>& values, int most_ticks) const {
  if (range.has_value()) return *range;
  Range nice = NiceRange(kind, values.value_or(Range{1, 10}), most_ticks);
  if (most.has_value() && values.has_value() && values->high <= *most)
    nice.high = std::min(nice.high, *most);
  return nice;
}

Range NiceRange(ScaleKind kind, Range values, int most_ticks) {
  if (kind == ScaleKind::kLog) {
    const double margin = values.low < values.high ? 1.1 : 3;
    return {values.low / margin, values.high * margin};
  }
  if (values.low == values.high) {
    const double margin = values.low == 0 ? 1 : std::abs(values.low) / 2;
    values = {values.low - margin, values.high + margin};
  }
  // A range that grew may need a larger step, and then it grows again.
  while (true) {
    const double step = RoundUp((values.high - values.low) / std::max(1, most_ticks - 1));
    const Range grown{std::floor(values.low / step + 1e-9) * step,
                      std::ceil(values.high / step - 1e-9) * step};
    if (grown.high - grown.low <= (values.high - values.low) * (1 + 1e-9)) return grown;
    values = grown;
  }
}

std::string FormatCompact(double value) {
  if (std::abs(value) < 1000) return Shortest(value);
  return WithPrefix(value, {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}});
}

std::string FormatPercent(double fraction) { return Shortest(fraction * 100) + " %"; }

std::string FormatTime(double nanoseconds) {
  if (nanoseconds == 0) return "0";
  return WithPrefix(nanoseconds, {{1e9, " s"}, {1e6, " ms"}, {1e3, " \u00b5s"}, {1, " ns"}});
}

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
