#include "fairlead/serving/live_world.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"

namespace fairlead {

LiveWorld::LiveWorld(LiveSetup setup, std::unique_ptr<SchedulingPolicy> policy)
    : setup_(std::move(setup)),
      backend_({.platform = setup_.world.platform,
                .truth = setup_.truth,
                .clock = setup_.clock,
                .work = setup_.work,
                .enter = setup_.enter,
                .forget = setup_.forget,
                .report = [this](Input input) { inbox_.Put(std::move(input)); }}),
      engine_(setup_.world, setup_.engine, std::move(policy), backend_),
      door_open_(setup_.door == FrontDoor::kOpen) {
  engine_.set_listener(setup_.listener);
  engine_.set_recorder(setup_.recorder);
  engine_.set_policy_factory(setup_.policies);
}

// ---- From any thread -----------------------------------------------------------------------

Inbox::Answer LiveWorld::Submit(Request request) {
  if (!door_open_) return Inbox::Answer::kRefused;
  request.arrival = setup_.clock->Now();
  return inbox_.Put(Arrival{request});
}

void LiveWorld::Close() {
  door_open_ = false;
  inbox_.Wake();
}

void LiveWorld::Stop() {
  stopping_ = true;
  inbox_.Wake();
}

// ---- The loop ------------------------------------------------------------------------------

Status LiveWorld::Run() {
  Status status = Turns();
  Finish();
  return status;
}

Status LiveWorld::Turns() {
  if (setup_.requests != nullptr) next_request_ = setup_.requests->Next();
  while (!Over()) {
    if (Stranded()) return EndStrandedJobs();
    inbox_.Take(*setup_.clock, NextInstant(), batch_);
    const Instant now = setup_.clock->Now();
    RETURN_IF_ERROR(PassEpoch(now));
    engine_.Advance(now);
    ApplyEvents(now);
    RETURN_IF_ERROR(DecideAndCommit());
  }
  return {};
}

bool LiveWorld::Over() const {
  if (stopping_) return true;
  // The door is looked at before the inbox: what was put in before it closed is seen.
  return !door_open_ && !next_request_.has_value() && engine_.Drained() && Idle() && inbox_.empty();
}

// Nothing will ever happen again, and jobs are left.
bool LiveWorld::Stranded() const {
  return !door_open_ && NextInstant() == kNever && Idle() && inbox_.empty();
}

bool LiveWorld::Idle() const {
  const auto idle = [](const AcceleratorState& accelerator) { return accelerator.running.empty(); };
  return std::ranges::all_of(engine_.state().accelerators, idle);
}

Instant LiveWorld::NextInstant() const {
  Instant next = engine_.NextTimer();
  if (next_request_.has_value()) next = std::min(next, next_request_->arrival);
  if (next_input_ < setup_.timeline.size()) next = std::min(next, setup_.timeline[next_input_].at);
  return next;
}

// Decisions with a period are made at multiples of it, and a real clock never shows one exactly:
// opens the last that has passed since the engine wanted one, with what was known by then.
Status LiveWorld::PassEpoch(Instant now) {
  const Duration period = setup_.engine.period;
  if (period == Duration::zero() || engine_.NextTimer() > now) return {};
  engine_.Advance(now - now.time_since_epoch() % period);
  return DecideAndCommit();
}

void LiveWorld::ApplyEvents(Instant now) {
  while (next_input_ < setup_.timeline.size() && setup_.timeline[next_input_].at <= now)
    engine_.Apply(setup_.timeline[next_input_++].input);
  ApplyBatch();
  while (next_request_.has_value() && next_request_->arrival <= now) {
    engine_.Apply(Arrival{*next_request_});
    next_request_ = setup_.requests->Next();
  }
}

void LiveWorld::ApplyBatch() {
  for (const Input& input : batch_) {
    if (const Arrival* const arrival = std::get_if<Arrival>(&input))
      CHECK(arrival->request.agreement.index() < engine_.state().ledger.size());
    engine_.Apply(input);
  }
}

Status LiveWorld::DecideAndCommit() {
  if (!engine_.DecisionDue()) return {};
  engine_.Decide();
  return engine_.Commit();
}

// ---- The end -------------------------------------------------------------------------------

Status LiveWorld::EndStrandedJobs() {
  const SystemState& state = engine_.state();
  if (!std::ranges::all_of(state.accelerators, &AcceleratorState::online)) return {};
  return Fail("policy {} left {} jobs waiting although nothing keeps them from running",
              engine_.policy_name(), std::ranges::count(state.jobs, true, &Job::active));
}

void LiveWorld::Finish() {
  door_open_ = false;
  backend_.Stop();
  inbox_.Close(batch_);
  if (!batch_.empty() || !engine_.Drained()) {
    engine_.Advance(setup_.clock->Now());
    ApplyBatch();
    CancelJobs();
  }
  ExecutionTotals totals = backend_.totals();
  totals_ = {.end = engine_.state().now,
             .energy_pj = totals.energy_pj,
             .traffic_bytes = totals.traffic_bytes,
             .busy = std::move(totals.busy)};
}

void LiveWorld::CancelJobs() {
  const std::vector<Job>& jobs = engine_.state().jobs;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].active) engine_.Apply(Cancellation{{JobId{j}, jobs[j].serial}});
  }
}

}  // namespace fairlead
