#include "fairlead/base/units.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Unit, 8> kTimeUnits = {{{"h", 3'600'000'000'000},
                                             {"min", 60'000'000'000},
                                             {"s", 1'000'000'000},
                                             {"ms", 1'000'000},
                                             {"us", 1'000},
                                             {"µs", 1'000},
                                             {"μs", 1'000},
                                             {"ns", 1}}};
constexpr std::array<Unit, 5> kBandwidthUnits = {{{"TB/s", 1'000'000'000'000},
                                                  {"GB/s", 1'000'000'000},
                                                  {"MB/s", 1'000'000},
                                                  {"kB/s", 1'000},
                                                  {"B/s", 1}}};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The number at the start of the text, and what follows it.
struct Split {
  double number;
  std::optional<std::int64_t> whole;  // exactly, where it is written as a whole number
  std::string_view rest;
};

Result<Split> SplitNumber(std::string_view text, std::string_view example) {
  text = Trimmed(text);
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number))
    return Fail("'{}' is not a quantity; expected for example {}", text, example);
  std::int64_t whole = 0;
  const auto as_whole = std::from_chars(text.data(), end, whole);
  const bool is_whole = as_whole.ec == std::errc{} && as_whole.ptr == end;
  return Split{number, is_whole ? std::optional(whole) : std::nullopt,
               Trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

Result<std::int64_t> ParseQuantity(std::string_view text, std::span<const Unit> units,
                                   std::string_view example) {
  ASSIGN_OR_RETURN(const Split split, SplitNumber(text, example));
  if (split.rest.empty())
    return Fail("'{}' lacks its unit; expected for example {}", text, example);
  const auto unit = std::ranges::find(units, split.rest, &Unit::name);
  if (unit == units.end())
    return Fail("unknown unit '{}' in '{}'; expected for example {}", split.rest, text, example);
  const double value = std::round(split.number * static_cast<double>(unit->factor));
  constexpr std::int64_t kLargest = Nanoseconds(kLongestDuration);
  if (split.number < 0) return Fail("'{}' is negative", text);
  if (value > static_cast<double>(kLargest)) return Fail("'{}' is too large", text);
  // A double does not hold every number of nanoseconds.
  const std::int64_t exact =
      split.whole.has_value() ? *split.whole * unit->factor : static_cast<std::int64_t>(value);
  if (exact > kLargest) return Fail("'{}' is too large", text);
  return exact;
}

std::string FormatQuantity(std::int64_t value, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (value >= unit.factor && value % unit.factor == 0)
      return fmt::format("{}{}", value / unit.factor, unit.name);
  }
  return fmt::format("{}{}", value, units.back().name);
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  ASSIGN_OR_RETURN(const Split split, SplitNumber(text, "5ms"));
  if (split.rest == "m") {
    return Fail("unknown unit 'm' in '{}'; expected {:g}min or {:g}ms", text, split.number,
                split.number);
  }
  ASSIGN_OR_RETURN(const std::int64_t ns, ParseQuantity(text, kTimeUnits, "5ms"));
  return Duration{ns};
}

Result<std::int64_t> ParseBandwidth(std::string_view text) {
  ASSIGN_OR_RETURN(const std::int64_t bytes, ParseQuantity(text, kBandwidthUnits, "16GB/s"));
  if (bytes == 0) return Fail("'{}' is no bandwidth; leave it out for no limit", text);
  if (bytes > 1'000'000'000'000'000) return Fail("'{}' is too large; at most 1000TB/s", text);
  return bytes;
}

Result<double> ParseRate(std::string_view text) {
  ASSIGN_OR_RETURN(const Split split, SplitNumber(text, "80%"));
  if (!split.rest.empty() && split.rest != "%")
    return Fail("'{}' is not a rate; expected for example 80%", text);
  const double rate = split.rest == "%" ? split.number / 100 : split.number;
  if (split.rest.empty() && rate > 1 && rate <= 100)
    return Fail("rate '{}' is outside 0% to 100%; for percent write {}%", text, Trimmed(text));
  if (rate < 0 || rate > 1) return Fail("rate '{}' is outside 0% to 100%", text);
  return rate;
}

Result<double> ParseNumber(std::string_view text) {
  ASSIGN_OR_RETURN(const Split split, SplitNumber(text, "1.5"));
  if (!split.rest.empty()) return Fail("'{}' is not a number", text);
  return split.number;
}

Result<std::int64_t> ParseInteger(std::string_view text) {
  text = Trimmed(text);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) return Fail("'{}' is out of range", text);
  if (code != std::errc{} || end != text.data() + text.size())
    return Fail("'{}' is not a whole number", text);
  return value;
}

std::string FormatDuration(Duration duration) {
  return FormatQuantity(duration.count(), kTimeUnits);
}

std::string FormatBandwidth(std::int64_t bytes_per_second) {
  return FormatQuantity(bytes_per_second, kBandwidthUnits);
}

std::string Suggest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view closest;
  std::size_t distance = 3;
  for (std::string_view candidate : candidates) {
    const std::size_t edits = word.size() > 64 ? word.size() : EditDistance(word, candidate);
    if (edits < distance && edits < candidate.size()) {
      distance = edits;
      closest = candidate;
    }
  }
  if (!closest.empty()) return fmt::format("; did you mean '{}'?", closest);
  if (candidates.empty()) return {};
  constexpr std::size_t kMostShown = 32;
  if (candidates.size() <= kMostShown)
    return fmt::format("; expected one of {}", fmt::join(candidates, ", "));
  return fmt::format("; expected one of {}, ... ({} in all)",
                     fmt::join(candidates.first(kMostShown), ", "), candidates.size());
}

}  // namespace fairlead
