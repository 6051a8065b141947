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

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

class PolicyGuard {
 public:
  // Without options nobody is guarded, until somebody wishes it. The policy goes by its name and
  // options: that is whom the guard lets come back.
  PolicyGuard(std::optional<GuardOptions> options, std::string policy);

  const std::string& policy() const { return policy_; }
  bool fallen() const { return fallen_; }  // the fallback is in charge
  bool on() const { return options_.has_value(); }
  DecisionClock clock() const { return options_->clock; }  // if it is on

  // Both are for a guard that is on, and say what is to be applied to the engine now, in this
  // order. Valid until the next call.

  // A plan that it took so long to make has just been carried out.
  std::span<const GuardAct> AfterCommit(const SchedulingEngine& engine, Duration took);
  // The next timer is due. Not while a plan is held: thinking is no idleness.
  std::span<const GuardAct> OnTimer(const SchedulingEngine& engine);

  // The next instant at which OnTimer wants to be called, no sooner; kNever: none.
  Instant NextTimer() const { return fallen_ ? back_at_ : judged_idle_at_; }

  // An input that is not the guard's has been applied: perhaps another policy was chosen, or other
  // rules. Those begin without strikes; a fallback that is in charge has its time.
  void NoteInput(const Input& input, const SchedulingEngine& engine);

 private:
  void Strike(StrikeCause cause, Instant now);
  void ForgetStrikes();
  void WatchIdleness(const SystemState& state);
  void JudgeIdleness(const SystemState& state);
  bool Burns(const SystemState& state, const ReadySegment& segment) const;

  std::optional<GuardOptions> options_;
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
