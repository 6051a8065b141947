// Running a world under policies and seeds: what `fairlead simulate` does.
//
// Each run is one thread and depends on the world, the policy and the seed alone, so results are
// the same however many run beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/base/result.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/loaded_networks.h"
#include "fairlead/recording/books_file.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/report/figures.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/report/timeline.h"
#include "fairlead/report/trace.h"
#include "fairlead/running/segment_log.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/world/world.h"

namespace fairlead {

// What no schedule could have beaten on the requests that came in a simulated run.

// The requests of a world that lists them.
std::vector<TimedArrival> ArrivalsOf(const World& world);

// None where the program has no answer. The order of the arrivals does not matter.
std::optional<FluidBounds> BoundsOn(const World& world, std::vector<TimedArrival> arrivals);
// On those that arrived after the warm-up.
std::optional<FluidBounds> BoundsOn(const World& world, std::span<const LoggedJob> jobs,
                                    Instant measured_from);

// The bounds of a world's runs. Arrivals depend on the seed alone, so runs of several policies
// share them. Threads may ask at the same time.
class BoundsBySeed {
 public:
  std::optional<FluidBounds> Of(const World& world, std::uint64_t seed,
                                std::span<const LoggedJob> jobs, Instant measured_from);

 private:
  struct Entry {
    std::once_flag once;
    std::optional<FluidBounds> bounds;
  };

  std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;
};

// What one run writes beside its figures; none is owned, all may be null.
struct RunOutputs {
  std::ostream* outcomes = nullptr;  // CSV
  std::ostream* trace = nullptr;     // Perfetto JSON
  TraceWindow trace_window{};
  std::function<void()> trace_is_large{};  // once, when it has become so; may be empty
  std::ostream* recording = nullptr;
  std::ostream* books = nullptr;   // what agreements were promised and got: recording/books_file.h
  Histogram* latencies = nullptr;  // of finished requests, after the warm-up
  RunTimeline* timeline = nullptr;
  std::vector<LoggedJob>* jobs = nullptr;
  SegmentLog* segments = nullptr;
};

// How time passes.
enum class Pace : std::uint8_t {
  kSimulated,
  kSleep,  // in real time: each accelerator is a thread that sleeps for what a segment costs
  kSpin,   // likewise, but busy
  kRun,    // in real time: each accelerator computes the networks
};

// A policy of the caller's own, anew for each run, and again where its guard lets it return.
using OwnPolicy = std::function<std::unique_ptr<SchedulingPolicy>(std::uint64_t seed)>;

struct RunSpec {
  std::string policy;
  std::uint64_t seed = 1;
  Pace pace = Pace::kSimulated;
  const LoadedNetworks* networks = nullptr;  // of the world, to be run; not owned
  const LiveClock* clock = nullptr;          // of a live run, not owned; null: the real time
  bool bounds = true;                        // whether to compute the fluid bounds on its arrivals
  BoundsBySeed* known_bounds = nullptr;      // of runs in this world, not owned; null: its own
  std::span<const KeptAgreement> books{};    // that agreements of these names go on from
  std::stop_token stop{};                    // asked for: it ends with what has ended by then
  bool compare = false;                      // a live run with the same simulated
  bool as_listed = false;                    // ids of the run are those of the world
  const CostTable* truth = nullptr;  // of a simulated run as listed, with co-runners; null: its own
  OwnPolicy own{};                   // not the registry's; `policy` is its name. May be empty
};

// Whether the world can be run so.
Status CheckPace(const World& world, Pace pace);

// A wrong plan stops a simulated run with an error; a live run, and one under a guard, skips its
// wrong entries and counts them. `progressed` (may be empty) hears now and then which share of the
// arrivals has come.
Result<RunFigures> RunOnce(const World& world, const RunSpec& spec, const RunOutputs& outputs,
                           const std::function<void(double)>& progressed = {});

// Runs all specs on `threads` threads and returns their figures in the order of the specs. Outputs
// are opened by `open` before, and closed by `close` after each run; `progressed` hears how far
// each has come. All four are called from the runs' threads, and may be empty.
//
// Where `stop` is asked for, runs that go on are interrupted, and none begins any more. What a run
// that fails has recorded so far is good for replay: `failed` may keep it.
struct RunPlan {
  std::vector<RunSpec> specs;
  int threads = 1;
  std::stop_token stop{};
  std::function<Result<RunOutputs>(std::size_t spec)> open;
  std::function<Status(std::size_t spec)> close;
  std::function<void(std::size_t spec)> failed;
  std::function<void(std::size_t spec, double share)> progressed;
};
// Those that were not begun are left out.
Result<std::vector<RunFigures>> RunAll(const World& world, const RunPlan& plan);

// The same, but no run ends because another one failed: all results in the order of the specs.
std::vector<Result<RunFigures>> RunEach(const World& world, const RunPlan& plan);

// Makes the policies of a recorded run again, for Replay.
Result<std::unique_ptr<SchedulingPolicy>> RecordedPolicy(std::string_view policy,
                                                         const Recording& recording);

}  // namespace fairlead
