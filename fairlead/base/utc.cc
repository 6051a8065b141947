#include "fairlead/base/utc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace fairlead {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400;
constexpr int kLastYear = 2261;  // whole in 64 bits of nanoseconds

constexpr bool IsLeap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int DaysOf(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Takes digits from the front of a text.
class Digits {
 public:
  explicit Digits(std::string_view text) : left_(text) {}

  bool Empty() const { return left_.empty(); }
  bool Take(std::string_view any_of) {
    if (left_.empty() || any_of.find(left_.front()) == std::string_view::npos) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::optional<int> Number(std::size_t digits, int low, int high) {
    if (left_.size() < digits) return std::nullopt;
    int number = 0;
    for (const char c : left_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + (c - '0');
    }
    if (number < low || number > high) return std::nullopt;
    left_.remove_prefix(digits);
    return number;
  }

 private:
  std::string_view left_;
};

// Of a day, in nanoseconds.
std::optional<std::int64_t> TimeOfDay(Digits& digits) {
  if (digits.Empty()) return 0;
  if (!digits.Take("T ")) return std::nullopt;
  const auto hour = digits.Number(2, 0, 23);
  if (!hour.has_value() || !digits.Take(":")) return std::nullopt;
  const auto minute = digits.Number(2, 0, 59);
  if (!minute.has_value()) return std::nullopt;
  std::int64_t time = (*hour * 3600LL + *minute * 60LL) * kSecond;
  if (digits.Take(":")) {
    const auto second = digits.Number(2, 0, 59);
    if (!second.has_value()) return std::nullopt;
    time += *second * kSecond;
    if (digits.Take(".")) {
      std::int64_t weight = kSecond / 10;
      auto digit = digits.Number(1, 0, 9);
      if (!digit.has_value()) return std::nullopt;
      for (; digit.has_value() && weight > 0; digit = digits.Number(1, 0, 9), weight /= 10)
        time += *digit * weight;
      if (digit.has_value()) return std::nullopt;
    }
  }
  digits.Take("Z");
  return time;
}

std::optional<std::int64_t> Parsed(std::string_view text) {
  Digits digits(text);
  const auto year = digits.Number(4, 1970, kLastYear);
  if (!year.has_value() || !digits.Take("-")) return std::nullopt;
  const auto month = digits.Number(2, 1, 12);
  if (!month.has_value() || !digits.Take("-")) return std::nullopt;
  const auto day = digits.Number(2, 1, DaysOf(*year, *month));
  if (!day.has_value()) return std::nullopt;
  std::int64_t days = *day - 1;
  for (int before = 1970; before < *year; ++before) days += IsLeap(before) ? 366 : 365;
  for (int before = 1; before < *month; ++before) days += DaysOf(*year, before);
  const auto time = TimeOfDay(digits);
  if (!time.has_value() || !digits.Empty()) return std::nullopt;
  return days * kDay * kSecond + *time;
}

}  // namespace

std::string FormatUtc(std::int64_t nanoseconds) {
  const std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t days = seconds / kDay;
  int year = 1970;
  for (int length = 365; days >= length; length = IsLeap(year) ? 366 : 365) {
    days -= length;
    ++year;
  }
  int month = 1;
  for (; days >= DaysOf(year, month); ++month) days -= DaysOf(year, month);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", year, month, days + 1,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
                     nanoseconds / 1'000'000 % 1000);
}

Result<std::int64_t> ParseUtc(std::string_view text) {
  const std::optional<std::int64_t> time = Parsed(text);
  if (time.has_value()) return *time;
  return Fail("'{}' is no time; expected for example 2026-01-31T12:00:00Z, which is UTC",
              text.substr(0, 40));
}

}  // namespace fairlead
