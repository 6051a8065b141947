// The schedule's time axis: 64-bit nanoseconds.
//
// The clock type only names the axis. It has no now(): whoever holds an Instant was handed it, by
// the simulator or by the one file of the live world that reads a real clock (serving/clock).
#pragma once

#include <chrono>
#include <cstdint>

namespace fairlead {

using Duration = std::chrono::nanoseconds;

struct ScheduleClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ScheduleClock>;
  static constexpr bool is_steady = true;
};

using Instant = ScheduleClock::time_point;

// A point that no event of a run ever reaches.
inline constexpr Instant kNever = Instant::max();

// Inputs beyond this are refused, so that sums of times cannot overflow (about 146 years).
inline constexpr Duration kLongestDuration = Duration{std::int64_t{1} << 62};

constexpr std::int64_t Nanoseconds(Duration d) { return d.count(); }
constexpr std::int64_t Nanoseconds(Instant t) { return t.time_since_epoch().count(); }
constexpr Instant AtNanoseconds(std::int64_t ns) { return Instant{Duration{ns}}; }
constexpr double Seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

}  // namespace fairlead
