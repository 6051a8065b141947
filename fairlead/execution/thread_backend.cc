#include "fairlead/execution/thread_backend.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

ThreadBackend::ThreadBackend(ThreadBackendSetup setup)
    : setup_(std::move(setup)), lanes_(setup_.platform->accelerators.size()) {
  CHECK(setup_.truth != nullptr && setup_.clock != nullptr);
  CHECK(setup_.work != nullptr && setup_.report != nullptr);
}

ThreadBackend::~ThreadBackend() { Stop(); }

// ---- What the engine asks for --------------------------------------------------------------

void ThreadBackend::Start(const Assignment& assignment) {
  std::unique_lock lock(mutex_);
  if (stopping_) return;
  Lane& lane = lanes_[assignment.accelerator.index()];
  const SegmentCost cost = CostOfStart(assignment);
  totals_.energy_pj += static_cast<double>(cost.energy_pj);
  totals_.traffic_bytes += static_cast<double>(cost.dram_bytes);
  lane.runs.push_back(std::make_unique<SegmentRun>(assignment, cost.latency, *setup_.clock));
  lane.waiting.push_back(lane.runs.back().get());
  if (lane.idle_threads < lane.waiting.size() && !AddThread(assignment.accelerator) &&
      lane.threads.empty()) {
    lane.waiting.clear();
    lane.runs.clear();
    lock.unlock();
    return Report(assignment, WorkResult::kAcceleratorLost);
  }
  lane.filled.notify_one();
}

void ThreadBackend::Resize(const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  SegmentRun* const run = Find(lanes_[assignment.accelerator.index()], assignment.id);
  if (run == nullptr) return;
  const SegmentCost* const cost =
      setup_.truth->Find(assignment.network, assignment.segment, KindOf(assignment),
                         {assignment.units, assignment.batch()});
  run->Resize(assignment.units, cost->latency);
}

void ThreadBackend::Abort(const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_[assignment.accelerator.index()];
  lane.last_network = {};
  SegmentRun* const run = Find(lane, assignment.id);
  if (run == nullptr) return;
  run->Abort();
  if (std::erase(lane.waiting, run) > 0)
    std::erase_if(lane.runs, [run](const auto& other) { return other.get() == run; });
}

void ThreadBackend::Forget(const JobHandle& job) {
  if (setup_.forget != nullptr) setup_.forget(job);
}

void ThreadBackend::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Lane& lane : lanes_) {
      for (const auto& run : lane.runs) run->Abort();
      lane.filled.notify_all();
    }
  }
  for (Lane& lane : lanes_) {
    for (std::thread& thread : lane.threads) thread.join();
    lane.threads.clear();
  }
}

ExecutionTotals ThreadBackend::totals() const {
  const std::lock_guard lock(mutex_);
  ExecutionTotals totals = totals_;
  for (const Lane& lane : lanes_) totals.busy.push_back(lane.busy);
  return totals;
}

// ---- Costs ---------------------------------------------------------------------------------

KindId ThreadBackend::KindOf(const Assignment& assignment) const {
  return setup_.platform->accelerators[assignment.accelerator.index()].kind;
}

SegmentCost ThreadBackend::CostOfStart(const Assignment& assignment) {
  NetworkId& last = lanes_[assignment.accelerator.index()].last_network;
  const NetworkId before = std::exchange(last, assignment.network);
  return setup_.truth->CostOfStart(assignment.network, assignment.segment, KindOf(assignment),
                                   {assignment.units, assignment.batch()}, before);
}

// ---- Threads -------------------------------------------------------------------------------

SegmentRun* ThreadBackend::Find(Lane& lane, AssignmentId id) {
  const auto found =
      std::ranges::find_if(lane.runs, [id](const auto& run) { return run->assignment().id == id; });
  return found == lane.runs.end() ? nullptr : found->get();
}

// An accelerator that is full, with an aborted segment that takes its time to stop, gets no more
// threads than it has units: what starts next waits for one.
bool ThreadBackend::AddThread(AcceleratorId accelerator) {
  Lane& lane = lanes_[accelerator.index()];
  if (std::ssize(lane.threads) >= setup_.platform->UnitsOf(accelerator)) return false;
  try {
    lane.threads.emplace_back([this, accelerator] { Serve(accelerator); });
    ++lane.idle_threads;
    return true;
  } catch (const std::system_error&) {  // the machine has no more threads
    return false;
  }
}

void ThreadBackend::Serve(AcceleratorId accelerator) {
  Lane& lane = lanes_[accelerator.index()];
  bool entered = setup_.enter == nullptr;
  std::unique_lock lock(mutex_);
  while (true) {
    lane.filled.wait(lock, [&] { return stopping_ || !lane.waiting.empty(); });
    --lane.idle_threads;
    if (stopping_) return;
    SegmentRun* const run = lane.waiting.front();
    lane.waiting.pop_front();
    run->Begin();
    lock.unlock();
    const WorkResult result = CarryOut(*run, entered);
    lock.lock();
    ++lane.idle_threads;  // before the report: whoever reads it may start the next segment at once
    lane.busy += run->Occupancy() / setup_.platform->UnitsOf(accelerator);
    const auto place = std::ranges::find(lane.runs, run, &std::unique_ptr<SegmentRun>::get);
    const std::unique_ptr<SegmentRun> ended = std::move(*place);
    lane.runs.erase(place);
    if (ended->aborted()) continue;
    lock.unlock();
    Report(ended->assignment(), result);
    lock.lock();
  }
}

WorkResult ThreadBackend::CarryOut(SegmentRun& run, bool& entered) const {
  try {
    if (!entered) entered = setup_.enter(run.assignment().accelerator).has_value();
    return entered ? setup_.work(run) : WorkResult::kAcceleratorLost;
  } catch (const ProcessorLost&) {
    return WorkResult::kAcceleratorLost;
  } catch (...) {  // whatever it is, it stays this segment's misfortune
    return WorkResult::kSegmentFailed;
  }
}

void ThreadBackend::Report(const Assignment& assignment, WorkResult result) const {
  switch (result) {
    case WorkResult::kDone: return setup_.report(SegmentFinish{assignment.id});
    case WorkResult::kSegmentFailed: return setup_.report(SegmentFailure{assignment.id});
    case WorkResult::kAcceleratorLost:
      return setup_.report(AcceleratorLoss{assignment.accelerator});
  }
}

}  // namespace fairlead
