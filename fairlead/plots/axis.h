// Axes of figures: from values to places on paper, and where the ticks go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fairlead {

enum class ScaleKind : std::uint8_t { kLinear, kLog };

struct Range {
  double low = 0;
  double high = 1;

  // Grown so that it holds the value.
  Range With(double value) const;
  friend bool operator==(const Range&, const Range&) = default;
};

struct Tick {
  double value = 0;
  bool labelled = true;
};

// Values of a range onto positions of a line. Values outside are placed outside.
class Scale {
 public:
  // Finite, low < high; of a logarithmic scale both above 0.
  Scale(ScaleKind kind, Range values, Range positions);

  double operator()(double value) const;
  const Range& values() const { return values_; }

  // In order, within the range, at multiples of 1, 2 or 5 times a power of ten. At most `most`
  // have labels, and two or more of them on all but the oddest ranges.
  std::vector<Tick> Ticks(int most) const;

 private:
  ScaleKind kind_;
  Range values_;
  Range positions_;
};

// The range to draw for values of a range: its ends on ticks where the scale is linear, a little
// apart where it is logarithmic; never empty.
Range NiceRange(ScaleKind kind, Range values, int most_ticks);

// Spellings of numbers on ticks and in titles.
std::string FormatCompact(double value);     // 0.25, 1500 as "1.5k", 2e9 as "2G"
std::string FormatPercent(double fraction);  // 0.85 as "85 %"
std::string FormatTime(double nanoseconds);  // 1.5e6 as "1.5 ms"
using NumberFormat = std::function<std::string(double)>;

struct Axis {
  std::string label;
  ScaleKind kind = ScaleKind::kLinear;
  std::optional<Range> range;  // none: as the values need
  std::optional<double> most;  // no value can be above: the range ends there at the latest
  NumberFormat format = FormatCompact;

  // What to draw for these values; none: for no values at all.
  Range RangeFor(const std::optional<Range>& values, int most_ticks) const;
};

}  // namespace fairlead
