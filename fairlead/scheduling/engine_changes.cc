// What changes around an engine that runs: accelerators, tenants, agreements, the policy.
#include <algorithm>
#include <functional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/heap.h"
#include "fairlead/scheduling/engine.h"

namespace fairlead {

// What becomes of jobs whose deadline has passed, where they are not finished.

// Those of jobs that have ended are left there until they come up, or are most of all.
void SchedulingEngine::RememberDeadline(JobId id) {
  constexpr std::size_t kFew = 64;
  const Job& job = state_.jobs[id.index()];
  if (deadlines_.size() > kFew + 2 * active_jobs_) {
    std::erase_if(deadlines_, [&](const Due& due) { return IsStale(due); });
    std::ranges::make_heap(deadlines_, std::greater<>{});
  }
  PushHeap(deadlines_, Due{job.deadline, job.serial, id});
}

void SchedulingEngine::DropLateJobs() {
  while (!deadlines_.empty() && deadlines_.front().at < state_.now) {
    const Due due = deadlines_.front();
    PopHeap(deadlines_);
    if (!IsStale(due)) GiveUp(due.job, Reason::kLate);
  }
}

bool SchedulingEngine::IsStale(const Due& due) const {
  const Job& job = state_.jobs[due.job.index()];
  return job.serial != due.serial || !job.active;
}

void SchedulingEngine::Apply(const Expiry& expiry) {
  Record(expiry);
  if (options_.late == LateJobs::kDrop) DropLateJobs();
}

Instant SchedulingEngine::NextExpiry() {
  while (!deadlines_.empty() && IsStale(deadlines_.front())) PopHeap(deadlines_);
  return deadlines_.empty() ? kNever : deadlines_.front().at + Duration{1};
}

namespace {

// A platform that loses and finds its kinds in more ways than this derives some of them again.
constexpr std::size_t kMostSetsKept = 64;

}  // namespace

void SchedulingEngine::Apply(const AcceleratorLoss& loss) {
  Record(loss);
  AcceleratorState& accelerator = state_.accelerators[loss.accelerator.index()];
  if (!accelerator.online) return;
  accelerator.online = false;
  accelerator.free_units = 0;
  FollowOnline();
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
  accelerator.last_job = 0;
  FollowOnline();
  Notify({.kind = EventKind::kAcceleratorJoined, .accelerator = back.accelerator});
}

// Only a change of the set of kinds costs something, and a set that was met before no derivation.
void SchedulingEngine::FollowOnline() {
  std::vector<bool> online(beliefs_->kinds());
  for (const AcceleratorState& accelerator : state_.accelerators) {
    if (accelerator.online) online[accelerator.kind.index()] = true;
  }
  if (online == online_kinds_) return;
  online_kinds_ = std::move(online);
  DeriveBeliefs();
}

void SchedulingEngine::DeriveBeliefs() {
  ++state_.beliefs_version;
  if (std::ranges::find(online_kinds_, false) == online_kinds_.end()) {
    state_.beliefs = beliefs_;
  } else {
    auto found = among_kinds_.find(online_kinds_);
    if (found == among_kinds_.end()) {
      if (among_kinds_.size() == kMostSetsKept) among_kinds_.clear();
      found = among_kinds_.emplace(online_kinds_, beliefs_->Among(state_.networks, online_kinds_))
                  .first;
    }
    state_.beliefs = &found->second;
  }
  for (std::size_t j = 0; j < state_.jobs.size(); ++j) CountWorkLeft(state_.jobs[j]);
}

void SchedulingEngine::CountWorkLeft(Job& job) {
  if (job.serial == 0) return;  // nobody has the slot
  job.work_left = {};
  for (std::size_t s = 0; s < initial_states_[job.network.index()].size(); ++s) {
    if ((state_.segment_states[job.first_state + s] & SegmentState::kMask) != SegmentState::kDone)
      job.work_left += state_.beliefs->Fastest(job.network, SegmentId{s});
  }
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
    if (state_.ledger.Promise(id).tenant != leave.tenant || !state_.ledger.IsOpen(id)) continue;
    Restore(id);
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
  if (!change.agreement.IsPromised()) Restore(change.id);
  state_.ledger.Change(change.id, change.agreement);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = change.id});
}

void SchedulingEngine::Apply(const AgreementEnd& end) {
  Record(end);
  Restore(end.id);
  state_.ledger.Close(end.id);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = end.id});
}

void SchedulingEngine::Apply(const AgreementContinue& going_on) {
  Record(going_on);
  state_.ledger.Continue(going_on.id, going_on.history);
  Notify({.kind = EventKind::kAgreementChanged, .agreement = going_on.id});
}

void SchedulingEngine::Apply(const NetworkUnload& unload) {
  Record(unload);
  state_.unloaded[unload.network.index()] = true;
  for (std::size_t j = 0; j < state_.jobs.size(); ++j) {
    if (!state_.jobs[j].active || state_.jobs[j].network != unload.network) continue;
    Notify({.kind = EventKind::kJobCancelled, .job = JobId{j}});
    GiveUp(JobId{j}, Reason::kCancelled);
  }
}

void SchedulingEngine::Apply(const NetworkLoad& load) {
  Record(load);
  state_.unloaded[load.network.index()] = false;
}

void SchedulingEngine::Apply(const NetworkAdd& add) {
  Record(add);
  if (own_networks_.empty()) own_networks_.assign(state_.networks.begin(), state_.networks.end());
  own_networks_.push_back(NetworkGraph::Chain(add.network.name, add.network.segments.size()));
  state_.networks = own_networks_;
  state_.unloaded.push_back(false);
  AddInitialStates(own_networks_.back());
  own_beliefs_ = std::make_unique<CostTable>(WithNetwork(*beliefs_, own_networks_, add.network));
  beliefs_ = own_beliefs_.get();
  among_kinds_.clear();
  DeriveBeliefs();
  CountReady();
  TakeOver(std::string(policy_->Name()));
}

// Affinities have other numbers when networks have come.
void SchedulingEngine::CountReady() {
  state_.ready_by_affinity.assign(state_.beliefs->affinities(), 0);
  for (const ReadySegment& ready : state_.ready)
    ++state_.ready_by_affinity[state_.beliefs->Affinity(state_.jobs[ready.job.index()].network,
                                                        ready.segment)];
}

void SchedulingEngine::Apply(const BeliefChange& change) {
  Record(change);
  if (own_beliefs_ == nullptr) own_beliefs_ = std::make_unique<CostTable>(*beliefs_);
  own_beliefs_->SetLatency(RowOf(change), state_.networks[change.network.index()]);
  beliefs_ = own_beliefs_.get();
  among_kinds_.clear();
  DeriveBeliefs();
}

void SchedulingEngine::Apply(const PolicyChange& change) {
  Record(change);
  EndFallback();
  TakeOver(change.policy);
}

void SchedulingEngine::TakeOver(std::string_view name) {
  CHECK(policy_factory_ != nullptr);
  auto policy = policy_factory_(name);
  CHECK_MSG(policy.has_value(), policy.error().message);  // names are checked when read
  policy_ = std::move(*policy);
  for (std::size_t a = 0; a < state_.ledger.size(); ++a) Restore(AgreementId{a});
  state_.newly_ready = state_.ready;
  shown_all_ = true;
  Notify({.kind = EventKind::kPolicyChanged});
}

void SchedulingEngine::Apply(const GuardRules& rules) {
  Record(rules);
  options_.wrong_plan = WrongPlan::kSkip;
}

void SchedulingEngine::Apply(const GuardStrike& strike) {
  Record(strike);
  ++guard_books_.strikes[static_cast<std::size_t>(strike.cause)];
  if (listener_ != nullptr) listener_->GuardActed(strike, state_.now);
}

void SchedulingEngine::Apply(const GuardFallback& fallback) {
  Record(fallback);
  ++guard_books_.fallbacks;
  guard_books_.fallen_since = std::min(guard_books_.fallen_since, state_.now);
  if (listener_ != nullptr) listener_->GuardActed(fallback, state_.now);
  TakeOver(fallback.policy);
}

void SchedulingEngine::Apply(const GuardReturn& back) {
  Record(back);
  ++guard_books_.returns;
  EndFallback();
  if (listener_ != nullptr) listener_->GuardActed(back, state_.now);
  TakeOver(back.policy);
}

void SchedulingEngine::EndFallback() {
  guard_books_.ended_spells = guard_books_.UnderFallback(state_.now);
  guard_books_.fallen_since = kNever;
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
  accelerator.last_job = 0;
  accelerator.believed_free = state_.now;
}

}  // namespace fairlead
