// A run as a trace that ui.perfetto.dev and chrome://tracing show.
//
// The process "accelerators" has a track for each accelerator (for one of several units as many
// lanes as segments ever ran there side by side), with a slice for each segment that ran, finished
// or not. A flow, whose id is the request's number, links the segments of a request in the order of
// their starts. The process "tenants" has a bar for each request from its arrival to its end. What
// a guard does is an instant of the process "guard", across all tracks; so are accelerators that
// leave and return and policies that take over, of the process "changes". Counters show how many
// requests are there, how many segments run, and what these ask of the memory, each alone, as
// believed. Times are microseconds with three decimals: exact nanoseconds. A window leaves out what
// lies outside it altogether.
//
// It listens to the run and writes as it goes. What it keeps in memory is a buffer of fixed size,
// and the slices of requests that have not ended yet. The time that a decision takes on an
// accelerator is not shown: listeners are not told of it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

struct TraceWindow {
  Instant from{};
  Instant to = kNever;

  bool Shows(Instant start, Instant end) const { return end >= from && start <= to; }
};

class TraceWriter final : public RunListener, public RunRecorder {
 public:
  // Traces that are larger are hard to look at.
  static constexpr std::size_t kLarge = std::size_t{256} << 20;

  // The stream is not owned and outlives the writer. Whoever opened it asks it whether all was
  // well after Close.
  explicit TraceWriter(std::ostream& out, const TraceWindow& window = {},
                       std::function<void()> large = {})  // once, when it has become so
      : out_(out), window_(window), large_(std::move(large)) {}
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Once, before the first event: the books of the engine that it listens to, where it looks up
  // jobs and names. Not owned; needed until Close.
  void Open(const SystemState& state);
  // Once, after the last event. The trace is not valid JSON before.
  void Close();

  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& assignment, Instant now) override;
  void GuardActed(const GuardAct& act, Instant now) override;
  void Advanced(Instant now) override;
  void Applied(const Input& input) override;
  void Decided(const SchedulingPlan& /*plan*/) override {}
  void Committed() override {}

 private:
  // Where segments that run at the same time on one accelerator are drawn.
  struct Lane {
    AssignmentId occupant;
    Instant free_since{};
  };
  struct Slice {
    Instant start{};
    std::uint64_t track = 0;
  };
  // The slices of a request so far.
  struct Path {
    RequestNumber request = 0;
    std::vector<Slice> slices;
  };

  // What the counters say.
  struct Counts {
    std::int64_t requests = 0;
    std::int64_t running = 0;
    double demand = 0;  // bytes per second

    bool operator==(const Counts&) const = default;
  };

  std::size_t LaneOf(const Assignment& assignment);
  std::size_t Occupy(const Assignment& assignment);
  std::uint64_t TrackOf(AcceleratorId accelerator, std::size_t lane) const;
  bool Runs(const Job& job) const;
  const std::string& TenantName(TenantId tenant);

  void NameProcess(int process, std::string_view name);
  void NameLane(AcceleratorId accelerator, std::size_t lane);
  void WriteRequest(const Job& job, Outcome outcome, Reason reason, Instant now);
  void WriteSlice(const Assignment& assignment, std::uint64_t track, Instant now);
  void WriteHandOver(const Assignment& assignment, std::uint64_t track, Instant now);
  void WriteFlow(Path path);
  void EndPath(const Job& job);
  Counts Count() const;
  void WriteCounts(Instant at);
  void WriteMark(std::string_view what);
  void Write(std::string_view event);
  void Flush();

  std::ostream& out_;
  TraceWindow window_;
  std::function<void()> large_;
  std::size_t written_ = 0;
  std::int64_t requests_ = 0;  // that have come and not ended
  std::optional<Counts> shown_;
  bool counting_ = false;  // it hears what goes into the engine
  Instant since_{};        // of the current instant: what is counted now holds from then on
  const SystemState* state_ = nullptr;  // while open
  std::string buffer_;
  std::string_view separator_;
  bool guarded_ = false;                            // the guard's process has a name
  bool changed_ = false;                            // likewise the changes'
  std::vector<std::vector<Lane>> lanes_;            // by accelerator
  std::vector<std::vector<std::string>> segments_;  // by network: "network/segment" in quotes
  std::vector<std::string> tenants_;                // their names in quotes, as they are needed
  std::map<std::uint64_t, Path> paths_;             // by the serial of the job
};

}  // namespace fairlead
