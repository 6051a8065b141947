#include "fairlead/recording/recording_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

// The instant that a line opens; none: it opens none.
std::optional<std::int64_t> OpenedBy(std::string_view line) {
  if (!line.starts_with("@ ")) return std::nullopt;
  line.remove_prefix(2);
  std::int64_t instant = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), instant);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return instant;
}

// Calls `visit` with each line and where it begins, until it says false.
template <typename Visit>
void VisitLines(std::string_view text, const Visit& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!visit(text.substr(begin, end - begin), begin)) return;
    begin = end + 1;
  }
}

}  // namespace

Result<PieceTimes> TimesOf(const Recording& recording) {
  const auto& extras = recording.header().extras;
  const auto clock = extras.find(std::string(kPieceClock));
  const auto zero = ParseInteger(clock == extras.end() ? std::string() : clock->second);
  // So that adding an instant is no more than a time of day can be.
  if (!zero.has_value() || *zero < 0 ||
      *zero > std::numeric_limits<std::int64_t>::max() - Nanoseconds(kRecordedTimeEnd))
    return FailAt({recording.file(), 2, 0},
                  "it does not say what time it was: no piece of a server's log");
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  VisitLines(recording.body(), [&](std::string_view line, std::size_t) {
    const auto instant = OpenedBy(line);
    if (!instant.has_value() || *instant < 0 || *instant >= Nanoseconds(kRecordedTimeEnd))
      return true;
    if (!first.has_value()) first = instant;
    last = *instant;
    return true;
  });
  if (!first.has_value()) return FailAt({recording.file(), 3, 0}, "nothing happens in it");
  return PieceTimes{.instant_zero = *zero, .first = *zero + *first, .last = *zero + last};
}

std::string CutAfter(const Recording& recording, Instant last) {
  std::uint64_t decisions = 0;
  std::size_t end = recording.body().size();
  VisitLines(recording.body(), [&](std::string_view line, std::size_t begin) {
    const auto instant = OpenedBy(line);
    if (line.starts_with('.') || (instant.has_value() && *instant > Nanoseconds(last))) {
      end = begin;
      return false;
    }
    if (line == "?") ++decisions;
    return true;
  });
  return fmt::format("{}{}. {}\n", recording.head(), recording.body().substr(0, end), decisions);
}

std::vector<std::string_view> SplitRecordings(std::string_view text) {
  const std::string opening = fmt::format("\n{}\n", kRecordingFormat);
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t next = text.find(opening);
    if (next == std::string_view::npos) break;
    parts.push_back(text.substr(0, next + 1));
    text.remove_prefix(next + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace fairlead
