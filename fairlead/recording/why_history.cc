#include "fairlead/recording/why_history.h"

#include <algorithm>
#include <variant>

#include "fairlead/domain/tenant.h"
#include "fairlead/scheduling/guard.h"
#include "fairlead/scheduling/machine_share.h"

namespace fairlead {
namespace {

std::size_t& At(std::vector<std::size_t>& by_slot, std::uint32_t slot) {
  if (by_slot.size() <= slot) by_slot.resize(slot + 1, SIZE_MAX);
  return by_slot[slot];
}

SacrificeGrounds GroundsOf(const SystemView& view, AgreementId id) {
  const FairnessLedger& ledger = view.ledger();
  const auto stake = [&](const ServiceAgreement& promise) {
    return promise.penalty / std::max(MachineSeconds(view, promise.network), 1e-12);
  };
  const ServiceAgreement& given_up = ledger.Promise(id);
  SacrificeGrounds grounds{.promised = PromisedShare(given_up),
                           .received = ledger.Current(id).HitRateOr(PromisedShare(given_up)),
                           .penalty = given_up.penalty,
                           .stake = stake(given_up)};
  for (std::size_t a = 0; a < ledger.size(); ++a) {
    const ServiceAgreement& promise = ledger.Promise(AgreementId{a});
    if (!promise.IsPromised() || !ledger.IsOpen(AgreementId{a})) continue;
    ++grounds.promises;
    if (ledger.IsSacrificed(AgreementId{a})) ++grounds.given_up;
    if (AgreementId{a} == id) continue;
    const double other = stake(promise);
    if (other < grounds.stake) ++grounds.cheaper;
    if (other == grounds.stake) ++grounds.alike;
  }
  return grounds;
}

}  // namespace

// Called before the input takes effect: what it is tells how segments end then.
void RequestHistory::Applied(const Input& input) {
  reserved_.resize(state_->accelerators.size());
  finishing_ = std::holds_alternative<SegmentFinish>(input);
  if (const auto* reservation = std::get_if<Reservation>(&input)) {
    reserved_[reservation->accelerator.index()] = true;
    Use(reservation->accelerator, Spell::Use::kDecision);
  } else if (const auto* release = std::get_if<Release>(&input)) {
    reserved_[release->accelerator.index()] = false;
    EndUse(release->accelerator, Spell::Use::kDecision);
  } else if (const auto* loss = std::get_if<AcceleratorLoss>(&input)) {
    if (state_->accelerators[loss->accelerator.index()].online)
      Use(loss->accelerator, Spell::Use::kAway);
  } else if (const auto* back = std::get_if<AcceleratorReturn>(&input)) {
    EndUse(back->accelerator, Spell::Use::kAway);
  } else if (std::holds_alternative<PolicyChange>(input)) {
    fallback_.clear();
  }
}

void RequestHistory::GuardActed(const GuardAct& act, Instant now) {
  if (const auto* fallback = std::get_if<GuardFallback>(&act)) fallback_ = fallback->policy;
  if (std::holds_alternative<GuardReturn>(act)) fallback_.clear();
  if (began_ && !ended_) guard_notes_.push_back({now, Describe(act)});
}

void RequestHistory::PromiseSacrificed(AgreementId agreement, Instant now) {
  if (last_sacrifice_.size() <= agreement.index()) last_sacrifice_.resize(agreement.index() + 1);
  SacrificeSpell& spell = last_sacrifice_[agreement.index()];
  spell = {
      .since = now, .fallback = fallback_, .grounds = GroundsOf(SystemView(*state_), agreement)};
  if (IsItsPromise(agreement)) sacrifices_.push_back(spell);
}

void RequestHistory::PromiseRestored(AgreementId agreement, Instant now) {
  if (IsItsPromise(agreement)) sacrifices_.back().until = now;
}

void RequestHistory::Begin(JobHandle job) {
  began_ = true;
  handle_ = job;
  admitted_ = state_->now;
  if (refused_ == job.serial) {
    ended_ = true;
    return;
  }
  job_ = state_->jobs[job.id.index()];
  if (job_.covered && state_->ledger.IsSacrificed(job_.agreement))
    sacrifices_.push_back(last_sacrifice_.at(job_.agreement.index()));
  if (!fallback_.empty()) guard_notes_.push_back({admitted_, fallback_ + " is in charge"});
  for (std::size_t a = 0; a < state_->accelerators.size(); ++a) {
    const AcceleratorState& accelerator = state_->accelerators[a];
    for (AssignmentId id : accelerator.running) Open(state_->assignments[id.slot]);
    if (!accelerator.online) Use(AcceleratorId{a}, Spell::Use::kAway);
    if (reserved_[a]) Use(AcceleratorId{a}, Spell::Use::kDecision);
  }
}

void RequestHistory::BreakOff() {
  job_ = state_->jobs[handle_.id.index()];
  end_ = state_->now;
}

bool RequestHistory::IsOurs(const Assignment& assignment) const {
  return std::ranges::find(assignment.jobs, handle_.id) != assignment.jobs.end();
}

// A belief that is wrong may be shorter than what all segments have in common.
Duration RequestHistory::HandingOver(const Assignment& assignment, KindId kind) const {
  return std::min(state_->beliefs->hand_overs().HandOver(kind),
                  assignment.believed_latency - assignment.hand_over.cost());
}

// The network that ran there before is still to be seen while the engine calls.
void RequestHistory::Start(const Assignment& assignment) {
  if (!began_ || ended_) return;
  Open(assignment);
  if (!IsOurs(assignment)) return;
  const AcceleratorState& accelerator = state_->accelerators[assignment.accelerator.index()];
  At(open_try_, assignment.id.slot) = tries_.size();
  tries_.push_back({.segment = assignment.segment,
                    .accelerator = assignment.accelerator,
                    .units = assignment.units,
                    .batch = assignment.batch(),
                    .start = state_->now,
                    .going_on = {.handing_over = HandingOver(assignment, accelerator.kind),
                                 .taking_over = assignment.hand_over.take_over,
                                 .moving = assignment.hand_over.move}});
  tries_.back().alone = assignment.believed_latency - tries_.back().going_on.sum();
  if (accelerator.last_network != assignment.network)
    tries_.back().switching = state_->beliefs->Switching(accelerator.kind).latency;
}

void RequestHistory::Resize(const Assignment& assignment) {
  if (!began_ || ended_) return;
  const std::size_t spell = At(open_spell_, assignment.id.slot);
  if (spell != kNone) spells_[spell].end = state_->now;
  Open(assignment);
  if (const std::size_t ours = At(open_try_, assignment.id.slot); ours != kNone) {
    tries_[ours].units = assignment.units;
    tries_[ours].alone =
        std::max(assignment.believed_latency - tries_[ours].going_on.sum(), Duration::zero());
  }
}

void RequestHistory::SegmentEnded(const Assignment& assignment, Instant now) {
  if (!began_ || ended_) return;
  if (std::size_t& spell = At(open_spell_, assignment.id.slot); spell != kNone) {
    spells_[spell].end = now;
    spell = kNone;
  }
  if (std::size_t& ours = At(open_try_, assignment.id.slot); ours != kNone) {
    tries_[ours].end = now;
    tries_[ours].how = finishing_ ? Try::End::kFinished : Try::End::kFailed;
    ours = kNone;
  }
}

void RequestHistory::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  if (!began_ && reason == Reason::kUncovered) {
    refused_ = job.serial;
  } else if (!began_ || ended_ || job.serial != handle_.serial) {
    return;
  } else {
    ended_ = true;
  }
  job_ = job;
  outcome_ = outcome;
  reason_ = reason;
  end_ = now;
}

void RequestHistory::Open(const Assignment& assignment) {
  const Job& job = state_->jobs[assignment.jobs.front().index()];
  At(open_spell_, assignment.id.slot) = spells_.size();
  spells_.push_back({.accelerator = assignment.accelerator,
                     .units = assignment.units,
                     .start = state_->now,
                     .request = job.request,
                     .tenant = job.tenant,
                     .network = job.network});
}

void RequestHistory::Use(AcceleratorId accelerator, Spell::Use use) {
  if (!began_ || ended_) return;
  spells_.push_back({.use = use,
                     .accelerator = accelerator,
                     .units = state_->accelerators[accelerator.index()].units,
                     .start = state_->now});
}

void RequestHistory::EndUse(AcceleratorId accelerator, Spell::Use use) {
  if (!began_ || ended_) return;
  const auto last = std::find_if(spells_.rbegin(), spells_.rend(), [&](const Spell& spell) {
    return spell.use == use && spell.accelerator == accelerator;
  });
  if (last != spells_.rend() && last->end == kNever) last->end = state_->now;
}

}  // namespace fairlead
