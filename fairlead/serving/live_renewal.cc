// How a LiveWorld goes on with another engine.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/serving/live_world.h"

namespace fairlead {
namespace {

// What an engine must be told, with the same networks, tenants and agreements, to know as much.
std::vector<Input> WhatHasHappened(const SystemState& state) {
  std::vector<Input> inputs;
  for (std::size_t a = 0; a < state.ledger.size(); ++a) {
    const AgreementId id{a};
    if (state.ledger.IsOpen(id)) {
      inputs.emplace_back(AgreementContinue{id, state.ledger.History(id)});
    } else {
      inputs.emplace_back(AgreementEnd{id});
    }
  }
  for (std::size_t n = 0; n < state.networks.size(); ++n)
    if (state.unloaded[n]) inputs.emplace_back(NetworkUnload{NetworkId{n}});
  for (std::size_t a = 0; a < state.accelerators.size(); ++a)
    if (!state.accelerators[a].online) inputs.emplace_back(AcceleratorLoss{AcceleratorId{a}});
  return inputs;
}

}  // namespace

EngineCounters Sum(const EngineCounters& a, const EngineCounters& b) {
  return {.decisions = a.decisions + b.decisions,
          .segments_finished = a.segments_finished + b.segments_finished,
          .segments_started = a.segments_started + b.segments_started,
          .moves = a.moves + b.moves,
          .moved_bytes = a.moved_bytes + b.moved_bytes,
          .take_overs = a.take_overs + b.take_overs,
          .deferrals = a.deferrals + b.deferrals,
          .plan_faults = a.plan_faults + b.plan_faults,
          .stale_entries = a.stale_entries + b.stale_entries};
}

GuardBooks Sum(const GuardBooks& ended, const GuardBooks& now) {
  GuardBooks sum = now;
  for (std::size_t i = 0; i < sum.strikes.size(); ++i) sum.strikes[i] += ended.strikes[i];
  sum.fallbacks += ended.fallbacks;
  sum.returns += ended.returns;
  sum.ended_spells += ended.ended_spells;
  return sum;
}

// Nobody outside knows a job or an assignment of this engine by its number.
bool LiveWorld::Quiet(Instant now) const {
  // What ran on an accelerator when it was lost may still be about to report.
  constexpr Duration kLastReports = std::chrono::seconds{1};
  if (!engine_->Drained() || !NothingRuns() || driver_.took_over() || driver_.guard().fallen())
    return false;
  if (engine_->ChangedSinceDecision() || !inbox_.empty()) return false;
  return lost_at_ == Instant{} || now - lost_at_ > kLastReports;
}

Status LiveWorld::RenewIfDue(Instant now) {
  if (!setup_.renewal.has_value() || !Quiet(now) || !setup_.renewal->due(now)) return {};
  auto policy = setup_.policies(driver_.guard().policy());
  if (!policy.has_value()) return {};  // it was given by hand; it goes on
  return Renew(std::move(*policy), now);
}

Status LiveWorld::Renew(std::unique_ptr<SchedulingPolicy> policy, Instant now) {
  const SystemState& state = engine_->state();
  auto ground = std::make_unique<Ground>(Ground{
      {state.networks.begin(), state.networks.end()},
      state.beliefs->Among(state.networks, std::vector<bool>(state.beliefs->kinds(), true))});
  EngineWorld world{.platform = state.platform,
                    .networks = ground->networks,
                    .beliefs = &ground->beliefs,
                    .tenants = state.tenants,
                    .agreements = {}};
  for (std::size_t a = 0; a < state.ledger.size(); ++a)
    world.agreements.push_back(state.ledger.Promise(AgreementId{a}));
  const std::vector<Input> rest = WhatHasHappened(state);
  const std::string name(policy->Name());
  auto engine =
      std::make_unique<SchedulingEngine>(world, setup_.engine, std::move(policy), backend_);
  auto inputs = std::make_unique<CheckedInputs>(*engine, setup_.policies);
  engine->Advance(now);
  for (const Input& input : rest)
    if (!inputs->Apply(input).has_value()) return {};  // the old one goes on

  if (RunRecorder* const recorder = setup_.renewal->begin(
          {.world = world, .policy = driver_.guard().policy(), .policy_name = name, .now = now})) {
    recorder->Advanced(now);
    for (const Input& input : rest) recorder->Applied(input);
  }
  for (std::size_t a = 0; a < state.ledger.size(); ++a)
    // Whoever gave it up has gone; the next may do so again.
    if (state.ledger.IsSacrificed(AgreementId{a})) busy_.PromiseRestored(AgreementId{a}, now);
  earlier_.counters = Sum(earlier_.counters, engine_->counters());
  earlier_.guard = Sum(earlier_.guard, engine_->guard_books());
  earlier_.decision_times.Add(engine_->decision_times());
  engine->set_listener(&busy_);
  engine->set_recorder(setup_.recorder);
  inputs_ = std::move(inputs);
  engine_ = std::move(engine);
  driver_.UseEngine(*engine_);
  ground_ = std::move(ground);
  return DecideAndCommit();
}

}  // namespace fairlead
