#include "fairlead/scheduling/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/scheduling/plan_text.h"

namespace fairlead {
namespace {

// Reading a clock twice costs a tenth of a short decision: one in so many is timed.
constexpr std::uint64_t kDecisionsPerTiming = 8;

// The first multiple of the period at or after an instant.
Instant NextMultiple(Instant at, Duration period) {
  const std::int64_t step = period.count();
  return AtNanoseconds((Nanoseconds(at) + step - 1) / step * step);
}

template <typename Heap, typename Value>
void PushHeap(Heap& heap, const Value& value) {
  heap.push_back(value);
  std::ranges::push_heap(heap, std::greater<>{});
}

template <typename Heap>
void PopHeap(Heap& heap) {
  std::ranges::pop_heap(heap, std::greater<>{});
  heap.pop_back();
}

}  // namespace

SchedulingEngine::SchedulingEngine(EngineWorld world, const EngineOptions& options,
                                   std::unique_ptr<SchedulingPolicy> policy,
                                   ExecutionBackend& backend)
    : options_(options), policy_(std::move(policy)), backend_(backend) {
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
  for (const NetworkGraph& network : world.networks) {
    std::vector<std::uint32_t> states(network.size());
    for (std::size_t s = 0; s < network.size(); ++s) {
      states[s] = SegmentState::kWaiting |
                  static_cast<std::uint32_t>(network.Predecessors(SegmentId{s}).size());
    }
    initial_states_.push_back(std::move(states));
  }
  free_states_.resize(world.networks.size());
}

// ---- Time ----------------------------------------------------------------------------------

void SchedulingEngine::Advance(Instant now) {
  CHECK(now >= state_.now);
  state_.now = now;
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
  Notify({.kind = EventKind::kJobArrived, .job = id});
  for (SegmentId source : state_.networks[job.network.index()].Sources()) MakeReady(id, source);
  if (options_.late == LateJobs::kDrop) PushHeap(deadlines_, Due{job.deadline, job.serial, id});
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
  } else {
    first_state = free.back();
    free.pop_back();
    std::ranges::copy(initial, state_.segment_states.begin() + first_state);
  }
  state_.jobs[id.index()] = Job{.serial = next_serial_++,
                                .request = request.number,
                                .agreement = request.agreement,
                                .tenant = agreement.tenant,
                                .network = agreement.network,
                                .arrival = request.arrival,
                                .deadline = request.arrival + request.deadline,
                                .last_progress = request.arrival,
                                .priority = request.priority,
                                .segments_left = static_cast<std::uint32_t>(initial.size()),
                                .first_state = first_state,
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
  state_.ready.push_back({id, segment, state_.now});
  state_.newly_ready.push_back(state_.ready.back());
}

void SchedulingEngine::RemoveReady(JobId id, SegmentId segment) {
  std::uint32_t& state =
      state_.segment_states[state_.jobs[id.index()].first_state + segment.index()];
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

void SchedulingEngine::EndJob(JobId id, Outcome outcome, Reason reason) {
  Job& job = state_.jobs[id.index()];
  CHECK(job.active);
  job.active = false;
  --active_jobs_;
  ++counters_.given_up[static_cast<std::size_t>(reason)];
  state_.ledger.Record(job.agreement, outcome, job.arrival >= options_.measured_from);
  if (listener_ != nullptr) listener_->JobEnded(job, outcome, reason, state_.now);
  Notify({.kind = EventKind::kJobFinished, .job = id, .outcome = outcome});
  // What is still enqueued of it never starts; what runs finishes, and releases the slot then.
  for (AcceleratorState& accelerator : state_.accelerators) {
    if (job.segments_taken == 0) break;
    for (std::size_t i = 0; i < accelerator.queue.size();) {
      const AssignmentId queued = accelerator.queue[i];
      if (state_.assignments[queued.slot].jobs.front() != id) {
        ++i;
        continue;
      }
      accelerator.queue.erase(accelerator.queue.begin() + static_cast<std::ptrdiff_t>(i));
      --job.segments_taken;
      FreeAssignment(queued);
      RefreshBelief(accelerator);
    }
  }
  if (job.segments_taken == 0) ReleaseJob(id);
}

void SchedulingEngine::DropLateJobs() {
  while (!deadlines_.empty() && deadlines_.front().at < state_.now) {
    const Due due = deadlines_.front();
    PopHeap(deadlines_);
    const Job& job = state_.jobs[due.job.index()];
    if (job.serial == due.serial && job.active) GiveUp(due.job, Reason::kLate);
  }
}

// ---- Segments ------------------------------------------------------------------------------

bool SchedulingEngine::Ended(AssignmentId id) const {
  return id.slot >= state_.assignments.size() || state_.assignments[id.slot].id != id ||
         state_.assignments[id.slot].state != Assignment::State::kRunning;
}

void SchedulingEngine::LeaveAccelerator(Assignment& assignment) {
  AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
  std::erase(accelerator.running, assignment.id);
  if (accelerator.online) accelerator.free_units += assignment.units;
  RefreshBelief(accelerator);
}

void SchedulingEngine::Apply(const SegmentFinish& finish) {
  if (recorder_ != nullptr) Record(finish);
  if (Ended(finish.assignment)) return;
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
  if (Ended(failure.assignment)) return;
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

void SchedulingEngine::RefreshBelief(AcceleratorState& accelerator) {
  Instant free = state_.now;
  for (AssignmentId id : accelerator.running) {
    const Assignment& running = state_.assignments[id.slot];
    free = std::max(free, running.start + running.believed_latency);
  }
  for (AssignmentId id : accelerator.queue) free += state_.assignments[id.slot].believed_latency;
  accelerator.believed_free = free;
}

// ---- Who is there --------------------------------------------------------------------------

void SchedulingEngine::Apply(const AcceleratorLoss& loss) {
  Record(loss);
  AcceleratorState& accelerator = state_.accelerators[loss.accelerator.index()];
  if (!accelerator.online) return;
  accelerator.online = false;
  accelerator.free_units = 0;
  Notify({.kind = EventKind::kAcceleratorLeft, .accelerator = loss.accelerator});
  const std::vector<AssignmentId> running = std::exchange(accelerator.running, {});
  const std::vector<AssignmentId> queue = std::exchange(accelerator.queue, {});
  for (AssignmentId id : running) {
    backend_.Abort(state_.assignments[id.slot]);
    Interrupt(id);
  }
  for (AssignmentId id : queue) Interrupt(id);
  RefreshBelief(accelerator);
}

void SchedulingEngine::Apply(const AcceleratorReturn& back) {
  Record(back);
  AcceleratorState& accelerator = state_.accelerators[back.accelerator.index()];
  if (accelerator.online) return;
  accelerator.online = true;
  accelerator.free_units = accelerator.units;
  accelerator.last_network = {};
  Notify({.kind = EventKind::kAcceleratorJoined, .accelerator = back.accelerator});
}

void SchedulingEngine::Apply(const TenantJoin& join) {
  Record(join);
  state_.tenants.push_back(join.tenant);
  Notify({.kind = EventKind::kTenantJoined, .tenant = TenantId{state_.tenants.size() - 1}});
}

void SchedulingEngine::Apply(const TenantLeave& leave) {
  Record(leave);
  for (std::size_t a = 0; a < state_.ledger.size(); ++a) {
    const AgreementId id{a};
    if (state_.ledger.Promise(id).tenant == leave.tenant && state_.ledger.IsOpen(id))
      state_.ledger.Close(id);
  }
  Notify({.kind = EventKind::kTenantLeft, .tenant = leave.tenant});
}

void SchedulingEngine::Apply(const AgreementStart& start) {
  Record(start);
  const AgreementId id = state_.ledger.Add(start.agreement);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = id});
}

void SchedulingEngine::Apply(const AgreementChange& change) {
  Record(change);
  state_.ledger.Change(change.id, change.agreement);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = change.id});
}

void SchedulingEngine::Apply(const AgreementEnd& end) {
  Record(end);
  state_.ledger.Close(end.id);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = end.id});
}

void SchedulingEngine::Apply(const PolicyChange& change) {
  Record(change);
  CHECK(policy_factory_ != nullptr);
  auto policy = policy_factory_(change.policy);
  CHECK_MSG(policy.has_value(), policy.error().message);  // names are checked when read
  policy_ = std::move(*policy);
  state_.newly_ready = state_.ready;
  Notify({.kind = EventKind::kPolicyChanged});
}

void SchedulingEngine::Apply(const Reservation& reservation) {
  Record(reservation);
  AcceleratorState& accelerator = state_.accelerators[reservation.accelerator.index()];
  CHECK(accelerator.free_units == accelerator.units);
  accelerator.free_units = 0;
  accelerator.believed_free = state_.now + reservation.expected;
}

void SchedulingEngine::Apply(const Release& release) {
  Record(release);
  AcceleratorState& accelerator = state_.accelerators[release.accelerator.index()];
  // It may have gone, and come back and begun something else, meanwhile.
  if (!accelerator.online || !accelerator.running.empty()) return;
  accelerator.free_units = accelerator.units;
  accelerator.last_network = {};
  accelerator.believed_free = state_.now;
}

void SchedulingEngine::Apply(const Input& input) {
  std::visit([this](const auto& what) { Apply(what); }, input);
}

// ---- Decisions -----------------------------------------------------------------------------

void SchedulingEngine::Decide() {
  if (options_.late == LateJobs::kDrop) DropLateJobs();
  plan_.Clear();
  if (counters_.decisions % kDecisionsPerTiming == 0) {
    const Stopwatch stopwatch;
    policy_->Decide(view(), plan_);
    decision_times_.Add(static_cast<std::uint64_t>(stopwatch.ElapsedNanoseconds()));
  } else {
    policy_->Decide(view(), plan_);
  }
  ++counters_.decisions;
  decided_at_ = state_.now;
  changed_ = false;
  state_.newly_ready.clear();
  if (recorder_ != nullptr) recorder_->Decided(plan_);
}

Status SchedulingEngine::Commit() {
  if (recorder_ != nullptr) recorder_->Committed();
  const bool held = decided_at_ != state_.now;
  const bool changed_meanwhile = changed_;
  for (const PlanEntry& entry : plan_.entries()) {
    const std::string wrong = WhatIsWrong(plan_, entry);
    if (wrong.empty()) {
      CarryOut(plan_, entry);
      continue;
    }
    if (held) {
      ++counters_.stale_entries;
    } else {
      ++counters_.plan_faults;
      if (options_.wrong_plan == WrongPlan::kStop) {
        std::string text = fmt::format("policy {} made a wrong plan at {} ns: {}\nThe plan:\n",
                                       policy_->Name(), Nanoseconds(state_.now), wrong);
        for (const PlanEntry& line : plan_.entries()) {
          text +=
              fmt::format("{} {}\n", &line == &entry ? " >" : "  ", Describe(state_, plan_, line));
        }
        return Fail("{}", text);
      }
    }
    TakeBack(plan_, entry);
  }
  counters_.deferrals += state_.ready.size();
  plan_.Clear();
  // What a plan itself causes is known to the policy that made it; only outside events count.
  changed_ = changed_meanwhile;
  return {};
}

std::string SchedulingEngine::WhatIsWrong(const SchedulingPlan& plan,
                                          const PlanEntry& entry) const {
  for (JobId id : plan.JobsOf(entry)) {
    if (id.index() >= state_.jobs.size() || !state_.jobs[id.index()].active)
      return fmt::format("job {} is not there", id.value);
  }
  switch (entry.verb) {
    case Verb::kStart:
    case Verb::kEnqueue: return WrongWithStart(plan, entry);
    case Verb::kDrop:
      return state_.jobs[plan.JobsOf(entry).front().index()].started()
                 ? ""
                 : "drop of a job that did not start: reject it";
    case Verb::kReject:
      return state_.jobs[plan.JobsOf(entry).front().index()].started()
                 ? "reject of a job that started: drop it"
                 : "";
    case Verb::kWake: return entry.at > state_.now ? "" : "wake-up is not in the future";
    case Verb::kResize: {
      if (Ended(entry.assignment)) return "resize of something that does not run";
      const Assignment& assignment = state_.assignments[entry.assignment.slot];
      const AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
      if (entry.options.units < 1 ||
          entry.options.units - assignment.units > accelerator.free_units)
        return fmt::format("resize to {} units: only {} more are free", entry.options.units,
                           accelerator.free_units);
      if (state_.beliefs->Find(assignment.network, assignment.segment, accelerator.kind,
                               {entry.options.units, assignment.batch()}) == nullptr)
        return fmt::format("no cost for {} units", entry.options.units);
      return "";
    }
  }
  return "unknown verb";
}

std::string SchedulingEngine::WrongWithStart(const SchedulingPlan& plan,
                                             const PlanEntry& entry) const {
  const auto jobs = plan.JobsOf(entry);
  if (jobs.empty()) return "no job";
  if (entry.accelerator.index() >= state_.accelerators.size()) return "no such accelerator";
  const AcceleratorState& accelerator = state_.accelerators[entry.accelerator.index()];
  if (!accelerator.online) return "the accelerator is away";
  const int units = entry.options.units == 0 ? accelerator.units : entry.options.units;
  if (units < 0 || units > accelerator.units || entry.options.bandwidth_cap < 0)
    return fmt::format("{} units, but the accelerator has {}", units, accelerator.units);
  if (entry.verb == Verb::kStart && (units > accelerator.free_units || !accelerator.queue.empty()))
    return fmt::format("{} units, but {} are free", units, accelerator.free_units);
  const NetworkId network = state_.jobs[jobs.front().index()].network;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = state_.jobs[jobs[i].index()];
    if (job.network != network) return "a batch of different networks";
    if (entry.segment.index() >= initial_states_[network.index()].size() ||
        !view().IsReady(jobs[i], entry.segment))
      return fmt::format("segment {} of request {} is not ready", entry.segment.value, job.request);
    if (std::ranges::find(jobs.first(i), jobs[i]) != jobs.first(i).end())
      return fmt::format("request {} stands twice in a batch", job.request);
  }
  const KindId kind = accelerator.kind;
  const bool possible = state_.beliefs->Find(network, entry.segment, kind,
                                             {units, static_cast<int>(jobs.size())}) != nullptr;
  return possible ? "" : fmt::format("segment {} cannot run there so", entry.segment.value);
}

void SchedulingEngine::CarryOut(const SchedulingPlan& plan, const PlanEntry& entry) {
  switch (entry.verb) {
    case Verb::kStart: return Run(NewAssignment(plan, entry));
    case Verb::kEnqueue: {
      const AssignmentId id = NewAssignment(plan, entry);
      AcceleratorState& accelerator = state_.accelerators[entry.accelerator.index()];
      accelerator.queue.push_back(id);
      RefreshBelief(accelerator);
      return RunQueue(entry.accelerator);
    }
    case Verb::kResize: {
      Assignment& assignment = state_.assignments[entry.assignment.slot];
      AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
      accelerator.free_units -= entry.options.units - assignment.units;
      const Duration before = assignment.believed_latency;
      assignment.units = entry.options.units;
      assignment.believed_latency =
          state_.beliefs
              ->Find(assignment.network, assignment.segment, accelerator.kind,
                     {assignment.units, assignment.batch()})
              ->latency;
      // The share that is believed to be left takes as long as it does with the new units.
      const Duration left = std::max(assignment.start + before - state_.now, Duration::zero());
      const double share = before.count() == 0 ? 0.0 : Seconds(left) / Seconds(before);
      const Duration left_now{static_cast<std::int64_t>(
          share * static_cast<double>(assignment.believed_latency.count()))};
      assignment.believed_latency = state_.now - assignment.start + left_now;
      backend_.Resize(assignment);
      RefreshBelief(accelerator);
      return RunQueue(assignment.accelerator);
    }
    case Verb::kDrop:
    case Verb::kReject: return GiveUp(plan.JobsOf(entry).front(), entry.reason);
    case Verb::kWake: return PushHeap(wakes_, entry.at);
  }
}

// A policy that keeps its own queue has taken the segment out of it: show it again.
void SchedulingEngine::TakeBack(const SchedulingPlan& plan, const PlanEntry& entry) {
  if (entry.verb != Verb::kStart && entry.verb != Verb::kEnqueue) return;
  for (JobId id : plan.JobsOf(entry)) {
    if (id.index() >= state_.jobs.size()) continue;
    const Job& job = state_.jobs[id.index()];
    if (!job.active || entry.segment.index() >= initial_states_[job.network.index()].size())
      continue;
    if (view().IsReady(id, entry.segment))
      state_.newly_ready.push_back({id, entry.segment, state_.now});
  }
}

AssignmentId SchedulingEngine::NewAssignment(const SchedulingPlan& plan, const PlanEntry& entry) {
  std::uint32_t slot = 0;
  if (free_assignments_.empty()) {
    slot = static_cast<std::uint32_t>(state_.assignments.size());
    state_.assignments.emplace_back();
  } else {
    slot = free_assignments_.back();
    free_assignments_.pop_back();
  }
  const auto jobs = plan.JobsOf(entry);
  const AcceleratorState& accelerator = state_.accelerators[entry.accelerator.index()];
  Assignment& assignment = state_.assignments[slot];
  assignment.id = {slot, assignment.id.generation + 1};
  assignment.accelerator = entry.accelerator;
  assignment.network = state_.jobs[jobs.front().index()].network;
  assignment.segment = entry.segment;
  assignment.units = entry.options.units == 0 ? accelerator.units : entry.options.units;
  assignment.bandwidth_cap = entry.options.bandwidth_cap;
  assignment.jobs.assign(jobs.begin(), jobs.end());
  assignment.state = Assignment::State::kEnqueued;
  assignment.believed_latency = state_.beliefs
                                    ->Find(assignment.network, entry.segment, accelerator.kind,
                                           {assignment.units, assignment.batch()})
                                    ->latency;
  for (JobId id : jobs) {
    RemoveReady(id, entry.segment);
    ++state_.jobs[id.index()].segments_taken;
  }
  return assignment.id;
}

void SchedulingEngine::Run(AssignmentId id) {
  Assignment& assignment = state_.assignments[id.slot];
  AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
  assignment.state = Assignment::State::kRunning;
  assignment.start = state_.now;
  accelerator.free_units -= assignment.units;
  accelerator.running.push_back(id);
  for (JobId job_id : assignment.jobs) {
    Job& job = state_.jobs[job_id.index()];
    if (!job.started()) job.first_start = state_.now;
  }
  counters_.segments_started += assignment.jobs.size();
  backend_.Start(assignment);
  accelerator.last_network = assignment.network;
  RefreshBelief(accelerator);
  Notify({.kind = EventKind::kSegmentStarted,
          .assignment = id,
          .accelerator = assignment.accelerator});
}

void SchedulingEngine::RunQueue(AcceleratorId accelerator_id) {
  AcceleratorState& accelerator = state_.accelerators[accelerator_id.index()];
  while (!accelerator.queue.empty() &&
         state_.assignments[accelerator.queue.front().slot].units <= accelerator.free_units) {
    const AssignmentId next = accelerator.queue.front();
    accelerator.queue.erase(accelerator.queue.begin());
    Run(next);
  }
}

}  // namespace fairlead
