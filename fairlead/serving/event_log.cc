#include "fairlead/serving/event_log.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "fairlead/base/utc.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostWaitingBytes = 4 << 20;  // bytes

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
      fmt::format(R"({{"time":"{}","level":"{}","event":)", FormatUtc(clock_()), ToString(level));
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
    if (waiting_.size() + line.size() > kMostWaitingBytes) {
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
                      FormatUtc(clock_()), lost);
    sink_(lines);
    lock.lock();
  }
}

}  // namespace fairlead
