// The loop around the engine. Simulated and live worlds run the same one.
//
// The driver owns everything that both worlds do alike: requests of the source and changes of the
// timeline enter when they are due, the guard acts, decisions are made and committed, and a run in
// which nothing can happen any more is noticed. For each instant a world calls
//
//   driver.Advance(now);
//   driver.ApplyEvents(now);           // changes, the world's own events, requests: in this order
//   if (driver.OpenDecision()) {       // the guard's timer comes first
//     driver.Decide(clock);            // the plan is held
//     driver.Commit();                 // now, or at a later instant
//   }
//
// A world supplies its own events and says how inputs reach the engine (a live world checks them):
//
//   void ApplyChange(const Input&);         // of the timeline, or advice; then NoteInput
//   void ApplyOwnEvents(Instant now);       // completions, messages of clients
//   void ApplyArrival(const Arrival&);      // of the source
//   void ApplyGuardAct(const GuardAct&);
//   bool NothingRuns() const;
//
// It is a template so that a simulated world pays nothing for these calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/scheduling/advisor.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/guard.h"
#include "fairlead/scheduling/run_setup.h"

namespace fairlead {

// Ends every job. Its jobs get no other outcome.
inline void CancelJobs(SchedulingEngine& engine) {
  const std::vector<Job>& jobs = engine.state().jobs;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].active) engine.Apply(Cancellation{{JobId{j}, jobs[j].serial}});
  }
}

template <typename World>
class EngineDriver {
 public:
  // None is owned; all outlive the driver.
  EngineDriver(World& world, const RunSetup& setup, SchedulingEngine& engine)
      : world_(world), setup_(setup), engine_(&engine), guard_(setup.guard, setup.policy) {
    CHECK(!guard_.on() ||
          (setup.engine.wrong_plan == WrongPlan::kSkip && setup.policies != nullptr));
  }

  // Before the first instant.
  void Begin() {
    if (setup_.requests != nullptr) next_request_ = setup_.requests->Next();
  }
  // Goes on with another engine that knows the same.
  void UseEngine(SchedulingEngine& engine) { engine_ = &engine; }

  // An input has been applied that is neither the guard's nor a request of the source.
  void NoteInput(const Input& input) {
    guard_.NoteInput(input, *engine_);
    if (setup_.advisor != nullptr) setup_.advisor->NoteInput(input);
  }

  const PolicyGuard& guard() const { return guard_; }
  bool plan_held() const { return plan_held_; }
  // A policy took over after the decision of this instant, and is to be asked as well.
  bool took_over() const { return took_over_; }
  bool HasRequests() const { return next_request_.has_value(); }
  // Neither a request of the source nor a change of the timeline is left.
  bool NothingToCome() const {
    return !next_request_.has_value() && next_input_ == setup_.timeline.size();
  }

  // When there is something to do next, if the world has something at `of_world`: a timer of the
  // engine, an event of its own. `open`: clients may still come.
  Instant NextInstant(Instant of_world, bool open) const {
    if (took_over_) return engine_->state().now;
    Instant next = of_world;
    if (next_request_.has_value()) next = std::min(next, next_request_->arrival);
    if (next_input_ < setup_.timeline.size())
      next = std::min(next, setup_.timeline[next_input_].at);
    if (plan_held_) return next;
    if (next != kNever && setup_.advisor != nullptr)
      next = std::min(next, setup_.advisor->NextTimer());
    // What the fallback never starts waits for no other policy: the next might not be the last.
    const bool over = next == kNever && !open && guard_.fallen();
    return over ? next : std::min(next, guard_.NextTimer());
  }

  void Advance(Instant now) {
    engine_->Advance(now);
    took_over_ = false;
    started_nothing_ = false;
  }

  void ApplyEvents(Instant now) {
    while (next_input_ < setup_.timeline.size() && setup_.timeline[next_input_].at <= now)
      world_.ApplyChange(setup_.timeline[next_input_++].input);
    world_.ApplyOwnEvents(now);
    while (next_request_.has_value() && next_request_->arrival <= now) {
      const Arrival arrival{*next_request_};
      world_.ApplyArrival(arrival);
      if (setup_.advisor != nullptr) setup_.advisor->NoteInput(arrival);
      next_request_ = setup_.requests->Next();
    }
  }

  // True: the policy is to be asked now. Never while a plan is held.
  bool OpenDecision() {
    if (plan_held_) return false;
    if (setup_.advisor != nullptr && !guard_.fallen()) {
      if (auto advice = setup_.advisor->Advise(*engine_); advice.has_value())
        world_.ApplyChange(PolicyChange{std::move(*advice)});
    }
    if (guard_.on()) ApplyGuardActs(guard_.OnTimer(*engine_));
    return !Stranded() && engine_->DecisionDue();
  }

  // Asks the policy. The guard wants to know how long that takes: `clock` returns an Instant.
  template <typename Clock>
  void Decide(const Clock& clock) {
    took_over_ = false;
    plan_held_ = true;
    decided_at_ = engine_->state().now;
    if (!guard_.on()) return engine_->Decide();
    const Instant begun = clock();
    engine_->Decide();
    thought_ = clock() - begun;
  }

  Status Commit() {
    plan_held_ = false;
    const std::uint64_t stale = engine_->counters().stale_entries;
    RETURN_IF_ERROR(engine_->Commit());
    if (guard_.on()) {
      const Duration held = engine_->state().now - decided_at_;
      ApplyGuardActs(guard_.AfterCommit(*engine_, std::max(held, thought_)));
    }
    started_nothing_ = setup_.engine.period > Duration::zero() &&
                       !engine_->ChangedSinceDecision() &&
                       engine_->counters().stale_entries == stale && world_.NothingRuns();
    return {};
  }

  // With a period there is always a next epoch. But when a plan that knew all that has happened
  // started nothing, and nothing else will happen, the plan of the next epoch will not either.
  bool Stranded() const {
    return started_nothing_ && !engine_->ChangedSinceDecision() && NothingToCome() &&
           !engine_->Drained() && engine_->NextWake() == kNever && !took_over_ &&
           (guard_.fallen() || guard_.NextTimer() == kNever);
  }

  // Nothing will ever happen again, and jobs are left: ends them, if accelerators are gone for
  // good. Fails if all accelerators are there: then it is the policy's fault.
  Status EndStrandedJobs() {
    const SystemState& state = engine_->state();
    if (std::ranges::all_of(state.accelerators, &AcceleratorState::online))
      return Fail("policy {} left {} jobs waiting although nothing keeps them from running",
                  engine_->policy_name(), std::ranges::count(state.jobs, true, &Job::active));
    CancelJobs(*engine_);
    return {};
  }

 private:
  void ApplyGuardActs(std::span<const GuardAct> acts) {
    for (const GuardAct& act : acts) {
      world_.ApplyGuardAct(act);
      took_over_ = took_over_ || !std::holds_alternative<GuardStrike>(act);
    }
  }

  World& world_;
  const RunSetup& setup_;
  SchedulingEngine* engine_;
  PolicyGuard guard_;
  std::optional<Request> next_request_;
  std::size_t next_input_ = 0;
  bool plan_held_ = false;
  Instant decided_at_{};
  Duration thought_{};  // about it, by the clock that Decide was given
  bool took_over_ = false;
  bool started_nothing_ = false;  // the plan of this instant, and nothing has happened since
};

}  // namespace fairlead
