// The guard: watches the policy of a run, and lets a fallback take over from one that errs.
//
// Three things are strikes:
//   wrong-plan      an entry of a plan cannot be carried out
//   slow-decision   a decision took longer than `decision`
//   idle-machine    nothing ran for `idle`, although something was ready all that time that could
//                   have run and, begun at once, made its deadline
// When the last `strikes` of them lie within `within`, the fallback takes over, and after `back`
// the policy comes back, made anew and without strikes. The fallback is not judged: there is nobody
// behind it. A policy that somebody chooses meanwhile is the one that is guarded from then on.
//
// It stands beside the engine, in the world: what it does goes into the engine as an input, like
// everything that cannot be computed again, and so it is recorded and replays. It never speaks to
// a policy that does not err, so that such a run is the same without it.
//
// Cost: O(1) for a decision that leaves something running; where all is idle and something waits, a
// walk over what is ready until it finds something that could run. Nothing is allocated before a
// strike.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

// What counts as the time of a decision in a simulation; a live world has the real time only.
enum class DecisionClock : std::uint8_t {
  kCharged,  // what the scenario charges for it, so that equal runs stay equal
  kReal,     // or what it really takes, if that is longer
};

// By DecisionClock.
inline constexpr std::array<std::string_view, 2> kDecisionClockNames = {"charged", "real"};

struct GuardOptions {
  std::string fallback;  // name and options
  Duration decision = std::chrono::milliseconds{1};
  Duration idle = std::chrono::milliseconds{10};
  int strikes = 3;
  Duration within = std::chrono::seconds{10};
  std::optional<Duration> back = std::chrono::seconds{10};  // none: never
  DecisionClock clock = DecisionClock::kCharged;
};

class PolicyGuard {
 public:
  // The policy that is guarded, by name and options: whom the guard lets come back.
  PolicyGuard(GuardOptions options, std::string policy);

  const GuardOptions& options() const { return options_; }

  // These say what is to be applied to the engine now, in this order. Valid until the next call.

  // A plan that it took so long to make has just been carried out.
  std::span<const GuardAct> AfterCommit(const SchedulingEngine& engine, Duration took);
  // The next timer is due. Not while a plan is held: thinking is no idleness.
  std::span<const GuardAct> OnTimer(const SchedulingEngine& engine);

  // The next instant at which OnTimer wants to be called, no sooner; kNever: none.
  Instant NextTimer() const { return fallen_ ? back_at_ : judged_idle_at_; }

  // Somebody else has chosen another policy.
  void PolicyChanged(std::string policy);

 private:
  void Strike(StrikeCause cause, Instant now);
  void ForgetStrikes();
  void WatchIdleness(const SystemState& state);
  void JudgeIdleness(const SystemState& state);
  bool Burns(const SystemState& state, const ReadySegment& segment) const;

  GuardOptions options_;
  std::string policy_;
  std::vector<GuardAct> acts_;
  std::uint64_t plan_faults_ = 0;  // that it has seen
  // The last instants with a strike, the oldest at next_strike_; kNever: not that many yet.
  std::vector<Instant> strikes_;
  std::size_t next_strike_ = 0;
  Instant idle_since_ = kNever;      // a plan left all idle although something could run
  Instant judged_idle_at_ = kNever;  // when that is looked at next
  bool fallen_ = false;
  Instant back_at_ = kNever;
};

// For people: "strike: slow-decision", "edf-share takes over", "fcfs-h is back".
std::string Describe(const GuardAct& act);

}  // namespace fairlead
