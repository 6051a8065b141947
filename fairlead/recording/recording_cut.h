// Recordings out of a server's log: where its pieces lie in time, and a piece cut off at an
// instant.
//
// A file may hold several recordings, one after the other: a stretch of time that several pieces of
// a log cover. Each replays by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_reader.h"

namespace fairlead {

// The extra of a piece's header that says which time of day instant 0 was: nanoseconds since 1970.
inline constexpr std::string_view kPieceClock = "clock";

// The first and the last instant of a piece, as nanoseconds since 1970.
struct PieceTimes {
  std::int64_t instant_zero = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Fails where the recording does not say what time it was, or has no instant.
Result<PieceTimes> TimesOf(const Recording& recording);

// The text of the recording up to the last instant that is not after `last`, with an end line.
std::string CutAfter(const Recording& recording, Instant last);

// The recordings that stand in a text; itself if it is none.
std::vector<std::string_view> SplitRecordings(std::string_view text);

}  // namespace fairlead
