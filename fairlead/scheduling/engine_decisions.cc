// The engine's decisions: asking the policy, checking its plan, carrying it out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fairlead/base/heap.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/plan_fields.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

namespace {

// So that sums do not overflow.
constexpr std::int64_t kMostBytes = 4'000'000'000'000'000'000;

}  // namespace

HandOver FindHandOver(const SystemState& state, const CostTable& costs, JobId id, SegmentId segment,
                      AcceleratorId accelerator) {
  const Job& job = state.jobs[id.index()];
  const AcceleratorState& there = state.accelerators[accelerator.index()];
  HandOver found;
  for (SegmentId predecessor : state.networks[job.network.index()].Predecessors(segment)) {
    const AcceleratorId place = state.segment_places[job.first_state + predecessor.index()];
    if (place == accelerator) continue;
    const std::int64_t bytes = costs.AliveBytes(job.network, predecessor);
    const KindId from = state.accelerators[place.index()].kind;
    ++found.moves;
    found.moved_bytes = std::min(found.moved_bytes + bytes, kMostBytes);
    found.move = std::min(found.move + costs.hand_overs().Move(from, there.kind).For(bytes),
                          MoveCost::kLongest);
  }
  found.takes_over = there.last_job != job.serial;
  if (found.takes_over) found.take_over = costs.hand_overs().TakeOver(there.kind);
  return found;
}

HandOver FindHandOver(const SystemState& state, const CostTable& costs,
                      const Assignment& assignment) {
  HandOver sum = FindHandOver(state, costs, assignment.jobs.front(), assignment.segment,
                              assignment.accelerator);
  for (std::size_t i = 1; i < assignment.jobs.size(); ++i) {
    const HandOver one =
        FindHandOver(state, costs, assignment.jobs[i], assignment.segment, assignment.accelerator);
    sum.moves += one.moves;
    sum.moved_bytes = std::min(sum.moved_bytes + one.moved_bytes, kMostBytes);
    sum.move = std::min(sum.move + one.move, MoveCost::kLongest);
  }
  return sum;
}

double FindBesideNow(const SystemState& state, NetworkId network, AcceleratorId accelerator) {
  constexpr std::size_t kMost = 32;  // as models take
  std::array<BesideSlowdowns::Placed, kMost> others;
  std::size_t count = 0;
  for (std::size_t a = 0; a < state.accelerators.size() && count < kMost; ++a) {
    if (AcceleratorId{a} == accelerator || state.accelerators[a].running.empty()) continue;
    const Assignment& running = state.assignments[state.accelerators[a].running.front().slot];
    others[count++] = {running.network, AcceleratorId{a}};
  }
  const BesideSlowdowns& slowdowns = *state.beliefs->slowdowns();
  const BesideSlowdowns::Placed one{network, accelerator};
  return BesideSlowdowns::FactorOf(slowdowns.Beside(one, std::span(others).first(count)) -
                                   slowdowns.Mean(one));
}

double FindUsualSlowdown(const CostTable& beliefs, NetworkId network) {
  return BesideSlowdowns::FactorOf(beliefs.slowdowns()->UsualMean(network));
}

namespace {

// Reading a clock twice costs a tenth of a short decision: one in so many is timed.
constexpr std::uint64_t kDecisionsPerTiming = 8;

}  // namespace

void SchedulingEngine::PrepareDecision() {
  if (options_.late == LateJobs::kDrop) DropLateJobs();
}

void SchedulingEngine::Decide() {
  PrepareDecision();
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
  shown_all_ = false;
  known_serials_ = next_serial_;
  state_.newly_ready.clear();
  if (recorder_ != nullptr) recorder_->Decided(plan_);
}

Status SchedulingEngine::Commit() {
  if (recorder_ != nullptr) recorder_->Committed();
  const bool held = decided_at_ != state_.now;
  const bool changed_meanwhile = changed_;
  for (const PlanEntry& entry : plan_.entries()) {
    // Whom the policy before gave up is nothing to the one that has taken over.
    if (shown_all_ && (entry.verb == Verb::kSacrifice || entry.verb == Verb::kRestore)) {
      ++counters_.stale_entries;
      continue;
    }
    const PlanFault fault = FaultOf(plan_, entry);
    if (fault.kind == PlanFault::Kind::kNone) {
      CarryOut(plan_, entry);
      continue;
    }
    if (held) {
      ++counters_.stale_entries;
    } else {
      ++counters_.plan_faults;
      if (options_.wrong_plan == WrongPlan::kStop) return WrongPlanStatus(fault, entry);
    }
    TakeBack(plan_, entry);
  }
  counters_.deferrals += state_.ready.size();
  plan_.Clear();
  // What a plan itself causes is known to the policy that made it; only outside events count.
  changed_ = changed_meanwhile;
  return {};
}

Status SchedulingEngine::WrongPlanStatus(PlanFault fault, const PlanEntry& entry) const {
  std::string text =
      fmt::format("policy {} made a wrong plan at {} ns: {}\nThe plan:\n", policy_->Name(),
                  Nanoseconds(state_.now), Explain(fault, plan_, entry));
  for (const PlanEntry& line : plan_.entries())
    text += fmt::format("{} {}\n", &line == &entry ? " >" : "  ", Describe(state_, plan_, line));
  return Fail("{}", text);
}

SchedulingEngine::PlanFault SchedulingEngine::FaultOf(const SchedulingPlan& plan,
                                                      const PlanEntry& entry) const {
  using enum PlanFault::Kind;
  const auto jobs = plan.JobsOf(entry);
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].index() >= state_.jobs.size() || !IsKnown(state_.jobs[jobs[i].index()]))
      return {kJobGone, i};
  }
  switch (entry.verb) {
    case Verb::kStart:
    case Verb::kEnqueue: return FaultOfStart(plan, entry);
    case Verb::kDrop:
      return {state_.jobs[jobs.front().index()].started() ? kNone : kDropOfUnstarted};
    case Verb::kReject: {
      // One that has started while the plan was held is dropped.
      const Job& job = state_.jobs[jobs.front().index()];
      return {job.started() && job.first_start <= decided_at_ ? kRejectOfStarted : kNone};
    }
    case Verb::kWake: return {entry.at > state_.now ? kNone : kWakeInPast};
    case Verb::kSacrifice:
    case Verb::kRestore: return FaultOfSacrifice(entry);
    case Verb::kResize: break;
  }
  if (!IsRunning(entry.assignment)) return {kResizeOfIdle};
  const Assignment& assignment = state_.assignments[entry.assignment.slot];
  const AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
  if (entry.options.units < 1 || entry.options.units - assignment.units > accelerator.free_units)
    return {kResizeTooLarge};
  const bool possible =
      state_.beliefs->Find(assignment.network, assignment.segment, accelerator.kind,
                           {entry.options.units, assignment.batch(), assignment.version}) !=
      nullptr;
  return {possible ? kNone : kResizeWithoutCost};
}

SchedulingEngine::PlanFault SchedulingEngine::FaultOfSacrifice(const PlanEntry& entry) const {
  using enum PlanFault::Kind;
  const FairnessLedger& ledger = state_.ledger;
  if (entry.agreement.index() >= ledger.size()) return {kNoAgreement};
  const bool sacrificed = ledger.IsSacrificed(entry.agreement);
  if (entry.verb == Verb::kRestore) return {sacrificed ? kNone : kNotSacrificed};
  if (!ledger.IsOpen(entry.agreement) || !ledger.Promise(entry.agreement).IsPromised())
    return {kNoPromise};
  return {sacrificed ? kSacrificedBefore : kNone};
}

SchedulingEngine::PlanFault SchedulingEngine::FaultOfStart(const SchedulingPlan& plan,
                                                           const PlanEntry& entry) const {
  using enum PlanFault::Kind;
  const auto jobs = plan.JobsOf(entry);
  if (jobs.empty()) return {kNoJob};
  if (entry.accelerator.index() >= state_.accelerators.size()) return {kNoAccelerator};
  const AcceleratorState& accelerator = state_.accelerators[entry.accelerator.index()];
  if (!accelerator.online) return {kAcceleratorAway};
  const int units = entry.options.units == 0 ? accelerator.units : entry.options.units;
  if (units < 0 || units > accelerator.units || entry.options.bandwidth_cap < 0)
    return {kTooManyUnits};
  if (entry.verb == Verb::kStart && (units > accelerator.free_units || !accelerator.queue.empty()))
    return {kUnitsNotFree};
  const NetworkId network = state_.jobs[jobs.front().index()].network;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    if (state_.jobs[jobs[i].index()].network != network) return {kMixedBatch, i};
    if (entry.segment.index() >= initial_states_[network.index()].size() ||
        !view().IsReady(jobs[i], entry.segment))
      return {kNotReady, i};
    if (std::ranges::find(jobs.first(i), jobs[i]) != jobs.first(i).end()) return {kTwiceInBatch, i};
  }
  const Configuration configuration{units, static_cast<int>(jobs.size()), entry.options.version};
  const bool possible =
      state_.beliefs->Find(network, entry.segment, accelerator.kind, configuration) != nullptr;
  return {possible ? kNone : kStartWithoutCost};
}

std::string SchedulingEngine::Explain(PlanFault fault, const SchedulingPlan& plan,
                                      const PlanEntry& entry) const {
  using enum PlanFault::Kind;
  const auto job = [&] { return plan.JobsOf(entry)[fault.job]; };
  const auto request = [&] { return state_.jobs[job().index()].request; };
  const auto accelerator = [&]() -> const AcceleratorState& {
    return state_.accelerators[entry.accelerator.index()];
  };
  const int units = fault.kind == kTooManyUnits || fault.kind == kUnitsNotFree
                        ? (entry.options.units == 0 ? accelerator().units : entry.options.units)
                        : entry.options.units;
  switch (fault.kind) {
    case kNone: return "nothing";
    case kJobGone: return fmt::format("job {} is not there", job().value);
    case kDropOfUnstarted: return "drop of a job that did not start: reject it";
    case kRejectOfStarted: return "reject of a job that started: drop it";
    case kWakeInPast: return "wake-up is not in the future";
    case kResizeOfIdle: return "resize of something that does not run";
    case kResizeTooLarge: {
      const Assignment& assignment = state_.assignments[entry.assignment.slot];
      return fmt::format("resize to {} units: only {} more are free", units,
                         state_.accelerators[assignment.accelerator.index()].free_units);
    }
    case kResizeWithoutCost: return fmt::format("no cost for {} units", units);
    case kNoJob: return "no job";
    case kNoAccelerator: return "no such accelerator";
    case kAcceleratorAway: return "the accelerator is away";
    case kTooManyUnits:
      return fmt::format("{} units, but the accelerator has {}", units, accelerator().units);
    case kUnitsNotFree:
      return fmt::format("{} units, but {} are free", units, accelerator().free_units);
    case kMixedBatch: return "a batch of different networks";
    case kNotReady:
      return fmt::format("segment {} of request {} is not ready", entry.segment.value, request());
    case kTwiceInBatch: return fmt::format("request {} stands twice in a batch", request());
    case kStartWithoutCost:
      return fmt::format("segment {} cannot run there so", entry.segment.value);
    case kNoAgreement: return "no such agreement";
    case kNoPromise: return "sacrifice of an agreement that has no promise, or has ended";
    case kSacrificedBefore: return "sacrifice of a promise that is sacrificed already";
    case kNotSacrificed: return "restore of a promise that is not sacrificed";
  }
  return "unknown fault";
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
      const int before = std::exchange(assignment.units, entry.options.units);
      accelerator.free_units -= assignment.units - before;
      Reconfigured(assignment);
      if (listener_ != nullptr) listener_->SegmentResized(assignment, before, state_.now);
      backend_.Resize(assignment);
      RefreshBelief(accelerator);
      return RunQueue(assignment.accelerator);
    }
    case Verb::kDrop:
    case Verb::kReject: return GiveUp(plan.JobsOf(entry).front(), entry.reason);
    case Verb::kWake: return PushHeap(wakes_, entry.at);
    case Verb::kSacrifice: return Sacrifice(entry.agreement);
    case Verb::kRestore: return Restore(entry.agreement);
  }
}

void SchedulingEngine::Sacrifice(AgreementId id) {
  state_.ledger.Sacrifice(id);
  if (listener_ != nullptr) listener_->PromiseSacrificed(id, state_.now);
}

void SchedulingEngine::Restore(AgreementId id) {
  if (!state_.ledger.IsSacrificed(id)) return;
  state_.ledger.Restore(id);
  if (listener_ != nullptr) listener_->PromiseRestored(id, state_.now);
}

// As it is configured, from start to end.
Duration SchedulingEngine::AloneLatency(const Assignment& assignment) const {
  const KindId kind = state_.accelerators[assignment.accelerator.index()].kind;
  return state_.beliefs
      ->Find(assignment.network, assignment.segment, kind, assignment.configuration())
      ->latency;
}

// As if it began now.
void SchedulingEngine::Believe(Assignment& assignment) {
  assignment.hand_over = FindHandOver(state_, *state_.beliefs, assignment);
  assignment.believed_latency = AloneLatency(assignment) + assignment.hand_over.cost();
  assignment.configured_latency = assignment.believed_latency;
}

void SchedulingEngine::RefreshBelief(AcceleratorState& accelerator) {
  constexpr Instant kFarthest{kLongestDuration};  // sums do not leave the time axis
  Instant free = state_.now;
  for (AssignmentId id : accelerator.running) {
    const Assignment& running = state_.assignments[id.slot];
    free = std::max(free, std::min(running.start + running.believed_latency, kFarthest));
  }
  for (AssignmentId id : accelerator.queue)
    free = std::min(free + state_.assignments[id.slot].believed_latency, kFarthest);
  accelerator.believed_free = free;
}

// The share that is believed to be left takes as long as it does in the new configuration.
void SchedulingEngine::Reconfigured(Assignment& assignment) {
  const Duration left = assignment.BelievedLeft(state_.now);
  const Duration before = assignment.configured_latency;
  const double share = before.count() == 0 ? 0.0 : Seconds(left) / Seconds(before);
  assignment.configured_latency = AloneLatency(assignment);
  const Duration left_now{static_cast<std::int64_t>(
      share * static_cast<double>(assignment.configured_latency.count()))};
  assignment.believed_latency = state_.now - assignment.start + left_now;
}

// A policy that keeps its own queue has taken the segment out of it: show it again.
void SchedulingEngine::TakeBack(const SchedulingPlan& plan, const PlanEntry& entry) {
  if (shown_all_ || (entry.verb != Verb::kStart && entry.verb != Verb::kEnqueue)) return;
  for (JobId id : plan.JobsOf(entry)) {
    if (id.index() >= state_.jobs.size()) continue;
    const Job& job = state_.jobs[id.index()];
    if (!IsKnown(job) || entry.segment.index() >= initial_states_[job.network.index()].size())
      continue;
    if (view().IsReady(id, entry.segment))
      state_.newly_ready.push_back({id, entry.segment, job.serial, state_.now});
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
  assignment.version = entry.options.version;
  assignment.bandwidth_cap = entry.options.bandwidth_cap;
  assignment.state = Assignment::State::kEnqueued;
  assignment.jobs.clear();
  for (JobId id : jobs) {
    assignment.jobs.push_back(id);
    RemoveReady(id, entry.segment);
    ++state_.jobs[id.index()].segments_taken;
  }
  Believe(assignment);
  return assignment.id;
}

void SchedulingEngine::Run(AssignmentId id) {
  Assignment& assignment = state_.assignments[id.slot];
  AcceleratorState& accelerator = state_.accelerators[assignment.accelerator.index()];
  assignment.state = Assignment::State::kRunning;
  assignment.start = state_.now;
  accelerator.free_units -= assignment.units;
  accelerator.running.push_back(id);
  assignment.serials.clear();
  for (JobId job_id : assignment.jobs) {
    Job& job = state_.jobs[job_id.index()];
    assignment.serials.push_back(job.serial);
    if (!job.started()) job.first_start = state_.now;
    state_.segment_places[job.first_state + assignment.segment.index()] = assignment.accelerator;
  }
  counters_.segments_started += assignment.jobs.size();
  counters_.moves += assignment.hand_over.moves;
  counters_.moved_bytes += static_cast<double>(assignment.hand_over.moved_bytes);
  if (assignment.hand_over.takes_over) ++counters_.take_overs;
  backend_.Start(assignment);
  accelerator.last_network = assignment.network;
  accelerator.last_job = assignment.serials.front();
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
    Believe(state_.assignments[next.slot]);  // others may have begun there since
    Run(next);
  }
}

}  // namespace fairlead
