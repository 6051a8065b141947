#include "fairlead/scheduling/engine.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/heap.h"

namespace fairlead {
namespace {

// The first multiple of the period at or after an instant.
Instant NextMultiple(Instant at, Duration period) {
  const std::int64_t step = period.count();
  return AtNanoseconds((Nanoseconds(at) + step - 1) / step * step);
}

}  // namespace

SchedulingEngine::SchedulingEngine(EngineWorld world, const EngineOptions& options,
                                   std::unique_ptr<SchedulingPolicy> policy,
                                   ExecutionBackend& backend)
    : beliefs_(world.beliefs),
      online_kinds_(world.beliefs->kinds(), true),
      options_(options),
      policy_(std::move(policy)),
      backend_(backend) {
  CHECK(policy_ != nullptr);
  state_.period = options.period;
  state_.platform = world.platform;
  state_.networks = world.networks;
  state_.beliefs = world.beliefs;
  state_.tenants = std::move(world.tenants);
  for (const ServiceAgreement& agreement : world.agreements) state_.ledger.Add(agreement);
  for (const Accelerator& accelerator : world.platform->accelerators) {
    const int units = world.platform->kinds[accelerator.kind.index()].units;
    state_.accelerators.push_back({.kind = accelerator.kind, .units = units, .free_units = units});
  }
  for (const NetworkGraph& network : world.networks) AddInitialStates(network);
  state_.unloaded.resize(world.networks.size());
  state_.ready_by_affinity.resize(world.beliefs->affinities());
  FollowOnline();
  MakeRoom();
}

void SchedulingEngine::AddInitialStates(const NetworkGraph& network) {
  std::vector<std::uint32_t> states(network.size());
  for (std::size_t s = 0; s < network.size(); ++s) {
    states[s] = SegmentState::kWaiting |
                static_cast<std::uint32_t>(network.Predecessors(SegmentId{s}).size());
  }
  initial_states_.push_back(std::move(states));
  free_states_.emplace_back();
}

// For what every run comes to sooner or later, so that it does not come to it in the middle.
void SchedulingEngine::MakeRoom() {
  constexpr std::size_t kReady = 1024;
  constexpr std::size_t kQueued = 32;  // on an accelerator
  state_.ready.reserve(kReady);
  state_.newly_ready.reserve(kReady);
  std::size_t units = 0;
  for (AcceleratorState& accelerator : state_.accelerators) {
    accelerator.running.reserve(static_cast<std::size_t>(accelerator.units));
    accelerator.queue.reserve(kQueued);
    units += static_cast<std::size_t>(accelerator.units) + 1;
  }
  const bool queues = state_.period > Duration::zero();
  const std::size_t queued = std::min(kQueued * state_.accelerators.size(), kReady);
  const std::size_t slots = units + (queues ? queued : 0);
  state_.assignments.resize(slots);
  free_assignments_.reserve(slots);
  for (std::size_t slot = slots; slot-- > 0;) {
    state_.assignments[slot].jobs.reserve(1);
    state_.assignments[slot].serials.reserve(1);
    free_assignments_.push_back(static_cast<std::uint32_t>(slot));
  }
}

// ---- Time ----------------------------------------------------------------------------------

void SchedulingEngine::Advance(Instant now) {
  CHECK(now >= state_.now);
  state_.now = now;
  state_.ledger.Advance(now);
  if (recorder_ != nullptr) recorder_->Advanced(now);
  while (!wakes_.empty() && wakes_.front() <= now) {
    PopHeap(wakes_);
    Notify({.kind = EventKind::kWakeUp});
  }
}

bool SchedulingEngine::DecisionDue() const {
  if (options_.period == Duration::zero()) return changed_;
  return NextTimer() <= state_.now;
}

Instant SchedulingEngine::NextTimer() const {
  const Instant wake = NextWake();
  if (options_.period == Duration::zero()) return wake;
  if (changed_ || !state_.ready.empty()) {
    return NextMultiple(state_.now + Duration{DecidedNow() ? 1 : 0}, options_.period);
  }
  return wake == kNever ? kNever : NextMultiple(wake, options_.period);
}

void SchedulingEngine::Notify(const Event& event) {
  changed_ = true;
  policy_->Observe(view(), event);
}

void SchedulingEngine::Record(const Input& input) {
  if (recorder_ != nullptr) recorder_->Applied(input);
}

// ---- Jobs ----------------------------------------------------------------------------------

JobHandle SchedulingEngine::Apply(const Arrival& arrival) {
  if (recorder_ != nullptr) Record(arrival);
  const JobId id = NewJob(arrival.request);
  const Job& job = state_.jobs[id.index()];
  const JobHandle handle{id, job.serial};
  if (IsRefused(job)) {
    Refuse(id);
    return handle;
  }
  Notify({.kind = EventKind::kJobArrived, .job = id});
  for (SegmentId source : state_.networks[job.network.index()].Sources()) MakeReady(id, source);
  if (options_.late == LateJobs::kDrop) RememberDeadline(id);
  return handle;
}

JobId SchedulingEngine::NewJob(const Request& request) {
  JobId id;
  if (free_jobs_.empty()) {
    id = JobId{state_.jobs.size()};
    state_.jobs.emplace_back();
  } else {
    id = free_jobs_.back();
    free_jobs_.pop_back();
  }
  const ServiceAgreement& agreement = state_.ledger.Promise(request.agreement);
  const std::vector<std::uint32_t>& initial = initial_states_[agreement.network.index()];
  std::vector<std::uint32_t>& free = free_states_[agreement.network.index()];
  std::uint32_t first_state = 0;
  if (free.empty()) {
    first_state = static_cast<std::uint32_t>(state_.segment_states.size());
    state_.segment_states.insert(state_.segment_states.end(), initial.begin(), initial.end());
    state_.segment_places.resize(state_.segment_states.size());
  } else {
    first_state = free.back();
    free.pop_back();
    std::ranges::copy(initial, state_.segment_states.begin() + first_state);
  }
  const ArrivalMark mark = state_.ledger.Arrive(request.agreement, request.arrival);
  state_.jobs[id.index()] = Job{.serial = next_serial_++,
                                .request = request.number,
                                .agreement = request.agreement,
                                .arrival_number = mark.number,
                                .tenant = agreement.tenant,
                                .network = agreement.network,
                                .arrival = request.arrival,
                                .deadline = request.arrival + request.deadline,
                                .last_progress = request.arrival,
                                .work_left = state_.beliefs->FastestTotal(agreement.network),
                                .priority = request.priority,
                                .segments_left = static_cast<std::uint32_t>(initial.size()),
                                .first_state = first_state,
                                .covered = mark.covered,
                                .active = true};
  ++active_jobs_;
  return id;
}

void SchedulingEngine::ReleaseJob(JobId id) {
  Job& job = state_.jobs[id.index()];
  free_states_[job.network.index()].push_back(job.first_state);
  free_jobs_.push_back(id);
  job.serial = 0;
}

void SchedulingEngine::Apply(const Cancellation& cancellation) {
  Record(cancellation);
  const Job& job = state_.jobs[cancellation.job.id.index()];
  if (job.serial != cancellation.job.serial || !job.active) return;
  Notify({.kind = EventKind::kJobCancelled, .job = cancellation.job.id});
  GiveUp(cancellation.job.id, Reason::kCancelled);
}

void SchedulingEngine::MakeReady(JobId id, SegmentId segment) {
  const Job& job = state_.jobs[id.index()];
  state_.segment_states[job.first_state + segment.index()] =
      SegmentState::kReady | static_cast<std::uint32_t>(state_.ready.size());
  state_.ready.push_back({id, segment, job.serial, state_.now});
  state_.newly_ready.push_back(state_.ready.back());
  ++state_.ready_by_affinity[state_.beliefs->Affinity(job.network, segment)];
}

void SchedulingEngine::RemoveReady(JobId id, SegmentId segment) {
  const Job& job = state_.jobs[id.index()];
  --state_.ready_by_affinity[state_.beliefs->Affinity(job.network, segment)];
  std::uint32_t& state = state_.segment_states[job.first_state + segment.index()];
  const std::uint32_t position = state & ~SegmentState::kMask;
  const ReadySegment last = state_.ready.back();
  state_.ready.pop_back();
  if (position < state_.ready.size()) {
    state_.ready[position] = last;
    const Job& moved = state_.jobs[last.job.index()];
    state_.segment_states[moved.first_state + last.segment.index()] =
        SegmentState::kReady | position;
  }
  state = SegmentState::kTaken;
}

void SchedulingEngine::GiveUp(JobId id, Reason reason) {
  const Job& job = state_.jobs[id.index()];
  const std::size_t segments = initial_states_[job.network.index()].size();
  for (std::size_t s = 0; s < segments; ++s) {
    if (view().IsReady(id, SegmentId{s})) RemoveReady(id, SegmentId{s});
  }
  EndJob(id, job.started() ? Outcome::kDropped : Outcome::kRejected, reason);
}

bool SchedulingEngine::IsRefused(const Job& job) const {
  return !job.covered && state_.ledger.Promise(job.agreement).contract->over == Over::kRefuse;
}

// Nothing of it became ready, so no decision is due for it: a flood of these costs no thinking.
void SchedulingEngine::Refuse(JobId id) {
  CloseBooks(state_.jobs[id.index()], Outcome::kRejected, Reason::kUncovered);
  ReleaseJob(id);
}

void SchedulingEngine::CloseBooks(Job& job, Outcome outcome, Reason reason) {
  CHECK(job.active);
  job.active = false;
  --active_jobs_;
  state_.ledger.Record(job.agreement, {job.covered, job.arrival_number}, outcome,
                       job.arrival >= options_.measured_from);
  if (listener_ != nullptr) listener_->JobEnded(job, outcome, reason, state_.now);
}

void SchedulingEngine::EndJob(JobId id, Outcome outcome, Reason reason) {
  Job& job = state_.jobs[id.index()];
  CloseBooks(job, outcome, reason);
  Notify({.kind = EventKind::kJobFinished, .job = id, .outcome = outcome});
  backend_.Forget({id, job.serial});
  // What is still enqueued of it never starts; what runs finishes, and releases the slot then.
  if (job.segments_taken > 0) LeaveQueues(id);
  if (job.segments_taken > 0) return CutUnwanted(id);
  ReleaseJob(id);
}

// What runs of a job that has ended, and of no other that has not.
void SchedulingEngine::CutUnwanted(JobId id) {
  for (const AcceleratorState& accelerator : state_.accelerators) {
    for (const AssignmentId running : accelerator.running) {
      const Assignment& assignment = state_.assignments[running.slot];
      const auto wanted = [&](JobId job) { return state_.jobs[job.index()].active; };
      if (std::ranges::find(assignment.jobs, id) != assignment.jobs.end() &&
          std::ranges::none_of(assignment.jobs, wanted))
        backend_.Cut(assignment);
    }
  }
}

void SchedulingEngine::LeaveQueues(JobId id) {
  for (AcceleratorState& accelerator : state_.accelerators) {
    bool left = false;
    for (std::size_t i = 0; i < accelerator.queue.size();) {
      const AssignmentId queued = accelerator.queue[i];
      Assignment& assignment = state_.assignments[queued.slot];
      const auto gone = static_cast<std::uint32_t>(std::erase(assignment.jobs, id));
      state_.jobs[id.index()].segments_taken -= gone;
      left = left || gone > 0;
      if (!assignment.jobs.empty()) {
        if (gone > 0) Believe(assignment);
        ++i;
        continue;
      }
      accelerator.queue.erase(accelerator.queue.begin() + static_cast<std::ptrdiff_t>(i));
      FreeAssignment(queued);
    }
    if (left) RefreshBelief(accelerator);
  }
}

// ---- Segments ------------------------------------------------------------------------------

bool SchedulingEngine::IsRunning(AssignmentId id) const {
  return id.slot < state_.assignments.size() && state_.assignments[id.slot].id == id &&
         state_.assignments[id.slot].state == Assignment::State::kRunning;
}

void SchedulingEngine::LeaveAccelerator(Assignment& assignment) {
  AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
  std::erase(accelerator.running, assignment.id);
  if (accelerator.online) accelerator.free_units += assignment.units;
  RefreshBelief(accelerator);
}

void SchedulingEngine::Apply(const SegmentFinish& finish) {
  if (recorder_ != nullptr) Record(finish);
  if (!IsRunning(finish.assignment)) return;
  Assignment& assignment = state_.assignments[finish.assignment.slot];
  const AcceleratorId accelerator = assignment.accelerator;
  LeaveAccelerator(assignment);
  if (listener_ != nullptr) listener_->SegmentEnded(assignment, state_.now);
  Notify({.kind = EventKind::kSegmentFinished,
          .assignment = finish.assignment,
          .accelerator = accelerator});
  const NetworkGraph& network = state_.networks[assignment.network.index()];
  for (JobId id : assignment.jobs) {
    ++counters_.segments_finished;
    Job& job = state_.jobs[id.index()];
    --job.segments_taken;
    --job.segments_left;
    job.work_left -= state_.beliefs->Fastest(job.network, assignment.segment);
    job.last_progress = state_.now;
    std::uint32_t* const states = &state_.segment_states[job.first_state];
    states[assignment.segment.index()] = SegmentState::kDone;
    if (!job.active) {
      if (job.segments_taken == 0) ReleaseJob(id);
    } else if (job.segments_left == 0) {
      EndJob(id, state_.now <= job.deadline ? Outcome::kHit : Outcome::kMiss, Reason::kNone);
    } else {
      for (SegmentId next : network.Successors(assignment.segment)) {
        if (--states[next.index()] == SegmentState::kWaiting) MakeReady(id, next);
      }
    }
  }
  FreeAssignment(finish.assignment);
  RunQueue(accelerator);
}

void SchedulingEngine::Apply(const SegmentFailure& failure) {
  Record(failure);
  if (!IsRunning(failure.assignment)) return;
  const AcceleratorId accelerator = state_.assignments[failure.assignment.slot].accelerator;
  LeaveAccelerator(state_.assignments[failure.assignment.slot]);
  Interrupt(failure.assignment);
  RunQueue(accelerator);
}

// Gives the segments of an assignment that will not finish back to their jobs.
void SchedulingEngine::Interrupt(AssignmentId id) {
  const Assignment& assignment = state_.assignments[id.slot];
  const bool ran = assignment.state == Assignment::State::kRunning;
  if (ran) {
    if (listener_ != nullptr) listener_->SegmentEnded(assignment, state_.now);
    Notify({.kind = EventKind::kSegmentFailed,
            .assignment = id,
            .accelerator = assignment.accelerator});
  }
  for (JobId job_id : assignment.jobs) {
    Job& job = state_.jobs[job_id.index()];
    --job.segments_taken;
    if (!job.active) {
      if (job.segments_taken == 0) ReleaseJob(job_id);
      continue;
    }
    MakeReady(job_id, assignment.segment);
    if (ran && ++job.failures > options_.failure_limit) GiveUp(job_id, Reason::kFailed);
  }
  FreeAssignment(id);
}

void SchedulingEngine::FreeAssignment(AssignmentId id) {
  Assignment& assignment = state_.assignments[id.slot];
  assignment.state = Assignment::State::kFree;
  assignment.jobs.clear();
  free_assignments_.push_back(id.slot);
}

// ---- Who is there --------------------------------------------------------------------------

void SchedulingEngine::Apply(const Input& input) {
  std::visit([this](const auto& what) { Apply(what); }, input);
}

}  // namespace fairlead
