#include "fairlead/serving/event_log.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace fairlead {
namespace {

constexpr std::size_t kMostWaiting = 4 << 20;  // bytes

// Bytes beyond ASCII are taken for UTF-8, which names in scenarios are.
void AppendText(std::string_view text, std::string& line) {
  line += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      line += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      line += c;
    }
  }
  line += '"';
}

struct AppendValue {
  std::string& line;
  void operator()(const std::string& text) const { AppendText(text, line); }
  void operator()(std::int64_t number) const { line += fmt::format("{}", number); }
  void operator()(double number) const {
    line += std::isfinite(number) ? fmt::format("{}", number) : "null";
  }
  void operator()(bool flag) const { line += flag ? "true" : "false"; }
};

// Days since 1970 as a date (Howard Hinnant's civil_from_days, for years after 1970).
std::string TimeText(std::int64_t nanoseconds) {
  const std::int64_t milliseconds = nanoseconds / 1'000'000;
  const std::int64_t seconds = milliseconds / 1000;
  const std::int64_t days = seconds / 86400 + 719468;
  const std::int64_t era = days / 146097;
  const std::int64_t of_era = days % 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", year, month, day,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, milliseconds % 1000);
}

}  // namespace

std::optional<LogLevel> FindLogLevel(std::string_view name) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (ToString(level) == name) return level;
  }
  return std::nullopt;
}

EventLog::EventLog(LogLevel least, WallClock clock, Sink sink)
    : least_(least),
      clock_(std::move(clock)),
      sink_(std::move(sink)),
      thread_([this] { HandOn(); }) {}

EventLog::~EventLog() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  said_.notify_all();
  thread_.join();
}

void EventLog::Write(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  if (!Wants(level)) return;
  std::string line =
      fmt::format(R"({{"time":"{}","level":"{}","event":)", TimeText(clock_()), ToString(level));
  AppendText(event, line);
  for (const LogField& field : fields) {
    line += ',';
    AppendText(field.name, line);
    line += ':';
    std::visit(AppendValue{line}, field.value);
  }
  line += "}\n";
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() > kMostWaiting) {
      ++lost_;
      return;
    }
    waiting_ += line;
  }
  said_.notify_one();
}

void EventLog::HandOn() {
  std::unique_lock lock(mutex_);
  while (true) {
    said_.wait(lock, [this] { return end_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::string lines = std::exchange(waiting_, {});
    const std::uint64_t lost = std::exchange(lost_, 0);
    lock.unlock();
    if (lost > 0)
      lines +=
          fmt::format(R"({{"time":"{}","level":"warning","event":"log-lines-lost","lines":{}}})"
                      "\n",
                      TimeText(clock_()), lost);
    sink_(lines);
    lock.lock();
  }
}

}  // namespace fairlead
