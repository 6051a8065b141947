#include "fairlead/scheduling/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace fairlead {
namespace {

bool IsIdle(const AcceleratorState& accelerator) {
  return accelerator.running.empty() && accelerator.queue.empty();
}

bool StandsIdle(const SystemState& state) {
  return !state.ready.empty() && std::ranges::all_of(state.accelerators, IsIdle);
}

bool CanRunSomewhere(const SystemState& state, NetworkId network, SegmentId segment) {
  return std::ranges::any_of(state.accelerators, [&](const AcceleratorState& accelerator) {
    return accelerator.online && accelerator.free_units == accelerator.units &&
           state.beliefs->Find(network, segment, accelerator.kind, {accelerator.units, 1}) !=
               nullptr;
  });
}

}  // namespace

PolicyGuard::PolicyGuard(std::optional<GuardOptions> options, std::string policy)
    : options_(std::move(options)), policy_(std::move(policy)) {
  acts_.reserve(3);
  ForgetStrikes();
}

std::span<const GuardAct> PolicyGuard::AfterCommit(const SchedulingEngine& engine, Duration took) {
  acts_.clear();
  const SystemState& state = engine.state();
  const std::uint64_t faults = std::exchange(plan_faults_, engine.counters().plan_faults);
  if (fallen_) return acts_;
  if (plan_faults_ > faults) {
    Strike(StrikeCause::kWrongPlan, state.now);
  } else if (took > options_->decision) {
    Strike(StrikeCause::kSlowDecision, state.now);
  }
  if (!fallen_) WatchIdleness(state);
  return acts_;
}

std::span<const GuardAct> PolicyGuard::OnTimer(const SchedulingEngine& engine) {
  acts_.clear();
  const SystemState& state = engine.state();
  if (NextTimer() > state.now) return acts_;
  if (!fallen_) {
    JudgeIdleness(state);
  } else {
    fallen_ = false;
    acts_.emplace_back(GuardReturn{policy_});
  }
  return acts_;
}

void PolicyGuard::NoteInput(const Input& input, const SchedulingEngine& engine) {
  if (const auto* change = std::get_if<PolicyChange>(&input)) {
    policy_ = change->policy;
    fallen_ = false;
    ForgetStrikes();
  } else if (const auto* rules = std::get_if<GuardRules>(&input)) {
    options_ = rules->options;
    plan_faults_ = engine.counters().plan_faults;
    ForgetStrikes();
  }
}

void PolicyGuard::Strike(StrikeCause cause, Instant now) {
  acts_.emplace_back(GuardStrike{cause});
  strikes_[next_strike_] = now;
  next_strike_ = (next_strike_ + 1) % strikes_.size();
  const Instant oldest = strikes_[next_strike_];
  if (oldest == kNever || now - oldest > options_->within) return;
  acts_.emplace_back(GuardFallback{options_->fallback});
  ForgetStrikes();
  fallen_ = true;
  back_at_ = options_->back.has_value() ? now + *options_->back : kNever;
}

void PolicyGuard::ForgetStrikes() {
  strikes_.assign(on() ? static_cast<std::size_t>(options_->strikes) : 0, kNever);
  next_strike_ = 0;
  idle_since_ = kNever;
  judged_idle_at_ = kNever;
}

void PolicyGuard::WatchIdleness(const SystemState& state) {
  if (!StandsIdle(state)) {
    idle_since_ = kNever;
    judged_idle_at_ = kNever;
  } else if (judged_idle_at_ == kNever) {
    idle_since_ = state.now;
    const auto burns = [&](const ReadySegment& segment) { return Burns(state, segment); };
    if (std::ranges::any_of(state.ready, burns)) judged_idle_at_ = state.now + options_->idle;
  } else if (judged_idle_at_ <= state.now) {
    JudgeIdleness(state);
  }
}

void PolicyGuard::JudgeIdleness(const SystemState& state) {
  Instant first = kNever;
  for (const ReadySegment& segment : state.ready) {
    if (Burns(state, segment)) first = std::min(first, std::max(segment.since, idle_since_));
  }
  if (first == kNever) {
    judged_idle_at_ = kNever;
  } else if (state.now - first < options_->idle) {
    judged_idle_at_ = first + options_->idle;
  } else {
    judged_idle_at_ = state.now + options_->idle;
    Strike(StrikeCause::kIdleMachine, state.now);
  }
}

// A promise that was lost while it waited counts as well: that is what the wait did.
bool PolicyGuard::Burns(const SystemState& state, const ReadySegment& segment) const {
  const Job& job = state.jobs[segment.job.index()];
  return job.covered &&
         std::max(segment.since, idle_since_) +
                 state.beliefs->ShortestTail(job.network, segment.segment) <=
             job.deadline &&
         CanRunSomewhere(state, job.network, segment.segment);
}

std::string Describe(const GuardAct& act) {
  if (const auto* strike = std::get_if<GuardStrike>(&act))
    return fmt::format("strike: {}", ToString(strike->cause));
  if (const auto* fallback = std::get_if<GuardFallback>(&act))
    return fmt::format("{} takes over", fallback->policy);
  return fmt::format("{} is back", std::get<GuardReturn>(act).policy);
}

}  // namespace fairlead
