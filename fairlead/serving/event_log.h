// A log for programs: a line of JSON for each event that an operator may want to know of.
//
//   {"time":"2026-01-31T12:00:00.123Z","level":"info","event":"tenant-joined","tenant":"ada"}
//
// Writing never waits for the disk: a thread takes what was said and hands it on. Who says more
// than it can take loses lines, and the log says how many. From any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

namespace fairlead {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

constexpr std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "?";
}
std::optional<LogLevel> FindLogLevel(std::string_view name);

struct LogField {
  std::string_view name;
  std::variant<std::string, std::int64_t, double, bool> value;
};

class EventLog {
 public:
  using Sink = std::function<void(std::string_view lines)>;
  using WallClock = std::function<std::int64_t()>;  // nanoseconds since 1970

  EventLog(LogLevel least, WallClock clock, Sink sink);
  ~EventLog();  // hands on what is left
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  bool Wants(LogLevel level) const { return level >= least_; }
  void Write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

 private:
  void HandOn();

  const LogLevel least_;
  const WallClock clock_;
  const Sink sink_;
  std::mutex mutex_;
  std::condition_variable said_;
  std::string waiting_;  // lines
  std::uint64_t lost_ = 0;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace fairlead
