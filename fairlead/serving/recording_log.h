// A server's log of recordings: a folder of pieces, each of which replays by itself, and of which
// the oldest go when there is no room.
//
// A piece begins with all that the engine knows (Renewal in live_world.h), so nothing before it is
// needed. The next one begins at the first moment at which nothing is under way, once the last one
// has its size or its span. Where no such moment comes, a piece grows up to half of what the log
// may take; then it ends, and there is a gap until the moment comes, which is told. So is a disk
// that takes nothing.
//
// The engine never waits for the disk: a thread writes, deletes and tells. What is not written yet
// when a process is killed is lost: about the last second.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/serving/task_thread.h"

namespace fairlead {

struct RecordingLogOptions {
  std::string folder;
  std::int64_t keep = std::int64_t{1} << 30;    // bytes of all pieces, at most
  std::int64_t piece = std::int64_t{16} << 20;  // bytes, from which on the next one may begin
  Duration span = std::chrono::minutes{10};     // likewise
};

class RecordingLog final : public RunRecorder {
 public:
  using WallClock = std::function<std::int64_t()>;  // nanoseconds since 1970
  using Tell = std::function<void(const std::string&)>;

  // Makes the folder if need be; fails where nothing can be written. Pieces that are there count
  // for what is kept.
  static Result<std::unique_ptr<RecordingLog>> Open(RecordingLogOptions options, WallClock clock,
                                                    Tell tell);
  ~RecordingLog() override;  // closes

  // The rest by whoever has the engine, one at a time.

  // A new engine begins, with this world: the piece before, if there is one, has ended.
  void Begin(RecordingHeader header, const EngineWorld& world, Instant now);
  // Nothing is under way: whether a new piece should begin.
  bool Due(Instant now);
  // All is over: what was recorded is complete, and on the disk.
  void Close();

  void Advanced(Instant now) override;
  void Applied(const Input& input) override;
  void Decided(const SchedulingPlan& plan) override;
  void Committed() override;

 private:
  class Disk;

  // Hands on what it is given, in blocks.
  class Pipe final : public std::streambuf {
   public:
    explicit Pipe(std::function<void(std::string)> hand_on) : hand_on_(std::move(hand_on)) {}

   protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      hand_on_(std::string(text, static_cast<std::size_t>(size)));
      return size;
    }
    int_type overflow(int_type c) override {
      if (!traits_type::eq_int_type(c, traits_type::eof()))
        hand_on_(std::string(1, traits_type::to_char_type(c)));
      return traits_type::not_eof(c);
    }

   private:
    std::function<void(std::string)> hand_on_;
  };

  RecordingLog(RecordingLogOptions options, WallClock clock, Tell tell);
  void HandOn(std::string block);
  void EndPiece();

  const RecordingLogOptions options_;
  const WallClock clock_;
  const Tell tell_;
  std::unique_ptr<Disk> disk_;
  Pipe pipe_;
  std::ostream stream_;
  std::optional<RecordingWriter> writer_;  // none: a gap, or nothing has begun
  Instant begun_{};
  Instant flushed_{};
  Instant gap_since_ = kNever;
  std::int64_t handed_on_ = 0;  // bytes of this piece
};

// How pieces are called: the time at which they begin is in it.
std::string PieceName(std::int64_t wall);
bool IsPieceName(std::string_view name);

}  // namespace fairlead
