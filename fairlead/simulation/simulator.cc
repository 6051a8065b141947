#include "fairlead/simulation/simulator.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/stopwatch.h"

namespace fairlead {
namespace {

// Time while all others read memory over that alone.
double PressedOf(const SegmentCost& cost) {
  return cost.latency > Duration::zero() ? Seconds(cost.Pressed()) / Seconds(cost.latency) : 1;
}

}  // namespace

Simulator::Simulator(SimulationSetup setup, std::unique_ptr<SchedulingPolicy> policy)
    : setup_(std::move(setup)),
      engine_(setup_.world, setup_.engine, std::move(policy), *this),
      driver_(*this, setup_, engine_),
      progress_(*setup_.interference),
      last_network_(setup_.world.platform->accelerators.size()) {
  engine_.set_listener(setup_.listener);
  engine_.set_recorder(setup_.recorder);
  engine_.set_policy_factory(setup_.policies);
  totals_.busy.resize(last_network_.size());
  totals_.hand_overs.resize(last_network_.size());
}

Status Simulator::Run() {
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, RunToDecision());
  }
  return {};
}

Result<bool> Simulator::RunToDecision() {
  if (stage_ == Stage::kNew) driver_.Begin();
  if (stage_ == Stage::kBeforeDecision) {
    RETURN_IF_ERROR(DecideAndCommit());
    RETURN_IF_ERROR(EndInstant());
  } else if (stage_ != Stage::kOver) {
    stage_ = Stage::kBetweenInstants;
  }
  while (stage_ != Stage::kOver && !IsOver()) {
    ASSIGN_OR_RETURN(const bool due, OpenInstant());
    if (due) {
      stage_ = Stage::kBeforeDecision;
      return true;
    }
    if (stage_ != Stage::kOver) RETURN_IF_ERROR(EndInstant());
  }
  stage_ = Stage::kOver;
  totals_.end = now_;
  return false;
}

// What runs of a dropped job finishes too.
bool Simulator::IsOver() const {
  return !driver_.HasRequests() && engine_.Drained() && !driver_.plan_held() && progress_.empty();
}

// Takes in all that happens at the next instant; true: the policy is to be asked.
Result<bool> Simulator::OpenInstant() {
  if (setup_.stop.stop_requested()) {
    totals_.interrupted = true;
    stage_ = Stage::kOver;
    return false;
  }
  const Instant now = NextInstant();
  if (now == kNever) {
    stage_ = Stage::kOver;
    RETURN_IF_ERROR(driver_.EndStrandedJobs());
    return false;
  }
  if (now >= Instant{kLongestDuration})
    return Fail("the run does not end within 146 years: is a latency or the bandwidth wrong?");
  now_ = now;
  driver_.Advance(now);
  driver_.ApplyEvents(now);
  if (driver_.plan_held() && commit_at_ <= now) RETURN_IF_ERROR(Commit());
  if (!driver_.OpenDecision() || !CanDecide()) return false;
  ready_ = engine_.state().ready.size();
  engine_.PrepareDecision();
  return true;
}

Status Simulator::EndInstant() {
  stage_ = Stage::kBetweenInstants;
  progress_.Update(now_);
  if (driver_.Stranded()) {
    stage_ = Stage::kOver;
    return driver_.EndStrandedJobs();
  }
  if (StandsStill())
    return Fail("policy {} was asked {} times with nothing left to happen, and started nothing",
                engine_.policy_name(), kMostIdleTurns);
  return {};
}

Instant Simulator::NextInstant() const {
  Instant timer = engine_.NextTimer();
  // An epoch that passed without a decision, because one is still under way or its accelerator is
  // busy, is made up for at the next.
  if (timer <= now_ && setup_.engine.period > Duration::zero()) timer += setup_.engine.period;
  const Instant next = driver_.NextInstant(
      std::min(progress_.NextFinish(), std::min(timer, commit_at_)), /*open=*/false);
  return next == kNever ? kNever : std::max(next, now_);
}

void Simulator::ApplyOwnEvents(Instant now) {
  if (progress_.NextFinish() > now) return;
  for (const ProgressTracker::Completion& completion : progress_.Finishing()) {
    if (completion.id == kDecision) {
      progress_.Remove(kDecision);
      last_network_[setup_.charge.accelerator.index()] = {};
      engine_.Apply(Release{setup_.charge.accelerator});
      commit_at_ = now;
      continue;
    }
    const Assignment& assignment = engine_.state().assignments[completion.id.slot];
    if (assignment.id != completion.id || assignment.state != Assignment::State::kRunning)
      continue;  // aborted at this very instant
    CountBusy(assignment);
    progress_.Finish(completion);
    engine_.Apply(SegmentFinish{completion.id});
  }
}

// A decision that is made on an accelerator is made when that one is free.
bool Simulator::CanDecide() const {
  const AcceleratorId where = setup_.charge.accelerator;
  if (!where.valid() || setup_.charge.For(engine_.state().ready.size()) == Duration::zero())
    return true;
  const AcceleratorState& accelerator = engine_.state().accelerators[where.index()];
  return !accelerator.online || accelerator.free_units == accelerator.units;
}

Status Simulator::DecideAndCommit() {
  const Duration charge = setup_.charge.For(ready_);
  if (!driver_.guard().on() || driver_.guard().clock() == DecisionClock::kCharged) {
    driver_.Decide([] { return Instant{}; });
  } else {
    const Stopwatch stopwatch;
    driver_.Decide([&] { return AtNanoseconds(stopwatch.ElapsedNanoseconds()); });
  }
  if (charge == Duration::zero()) return Commit();
  const AcceleratorId where = setup_.charge.accelerator;
  if (!where.valid() || !engine_.state().accelerators[where.index()].online) {
    commit_at_ = now_ + charge;
    return {};
  }
  engine_.Apply(Reservation{where, charge});
  const auto times = static_cast<std::int64_t>(ready_);
  progress_.Add(kDecision,
                {.accelerator = where,
                 .units = engine_.state().accelerators[where.index()].units,
                 .demand = DemandOf(setup_.charge.bytes_per_ready * times, charge)},
                charge, now_);
  totals_.policy_energy_pj +=
      static_cast<double>(setup_.charge.energy_pj_per_ready) * static_cast<double>(times);
  return {};
}

Status Simulator::Commit() {
  commit_at_ = kNever;
  return driver_.Commit();
}

// A policy may wake itself for ever, or be asked at every epoch, in vain.
bool Simulator::StandsStill() {
  if (driver_.plan_held()) return false;  // it may start something
  const bool something = !progress_.empty() || !driver_.NothingToCome() || engine_.Drained() ||
                         driver_.guard().NextTimer() != kNever;
  idle_turns_ = something ? 0 : idle_turns_ + 1;
  return idle_turns_ >= kMostIdleTurns;
}

KindId Simulator::KindOf(const Assignment& assignment) const {
  return setup_.world.platform->accelerators[assignment.accelerator.index()].kind;
}

RunningSegment Simulator::Describe(const Assignment& assignment, const SegmentCost& cost) const {
  RunningSegment segment{.accelerator = assignment.accelerator,
                         .network = assignment.network,
                         .segment = assignment.segment,
                         .units = assignment.units,
                         .demand = DemandOf(cost.dram_bytes, cost.latency),
                         .pressed = PressedOf(cost)};
  if (assignment.bandwidth_cap > 0)
    segment.cap = static_cast<Demand>(assignment.bandwidth_cap) << kDemandBits;
  return segment;
}

// With what it takes to get there. The engine has not noted yet that it begins.
SegmentCost Simulator::CostOfStart(const Assignment& assignment) {
  const KindId kind = KindOf(assignment);
  const NetworkId before =
      std::exchange(last_network_[assignment.accelerator.index()], assignment.network);
  SegmentCost cost = setup_.truth->CostOfStart(assignment.network, assignment.segment, kind,
                                               assignment.configuration(), before);
  HandOver found;
  if (setup_.truth->hand_overs().DependOnPlaces())
    found = FindHandOver(engine_.state(), *setup_.truth, assignment);
  cost.latency += found.cost();

  const double share = static_cast<double>(assignment.units) /
                       setup_.world.platform->UnitsOf(assignment.accelerator);
  const auto time = [share](Duration part) { return share * static_cast<double>(part.count()); };
  HandOverTimes& times = totals_.hand_overs[assignment.accelerator.index()];
  times.boundaries += time(setup_.truth->hand_overs().HandOver(kind));
  times.take_overs += time(found.take_over);
  times.moves += time(found.move);
  if (before != assignment.network) times.switching += time(setup_.truth->Switching(kind).latency);
  return cost;
}

void Simulator::Start(const Assignment& assignment) {
  const SegmentCost cost = CostOfStart(assignment);
  progress_.Add(assignment.id, Describe(assignment, cost), cost.latency, now_);
  if (spells_.size() <= assignment.id.slot) {
    spells_.resize(assignment.id.slot + 1);
    charged_.resize(assignment.id.slot + 1);
  }
  spells_[assignment.id.slot] = {.since = now_, .units = assignment.units};
  charged_[assignment.id.slot] = cost;
  Charge(cost, 1);
}

void Simulator::Charge(const SegmentCost& cost, double share) {
  totals_.energy_pj += share * static_cast<double>(cost.energy_pj);
  totals_.traffic_bytes += share * static_cast<double>(cost.dram_bytes);
}

void Simulator::Resize(const Assignment& assignment) {
  CountBusy(assignment);
  const SegmentCost& cost = *setup_.truth->Find(assignment.network, assignment.segment,
                                                KindOf(assignment), assignment.configuration());
  const double left = progress_.ShareLeft(assignment.id, now_);
  Charge(std::exchange(charged_[assignment.id.slot], cost), -left);
  Charge(cost, left);
  progress_.Resize(assignment.id, Describe(assignment, cost), cost.latency, now_);
}

void Simulator::Abort(const Assignment& assignment) {
  CountBusy(assignment);
  Charge(charged_[assignment.id.slot], -progress_.ShareLeft(assignment.id, now_));
  progress_.Remove(assignment.id);
  last_network_[assignment.accelerator.index()] = {};
}

void Simulator::CountBusy(const Assignment& assignment) {
  BusySpell& spell = spells_[assignment.id.slot];
  const int units = setup_.world.platform->UnitsOf(assignment.accelerator);
  const double share = spell.units == units ? 1.0 : static_cast<double>(spell.units) / units;
  totals_.busy[assignment.accelerator.index()] +=
      share * static_cast<double>((now_ - spell.since).count());
  spell = {.since = now_, .units = assignment.units};
}

}  // namespace fairlead
