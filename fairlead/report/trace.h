// A run as a trace that ui.perfetto.dev and chrome://tracing show.
//
// The process "accelerators" has a track for each accelerator (for one of several units as many
// lanes as segments ever ran there side by side), with a slice for each segment that ran, finished
// or not. A flow, whose id is the request's number, links the segments of a request in the order of
// their starts. The process "tenants" has a bar for each request from its arrival to its end. What
// a guard does is an instant of the process "guard", across all tracks. Times are microseconds with
// three decimals: exact nanoseconds.
//
// It listens to the run and writes as it goes. What it keeps in memory is a buffer of fixed size,
// and the slices of requests that have not ended yet. The time that a decision takes on an
// accelerator is not shown: listeners are not told of it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class TraceWriter final : public RunListener {
 public:
  // The stream is not owned and outlives the writer. Whoever opened it asks it whether all was
  // well after Close.
  explicit TraceWriter(std::ostream& out) : out_(out) {}
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

  std::size_t LaneOf(const Assignment& assignment);
  std::size_t Occupy(const Assignment& assignment);
  std::uint64_t TrackOf(AcceleratorId accelerator, std::size_t lane) const;
  bool Runs(const Job& job) const;
  const std::string& TenantName(TenantId tenant);

  void NameProcess(int process, std::string_view name);
  void NameLane(AcceleratorId accelerator, std::size_t lane);
  void WriteSlice(const Assignment& assignment, std::uint64_t track, Instant now);
  void WriteHandOver(const Assignment& assignment, std::uint64_t track, Instant now);
  void WriteFlow(Path path);
  void EndPath(const Job& job);
  void Write(std::string_view event);

  std::ostream& out_;
  const SystemState* state_ = nullptr;  // while open
  std::string buffer_;
  std::string_view separator_;
  bool guarded_ = false;                            // the guard's process has a name
  std::vector<std::vector<Lane>> lanes_;            // by accelerator
  std::vector<std::vector<std::string>> segments_;  // by network: "network/segment" in quotes
  std::vector<std::string> tenants_;                // their names in quotes, as they are needed
  std::map<std::uint64_t, Path> paths_;             // by the serial of the job
};

}  // namespace fairlead
