// A recorded run: what went into the engine, and what the policy decided, in order.
//
// The file is text, made to be read by people too:
//
//   fairlead-recording 1                              the format and its version
//   {"fairlead": ..., "platform": ..., ...}           the head: recording_header.h
//   @ 1000                                            an instant opens (nanoseconds)
//   a REQUEST AGREEMENT ARRIVAL DEADLINE PRIORITY     a request arrives; its deadline is relative
//   f SLOT GENERATION                                 a segment has finished
//   fail SLOT GENERATION                              a segment has failed
//   cancel JOB SERIAL                                 a client went away
//   expire                                            what is late is given up now
//   lose ACCELERATOR, return ACCELERATOR              it is gone; it is back
//   join {tenant}, leave TENANT                       tenants come and go
//   agree {agreement}, change AGREEMENT {agreement}, close AGREEMENT
//   unload NETWORK, load NETWORK                      it cannot be asked for; it can again
//   believe NETWORK SEGMENT KIND UNITS BATCH LATENCY  what it is believed to take from now on
//   policy "NAME AND OPTIONS"                         another policy takes over
//   guard {rules}                                     the policy is guarded from now on
//   strike CAUSE                                      the guard complains of the policy
//   fallback "NAME AND OPTIONS"                       the guard lets this one take over
//   back "NAME AND OPTIONS"                           and this one come back
//   reserve ACCELERATOR EXPECTED, release ACCELERATOR a decision runs there
//   ?                                                 the policy decides; its plan follows:
//   > ACCELERATOR SEGMENT UNITS CAP JOB...            start
//   >> ACCELERATOR SEGMENT UNITS CAP JOB...           enqueue
//   >resize SLOT GENERATION UNITS
//   >drop JOB REASON, >reject JOB REASON
//   >wake INSTANT
//   >sacrifice AGREEMENT, >restore AGREEMENT          a promise is given up, and taken up again
//   !                                                 the plan is carried out
//   . DECISIONS                                       the end, and how many decisions there were
//
// Tenants, agreements, networks, kinds and accelerators are numbered from 0 in the order in which
// the head lists them, newcomers after them; jobs and slots as the engine numbers them.
//
// Which inputs and verbs there are, and their fields, is described in scheduling/input_fields.h and
// scheduling/plan_fields.h, for the writer and the reader alike.
//
// Reading is strict: whatever is malformed is an Error with file and line. What a line means for
// the engine (does this accelerator exist?) is the question of scheduling/input_check.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/plan.h"

namespace fairlead {

inline constexpr std::string_view kRecordingFormat = "fairlead-recording 1";

// The text of a recording and its parsed head. The body is parsed as it is read, since it may be
// long.
class Recording {
 public:
  Recording(std::string file, std::string text, std::size_t body, RecordingOpening opening);

  const std::string& file() const { return file_; }
  const RecordingHeader& header() const { return opening_.header; }
  const RecordedWorld& world() const { return opening_.world; }
  std::string_view head() const { return std::string_view(text_).substr(0, body_); }
  std::string_view body() const { return std::string_view(text_).substr(body_); }

 private:
  std::string file_;
  std::string text_;
  std::size_t body_;  // where it begins
  RecordingOpening opening_;
};

// A recording without its end line is that of a run that broke off.
enum class CutOff : std::uint8_t {
  kRefuse,
  kAccept,  // what stands in complete lines counts
};

// Reads the head and looks for the end. `file` is only used in messages.
Result<Recording> ReadRecording(std::string file, std::string text,
                                CutOff cut_off = CutOff::kRefuse);

struct RecordedStep {
  enum class Kind : std::uint8_t {
    kAdvance,   // now
    kInput,     // input
    kDecision,  // plan
    kCommit,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  Instant now{};  // of every step
  Input input;
  SchedulingPlan plan;
  int line = 0;
};

// Walks through the body of a recording, which is not owned and outlives the reader. After the end,
// or an error, it must not be asked again.
class RecordingReader {
 public:
  explicit RecordingReader(const Recording& recording);

  // Valid until the next call. Instants do not go backwards; a commit follows a decision; the end
  // follows the last line and agrees with the number of decisions.
  Result<const RecordedStep*> Next();

  std::uint64_t decisions() const { return decisions_; }  // so far
  Place PlaceOf(const RecordedStep& step) const { return {file_, step.line, 0}; }

 private:
  // These complain without a place; Next() adds it.
  Status ReadLine(std::string_view line);
  template <std::size_t kIndex>
  bool ReadInput(std::string_view word, class FieldReader& fields);
  Status ReadEntry(std::string_view line);
  std::string_view TakeLine();

  const std::string& file_;
  std::string_view left_;
  int line_ = 2;
  bool held_ = false;  // a plan waits for its commit
  std::uint64_t decisions_ = 0;
  RecordedStep step_;
  std::vector<JobId> jobs_;  // scratch
};

// Recordings out of a server's log: where its pieces lie in time, and a piece cut off at an
// instant.
//
// A file may hold several recordings, one after the other: a stretch of time that several pieces of
// a log cover. Each replays by itself.

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
