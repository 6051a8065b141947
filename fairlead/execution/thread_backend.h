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
//
// A thread that has reported may itself bring the engine to its next decision (`reported`), and
// then finds its next segment without having slept. One that finds none looks out for it for a
// while (`spin`) before it sleeps. After warm-up a segment allocates nothing here.
#pragma once

#include <atomic>
#include <condition_variable>
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
  // What a thread does after each of its reports, with no lock held; optional. Not after a report
  // that Start makes.
  std::function<void()> reported;
  // A segment that nobody wants any more ends early.
  bool cut = false;
  // How long a thread without a segment looks out for one before it sleeps. More than zero only
  // where every thread has a core to itself.
  Duration spin{};
};

// What was started so far.
struct ExecutionTotals {
  double energy_pj = 0;
  double traffic_bytes = 0;
};

class ThreadBackend final : public ExecutionBackend {
 public:
  explicit ThreadBackend(ThreadBackendSetup setup);
  ~ThreadBackend() override;  // stops

  // From whichever thread has the engine, one at a time. What was reported in the meantime is
  // neither resized nor aborted.
  void Start(const Assignment& assignment) override;
  void Resize(const Assignment& assignment) override;
  void Abort(const Assignment& assignment) override;
  void Cut(const Assignment& assignment) override;
  void Forget(const JobHandle& job) override;

  // Other costs, that know more networks; not owned. From whichever thread has the engine.
  void SetTruth(const CostTable* truth) { setup_.truth = truth; }

  // Aborts everything and joins the threads; afterwards nothing starts, nothing is reported.
  void Stop();

  ExecutionTotals totals() const;

 private:
  // One accelerator.
  struct alignas(64) Lane {
    mutable std::mutex mutex;  // guards all but `due`
    std::condition_variable filled;
    std::atomic<std::size_t> due = 0;  // as many as wait; for those who look out
    std::vector<std::thread> threads;
    std::size_t idle_threads = 0;                    // that wait for a segment or are about to
    std::vector<SegmentRun*> waiting;                // for a thread, in order
    std::vector<std::unique_ptr<SegmentRun>> runs;   // those, and what the threads carry out
    std::vector<std::unique_ptr<SegmentRun>> spare;  // of segments that have ended
    NetworkId last_network;
    ExecutionTotals totals;
    bool stopping = false;
  };

  KindId KindOf(const Assignment& assignment) const;
  SegmentCost CostOfStart(Lane& lane, const Assignment& assignment) const;
  bool AddThread(AcceleratorId accelerator);
  void Serve(AcceleratorId accelerator);
  void LookOut(const Lane& lane) const;
  WorkResult CarryOut(SegmentRun& run, bool& entered) const;
  void Report(AssignmentId id, AcceleratorId accelerator, WorkResult result) const;
  SegmentRun& NewRun(Lane& lane, const Assignment& assignment, Duration latency) const;
  static SegmentRun* Find(Lane& lane, AssignmentId id);
  static void EndRun(Lane& lane, const SegmentRun* run);

  ThreadBackendSetup setup_;
  std::vector<Lane> lanes_;  // per accelerator
};

}  // namespace fairlead
