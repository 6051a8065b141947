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
  Lane& lane = lanes_[assignment.accelerator.index()];
  std::unique_lock lock(lane.mutex);
  if (lane.stopping) return;
  const SegmentCost cost = CostOfStart(lane, assignment);
  lane.totals.energy_pj += static_cast<double>(cost.energy_pj);
  lane.totals.traffic_bytes += static_cast<double>(cost.dram_bytes);
  lane.waiting.push_back(&NewRun(lane, assignment, cost.latency));
  if (lane.idle_threads < lane.waiting.size() && !AddThread(assignment.accelerator) &&
      lane.threads.empty()) {
    lane.waiting.clear();
    lane.runs.clear();
    lock.unlock();
    return Report(assignment.id, assignment.accelerator, WorkResult::kAcceleratorLost);
  }
  lane.due.store(lane.waiting.size(), std::memory_order_release);
  lock.unlock();
  lane.filled.notify_one();
}

void ThreadBackend::Resize(const Assignment& assignment) {
  Lane& lane = lanes_[assignment.accelerator.index()];
  const std::lock_guard lock(lane.mutex);
  SegmentRun* const run = Find(lane, assignment.id);
  if (run == nullptr) return;
  const SegmentCost* const cost = setup_.truth->Find(
      assignment.network, assignment.segment, KindOf(assignment), assignment.configuration());
  run->Resize(cost->latency);
}

void ThreadBackend::Abort(const Assignment& assignment) {
  Lane& lane = lanes_[assignment.accelerator.index()];
  const std::lock_guard lock(lane.mutex);
  lane.last_network = {};
  SegmentRun* const run = Find(lane, assignment.id);
  if (run == nullptr) return;
  run->Abort();
  if (std::erase(lane.waiting, run) > 0) EndRun(lane, run);
  lane.due.store(lane.waiting.size(), std::memory_order_release);
}

void ThreadBackend::Cut(const Assignment& assignment) {
  if (!setup_.cut) return;
  Lane& lane = lanes_[assignment.accelerator.index()];
  const std::lock_guard lock(lane.mutex);
  if (SegmentRun* const run = Find(lane, assignment.id)) run->Cut();
}

void ThreadBackend::Forget(const JobHandle& job) {
  if (setup_.forget != nullptr) setup_.forget(job);
}

void ThreadBackend::Stop() {
  for (Lane& lane : lanes_) {
    const std::lock_guard lock(lane.mutex);
    lane.stopping = true;
    for (const auto& run : lane.runs) run->Abort();
    lane.filled.notify_all();
  }
  for (Lane& lane : lanes_) {
    for (std::thread& thread : lane.threads) thread.join();
    lane.threads.clear();
  }
}

ExecutionTotals ThreadBackend::totals() const {
  ExecutionTotals totals;
  for (const Lane& lane : lanes_) {
    const std::lock_guard lock(lane.mutex);
    totals.energy_pj += lane.totals.energy_pj;
    totals.traffic_bytes += lane.totals.traffic_bytes;
  }
  return totals;
}

// ---- Costs ---------------------------------------------------------------------------------

KindId ThreadBackend::KindOf(const Assignment& assignment) const {
  return setup_.platform->accelerators[assignment.accelerator.index()].kind;
}

// Where the job is, only the engine knows: what it takes to go on is what is believed of it.
SegmentCost ThreadBackend::CostOfStart(Lane& lane, const Assignment& assignment) const {
  const NetworkId before = std::exchange(lane.last_network, assignment.network);
  SegmentCost cost =
      setup_.truth->CostOfStart(assignment.network, assignment.segment, KindOf(assignment),
                                assignment.configuration(), before);
  cost.latency += assignment.hand_over.cost();
  return cost;
}

// ---- Threads -------------------------------------------------------------------------------

SegmentRun& ThreadBackend::NewRun(Lane& lane, const Assignment& assignment,
                                  Duration latency) const {
  if (lane.spare.empty()) {
    lane.runs.push_back(std::make_unique<SegmentRun>(assignment, latency, *setup_.clock));
  } else {
    lane.runs.push_back(std::move(lane.spare.back()));
    lane.spare.pop_back();
    lane.runs.back()->Renew(assignment, latency);
  }
  return *lane.runs.back();
}

SegmentRun* ThreadBackend::Find(Lane& lane, AssignmentId id) {
  const auto found =
      std::ranges::find_if(lane.runs, [id](const auto& run) { return run->assignment().id == id; });
  return found == lane.runs.end() ? nullptr : found->get();
}

void ThreadBackend::EndRun(Lane& lane, const SegmentRun* run) {
  const auto place = std::ranges::find(lane.runs, run, &std::unique_ptr<SegmentRun>::get);
  lane.spare.push_back(std::move(*place));
  lane.runs.erase(place);
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

// Until something is due, or long enough in vain.
void ThreadBackend::LookOut(const Lane& lane) const {
  if (setup_.spin == Duration::zero()) return;
  constexpr int kLooksPerTime = 64;  // reading the clock takes longer than a look
  const Instant end = setup_.clock->Now() + setup_.spin;
  do {
    for (int i = 0; i < kLooksPerTime; ++i) {
      if (lane.due.load(std::memory_order_acquire) > 0) return;
      PauseBriefly();
    }
  } while (setup_.clock->Now() < end);
}

void ThreadBackend::Serve(AcceleratorId accelerator) {
  Lane& lane = lanes_[accelerator.index()];
  bool entered = setup_.enter == nullptr;
  std::unique_lock lock(lane.mutex);
  while (true) {
    if (lane.waiting.empty() && !lane.stopping) {
      lock.unlock();
      LookOut(lane);
      lock.lock();
    }
    lane.filled.wait(lock, [&] { return lane.stopping || !lane.waiting.empty(); });
    --lane.idle_threads;
    if (lane.stopping) return;
    SegmentRun* const run = lane.waiting.front();
    lane.waiting.erase(lane.waiting.begin());
    lane.due.store(lane.waiting.size(), std::memory_order_relaxed);
    run->Begin();
    lock.unlock();
    const WorkResult result = CarryOut(*run, entered);
    lock.lock();
    ++lane.idle_threads;  // before the report: whoever reads it may start the next segment at once
    const AssignmentId id = run->assignment().id;
    const bool aborted = run->aborted();
    EndRun(lane, run);
    if (aborted) continue;
    lock.unlock();
    Report(id, accelerator, result);
    if (setup_.reported != nullptr) setup_.reported();
    lock.lock();
  }
}

WorkResult ThreadBackend::CarryOut(SegmentRun& run, bool& entered) const {
  try {
    if (!entered) entered = setup_.enter(run.assignment().accelerator).has_value();
    return entered ? setup_.work(run) : WorkResult::kAcceleratorLost;
  } catch (const ProcessorLost&) {
    entered = setup_.enter == nullptr;  // what comes back is another one
    return WorkResult::kAcceleratorLost;
  } catch (...) {  // whatever it is, it stays this segment's misfortune
    return WorkResult::kSegmentFailed;
  }
}

void ThreadBackend::Report(AssignmentId id, AcceleratorId accelerator, WorkResult result) const {
  switch (result) {
    case WorkResult::kDone: return setup_.report(SegmentFinish{id});
    case WorkResult::kSegmentFailed: return setup_.report(SegmentFailure{id});
    case WorkResult::kAcceleratorLost: return setup_.report(AcceleratorLoss{accelerator});
  }
}

}  // namespace fairlead
