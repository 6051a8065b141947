#include "fairlead/plots/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

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

}  // namespace fairlead
