// Carries out assignments on threads: a stand-in for real accelerators that takes real time.
//
// An accelerator has up to one thread per unit, made when first needed; each carries out one
// segment at a time, for as long as the segment truly costs with its batch, its units and the
// switch from another network. Contention is not modelled: co-runners slow each other as far as
// they really do. A resized segment keeps its progress; the share that is left takes as long as
// with the new units.
//
// How a segment ends reaches the engine as an input: SegmentFinish; SegmentFailure when its work
// failed or threw; AcceleratorLoss when the work says so or throws ProcessorLost, when a thread
// cannot enter its accelerator, or when the machine has no more threads.
// An aborted segment stops early and reports nothing, unless its report was already under way;
// the engine ignores that one by its generation.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/platform.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/segment_run.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

struct ThreadBackendSetup {
  const Platform* platform = nullptr;  // not owned
  const CostTable* truth = nullptr;    // not owned
  const LiveClock* clock = nullptr;    // not owned
  SegmentWork work = SleepThrough;
  // What a thread does before its first segment on an accelerator; optional. Fails: the accelerator
  // is lost, and the next segment there tries again.
  std::function<Status(AcceleratorId)> enter;
  std::function<void(const JobHandle&)> forget;  // of a job that has ended; optional
  std::function<void(Input)> report;             // thread-safe: called from any of the threads
};

// What was done so far.
struct ExecutionTotals {
  double energy_pj = 0;  // of what was started, like the traffic
  double traffic_bytes = 0;
  std::vector<double> busy;  // per accelerator: nanoseconds, by the share of its units
};

class ThreadBackend final : public ExecutionBackend {
 public:
  explicit ThreadBackend(ThreadBackendSetup setup);
  ~ThreadBackend() override;  // stops

  // From one thread, the engine's. What was reported in the meantime is neither resized nor
  // aborted.
  void Start(const Assignment& assignment) override;
  void Resize(const Assignment& assignment) override;
  void Abort(const Assignment& assignment) override;
  void Forget(const JobHandle& job) override;

  // Aborts everything and joins the threads; afterwards nothing starts, nothing is reported.
  void Stop();

  ExecutionTotals totals() const;

 private:
  // One accelerator.
  struct Lane {
    std::vector<std::thread> threads;
    std::size_t idle_threads = 0;  // that wait for a segment or are about to
    std::condition_variable filled;
    std::deque<SegmentRun*> waiting;                // for a thread
    std::vector<std::unique_ptr<SegmentRun>> runs;  // those, and what the threads carry out
    NetworkId last_network;
    double busy = 0;
  };

  KindId KindOf(const Assignment& assignment) const;
  SegmentCost CostOfStart(const Assignment& assignment);
  bool AddThread(AcceleratorId accelerator);
  void Serve(AcceleratorId accelerator);
  WorkResult CarryOut(SegmentRun& run, bool& entered) const;
  void Report(const Assignment& assignment, WorkResult result) const;
  static SegmentRun* Find(Lane& lane, AssignmentId id);

  const ThreadBackendSetup setup_;
  mutable std::mutex mutex_;  // guards all below
  bool stopping_ = false;
  std::vector<Lane> lanes_;  // per accelerator
  ExecutionTotals totals_;   // but for `busy`
};

}  // namespace fairlead
