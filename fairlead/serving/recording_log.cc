#include "fairlead/serving/recording_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include "fairlead/base/utc.h"
#include "fairlead/recording/recording_reader.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBefore = "fairlead-";
constexpr std::string_view kAfter = ".rec";
// What waits for the disk at most; who records more than it takes has a gap.
constexpr std::int64_t kMostWaiting = std::int64_t{64} << 20;
constexpr Duration kFlush = std::chrono::seconds{1};
// Before a piece begins after one that the disk did not take.
constexpr Duration kPatience = std::chrono::seconds{5};

}  // namespace

// The same length for every time, so that they sort.
std::string PieceName(std::int64_t wall) {
  std::string time = FormatUtc(wall);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}{}{}", kBefore, time, kAfter);
}

bool IsPieceName(std::string_view name) {
  return name.size() > kBefore.size() + kAfter.size() && name.starts_with(kBefore) &&
         name.ends_with(kAfter);
}

// What the folder has. All but the constructor by its own thread; some numbers are read by others.
class RecordingLog::Disk {
 public:
  Disk(std::string folder, std::int64_t keep, Tell tell)
      : folder_(std::move(folder)), keep_(keep), tell_(std::move(tell)) {}

  Status Prepare() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return Fail("{}: cannot be made: {}", folder_, error.message());
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      if (!IsPieceName(entry.path().filename().string())) continue;
      std::error_code gone;
      pieces_.push_back({entry.path(), static_cast<std::int64_t>(entry.file_size(gone))});
      if (gone) pieces_.back().size = 0;
      total_ += pieces_.back().size;
    }
    if (error) return Fail("{}: cannot be read: {}", folder_, error.message());
    std::ranges::sort(pieces_, {}, &Piece::path);
    const fs::path trial = fs::path(folder_) / ".fairlead-trial";
    const bool written = static_cast<bool>(std::ofstream(trial) << "\n" << std::flush);
    fs::remove(trial, error);
    if (!written) return Fail("{}: nothing can be written there", folder_);
    return {};
  }

  // From any thread.
  void Begin(std::int64_t wall) {
    failed_ = false;
    thread_.Post([this, wall] { BeginNow(wall); });
  }
  void Write(std::string block) {
    waiting_ += static_cast<std::int64_t>(block.size());
    thread_.Post([this, block = std::move(block)] {
      WriteNow(block);
      waiting_ -= static_cast<std::int64_t>(block.size());
    });
  }
  void End() {
    thread_.Post([this] { file_.close(); });
  }
  void Say(std::string line) {
    thread_.Post([this, line = std::move(line)] { tell_(line); });
  }
  // All before this has been done.
  void Settle() {
    std::promise<void> done;
    thread_.Post([&done] { done.set_value(); });
    done.get_future().get();
  }
  bool failed() const { return failed_; }
  std::int64_t waiting() const { return waiting_; }

 private:
  struct Piece {
    fs::path path;
    std::int64_t size = 0;
  };

  // A millisecond later where there is one: another server's, or a clock that was set back.
  void BeginNow(std::int64_t wall) {
    std::error_code error;
    fs::path path = fs::path(folder_) / PieceName(wall);
    for (; fs::exists(path, error); wall += 1'000'000)
      path = fs::path(folder_) / PieceName(wall + 1'000'000);
    file_ = std::ofstream(path, std::ios::binary);
    pieces_.push_back({path, 0});
    if (!file_) Misfortune();
  }

  void WriteNow(const std::string& block) {
    if (failed_) return;
    const auto size = static_cast<std::int64_t>(block.size());
    while (total_ + size > keep_ && pieces_.size() > 1) {
      std::error_code error;
      fs::remove(pieces_.front().path, error);
      total_ -= pieces_.front().size;
      pieces_.pop_front();
    }
    // Flushed at once: a process that is killed leaves what it has handed on.
    file_.write(block.data(), size).flush();
    total_ += size;
    pieces_.back().size += size;
    if (!file_) return Misfortune();
    if (told_) tell_(fmt::format("{}: recordings are written again", folder_));
    told_ = false;
  }

  void Misfortune() {
    failed_ = true;
    file_.close();
    if (!std::exchange(told_, true))
      tell_(fmt::format("{}: recordings cannot be written; they are tried again", folder_));
  }

  const std::string folder_;
  const std::int64_t keep_;
  const Tell tell_;
  std::deque<Piece> pieces_;  // the oldest first
  std::int64_t total_ = 0;    // bytes of all
  std::ofstream file_;        // the last one
  bool told_ = false;
  std::atomic<bool> failed_ = false;  // the last one takes nothing
  std::atomic<std::int64_t> waiting_ = 0;
  TaskThread thread_;
};

RecordingLog::RecordingLog(RecordingLogOptions options, WallClock clock, Tell tell)
    : options_(std::move(options)),
      clock_(std::move(clock)),
      tell_(std::move(tell)),
      disk_(std::make_unique<Disk>(options_.folder, options_.keep, tell_)),
      pipe_([this](std::string block) { HandOn(std::move(block)); }),
      stream_(&pipe_) {}

RecordingLog::~RecordingLog() { Close(); }

Result<std::unique_ptr<RecordingLog>> RecordingLog::Open(RecordingLogOptions options,
                                                         WallClock clock, Tell tell) {
  std::unique_ptr<RecordingLog> log(
      new RecordingLog(std::move(options), std::move(clock), std::move(tell)));
  RETURN_IF_ERROR(log->disk_->Prepare());
  return log;
}

void RecordingLog::HandOn(std::string block) {
  handed_on_ += static_cast<std::int64_t>(block.size());
  disk_->Write(std::move(block));
}

void RecordingLog::Begin(RecordingHeader header, const EngineWorld& world, Instant now) {
  EndPiece();
  const std::int64_t wall = clock_();
  header.extras[std::string(kPieceClock)] =
      fmt::format("{}", wall - now.time_since_epoch().count());
  if (gap_since_ != kNever)
    disk_->Say(fmt::format("{}: recorded again, after a gap of {:.0f} s", options_.folder,
                           Seconds(now - std::exchange(gap_since_, kNever))));
  disk_->Begin(wall);
  handed_on_ = 0;
  begun_ = flushed_ = now;
  writer_.emplace(stream_, header, world);
  writer_->Flush();
}

void RecordingLog::EndPiece() {
  if (!writer_.has_value()) return;
  // What the disk did not take is told by it.
  static_cast<void>(writer_->Close());
  writer_.reset();
  disk_->End();
}

void RecordingLog::Close() {
  EndPiece();
  disk_->Settle();
}

bool RecordingLog::Due(Instant now) {
  if (!writer_.has_value()) return now - begun_ >= kPatience;
  if (handed_on_ >= options_.piece || now - begun_ >= options_.span) return true;
  if (now - flushed_ >= kFlush / 10) {
    writer_->Flush();
    flushed_ = now;
  }
  return false;
}

void RecordingLog::Advanced(Instant now) {
  if (!writer_.has_value()) return;
  const bool grown = handed_on_ > options_.keep / 2;
  if (grown || disk_->failed() || disk_->waiting() > kMostWaiting) {
    EndPiece();
    gap_since_ = begun_ = now;
    if (grown)
      disk_->Say(
          fmt::format("{}: nothing has been quiet for half of the log: not recorded from "
                      "here on until it is",
                      options_.folder));
    return;
  }
  if (now - flushed_ >= kFlush) {
    writer_->Flush();
    flushed_ = now;
  }
  writer_->Advanced(now);
}

void RecordingLog::Applied(const Input& input) {
  if (writer_.has_value()) writer_->Applied(input);
}

void RecordingLog::Decided(const SchedulingPlan& plan) {
  if (writer_.has_value()) writer_->Decided(plan);
}

void RecordingLog::Committed() {
  if (writer_.has_value()) writer_->Committed();
}

}  // namespace fairlead
