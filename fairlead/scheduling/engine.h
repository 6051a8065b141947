// The scheduling engine: applies events, asks the policy, checks the plan, informs the backend,
// and keeps the books (readiness, occupancy, deadlines, hits, fairness).
//
// It is single-threaded and deterministic and does not know whether it is simulated or live: time
// is handed in, and the world around it calls, for each instant,
//
//   engine.Advance(now);
//   engine.Apply(...);                     // everything that happened at this instant
//   if (engine.DecisionDue()) {
//     engine.Decide();                     // asks the policy; the plan is held
//     engine.Commit();                     // carries it out, now or at a later instant
//   }
//
// and comes back no later than NextTimer(). A policy cannot corrupt a metric: whatever it plans is
// checked here, and a new policy gets all accounting for nothing.
//
// Cost: a segment costs O(1) beside the policy's own work; nothing scans the ready segments, and
// after warm-up nothing is allocated.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/base/result.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class LateJobs : std::uint8_t { kFinish, kDrop };
enum class WrongPlan : std::uint8_t { kStop, kSkip };

struct EngineOptions {
  Duration period{};                  // zero: decide after every instant with events
  LateJobs late = LateJobs::kFinish;  // what becomes of a job whose deadline has passed
  Instant measured_from{};            // requests that arrive earlier are warm-up
  WrongPlan wrong_plan = WrongPlan::kStop;
  std::uint32_t failure_limit = 3;  // failed segments after which a job is given up
};

// The fixed part of a world, and who is there when it begins. The graphs, the platform and the
// beliefs are not owned and outlive the engine.
struct EngineWorld {
  const Platform* platform = nullptr;
  std::span<const NetworkGraph> networks;
  const CostTable* beliefs = nullptr;
  std::vector<Tenant> tenants;
  std::vector<ServiceAgreement> agreements;
};

struct EngineCounters {
  std::uint64_t decisions = 0;
  std::uint64_t segments_finished = 0;
  std::uint64_t segments_started = 0;
  std::uint64_t moves = 0;          // boundaries at which a job went to another accelerator
  double moved_bytes = 0;           // there
  std::uint64_t take_overs = 0;     // starts where another job, or none, had begun last
  std::uint64_t deferrals = 0;      // ready segments that a committed plan left waiting, summed
  std::uint64_t plan_faults = 0;    // entries that were wrong
  std::uint64_t stale_entries = 0;  // entries overtaken by events while the plan was held
};

// What a guard (guard.h) has done so far.
struct GuardBooks {
  std::array<std::uint64_t, kStrikeNames.size()> strikes{};  // by StrikeCause
  std::uint64_t fallbacks = 0;                               // times that the fallback took over
  std::uint64_t returns = 0;                                 // times that the policy came back
  Duration ended_spells{};                                   // under the fallback
  Instant fallen_since = kNever;                             // kNever: not under the fallback

  std::uint64_t Strikes(StrikeCause cause) const {
    return strikes[static_cast<std::size_t>(cause)];
  }
  Duration UnderFallback(Instant now) const {
    return ended_spells + (fallen_since == kNever ? Duration{} : now - fallen_since);
  }
};

class SchedulingEngine {
 public:
  using PolicyFactory = std::function<Result<std::unique_ptr<SchedulingPolicy>>(std::string_view)>;

  SchedulingEngine(EngineWorld world, const EngineOptions& options,
                   std::unique_ptr<SchedulingPolicy> policy, ExecutionBackend& backend);

  // Optional, not owned, set before the first event.
  void set_listener(RunListener* listener) { listener_ = listener; }
  void set_recorder(RunRecorder* recorder) { recorder_ = recorder; }
  void set_policy_factory(PolicyFactory factory) { policy_factory_ = std::move(factory); }

  // Opens an instant. Never backwards.
  void Advance(Instant now);

  // The ledger says whether the request is covered. One that its contract refuses has ended when
  // this returns: the listener hears of it, the policy does not.
  JobHandle Apply(const Arrival& arrival);
  void Apply(const Cancellation& cancellation);  // of a job that has ended: ignored
  void Apply(const Expiry& expiry);
  void Apply(const SegmentFinish& finish);    // stale ones are ignored
  void Apply(const SegmentFailure& failure);  // likewise
  void Apply(const AcceleratorLoss& loss);    // what runs or waits there is ready again
  void Apply(const AcceleratorReturn& back);
  void Apply(const TenantJoin& join);
  void Apply(const TenantLeave& leave);
  void Apply(const AgreementStart& start);
  void Apply(const AgreementChange& change);
  void Apply(const AgreementEnd& end);
  void Apply(const AgreementContinue& going_on);
  void Apply(const NetworkUnload& unload);
  void Apply(const NetworkLoad& load);
  void Apply(const NetworkAdd& add);  // needs a policy factory that knows the policy in charge
  void Apply(const BeliefChange& change);
  void Apply(const PolicyChange& change);  // needs a policy factory that knows the name
  void Apply(const GuardRules& rules);     // wrong plans do not stop the run any more
  void Apply(const GuardStrike& strike);
  void Apply(const GuardFallback& fallback);   // needs one too
  void Apply(const GuardReturn& back);         // likewise
  void Apply(const Reservation& reservation);  // of an idle accelerator
  void Apply(const Release& release);
  void Apply(const Input& input);

  // Something changed since the last decision, and decisions may happen at this instant.
  bool DecisionDue() const;
  // Ends what is late, where late jobs are dropped, for those who look at the view before Decide,
  // which does so anyway.
  void PrepareDecision();
  void Decide();
  // Fails when the plan is wrong and wrong plans stop the run: the message shows the plan.
  Status Commit();

  // The next instant at which the engine wants to be advanced by itself: a wake-up or an epoch.
  Instant NextTimer() const;
  Instant NextWake() const { return wakes_.empty() ? kNever : wakes_.front(); }
  // The first instant at which an Expiry finds something; kNever: none, or late jobs are finished.
  Instant NextExpiry();
  // Something has happened that the policy has not been asked about.
  bool ChangedSinceDecision() const { return changed_; }
  // Nothing is admitted that has not ended.
  bool Drained() const { return active_jobs_ == 0; }

  SystemView view() const { return SystemView(state_); }
  const SystemState& state() const { return state_; }
  const EngineCounters& counters() const { return counters_; }
  const GuardBooks& guard_books() const { return guard_books_; }
  // In nanoseconds of real time; not every decision is timed.
  const Histogram& decision_times() const { return decision_times_; }
  std::string_view policy_name() const { return policy_->Name(); }

 private:
  struct Due {
    Instant at;
    std::uint64_t serial;
    JobId job;
    friend bool operator>(const Due& a, const Due& b) {
      return a.at != b.at ? a.at > b.at : a.serial > b.serial;
    }
  };

  // The policy was asked at this instant.
  bool DecidedNow() const { return counters_.decisions > 0 && decided_at_ == state_.now; }
  void Record(const Input& input);
  void Notify(const Event& event);
  void TakeOver(std::string_view policy);
  void EndFallback();
  JobId NewJob(const Request& request);
  void ReleaseJob(JobId id);
  void LeaveQueues(JobId id);
  void MakeReady(JobId id, SegmentId segment);
  void RemoveReady(JobId id, SegmentId segment);
  bool IsRefused(const Job& job) const;
  void Refuse(JobId id);
  void CloseBooks(Job& job, Outcome outcome, Reason reason);
  void EndJob(JobId id, Outcome outcome, Reason reason);
  void GiveUp(JobId id, Reason reason);
  void DropLateJobs();
  bool IsStale(const Due& due) const;
  void RememberDeadline(JobId id);
  void CutUnwanted(JobId id);
  void Sacrifice(AgreementId id);
  void Restore(AgreementId id);  // of one that is not sacrificed: nothing

  // What is wrong with an entry of a plan; the words are found only if something is.
  struct PlanFault {
    enum class Kind : std::uint32_t {
      kNone,
      kJobGone,
      kDropOfUnstarted,
      kRejectOfStarted,
      kWakeInPast,
      kResizeOfIdle,
      kResizeTooLarge,
      kResizeWithoutCost,
      kNoJob,
      kNoAccelerator,
      kAcceleratorAway,
      kTooManyUnits,
      kUnitsNotFree,
      kMixedBatch,
      kNotReady,
      kTwiceInBatch,
      kStartWithoutCost,
      kNoAgreement,
      kNoPromise,
      kSacrificedBefore,
      kNotSacrificed,
    } kind = Kind::kNone;
    std::uint32_t job = 0;  // of the entry: which one is at fault
  };
  PlanFault FaultOf(const SchedulingPlan& plan, const PlanEntry& entry) const;
  PlanFault FaultOfSacrifice(const PlanEntry& entry) const;
  PlanFault FaultOfStart(const SchedulingPlan& plan, const PlanEntry& entry) const;
  std::string Explain(PlanFault fault, const SchedulingPlan& plan, const PlanEntry& entry) const;
  Status WrongPlanStatus(PlanFault fault, const PlanEntry& entry) const;
  void CarryOut(const SchedulingPlan& plan, const PlanEntry& entry);
  void Reconfigured(Assignment& assignment);
  void TakeBack(const SchedulingPlan& plan, const PlanEntry& entry);
  void MakeRoom();
  AssignmentId NewAssignment(const SchedulingPlan& plan, const PlanEntry& entry);
  void Run(AssignmentId id);
  void RunQueue(AcceleratorId accelerator);
  // It is there, and was when the policy made the plan: another may have taken its slot since.
  bool IsKnown(const Job& job) const { return job.active && job.serial < known_serials_; }
  bool IsRunning(AssignmentId id) const;
  void LeaveAccelerator(Assignment& assignment);
  void Interrupt(AssignmentId id);
  void FreeAssignment(AssignmentId id);
  void RefreshBelief(AcceleratorState& accelerator);
  void AddInitialStates(const NetworkGraph& network);
  void CountReady();
  void FollowOnline();
  void DeriveBeliefs();
  void CountWorkLeft(Job& job);
  Duration AloneLatency(const Assignment& assignment) const;
  void Believe(Assignment& assignment);

  SystemState state_;
  std::vector<NetworkGraph> own_networks_;              // once some were added: all of them
  const CostTable* beliefs_;                            // counting all kinds
  std::unique_ptr<CostTable> own_beliefs_;              // once they have changed: these
  std::vector<bool> online_kinds_;                      // those that state_.beliefs counts
  std::map<std::vector<bool>, CostTable> among_kinds_;  // of the sets met so far
  EngineOptions options_;
  std::unique_ptr<SchedulingPolicy> policy_;
  ExecutionBackend& backend_;
  RunListener* listener_ = nullptr;
  RunRecorder* recorder_ = nullptr;
  PolicyFactory policy_factory_;

  SchedulingPlan plan_;
  Instant decided_at_{};
  bool changed_ = false;
  bool shown_all_ = false;           // newly_ready has all that is ready: the policy is new
  std::uint64_t known_serials_ = 0;  // those below came before the last decision
  std::uint64_t active_jobs_ = 0;
  std::uint64_t next_serial_ = 1;
  std::vector<JobId> free_jobs_;
  std::vector<std::vector<std::uint32_t>> free_states_;  // by network: where a job's states begin
  std::vector<std::vector<std::uint32_t>> initial_states_;  // by network
  std::vector<std::uint32_t> free_assignments_;
  std::vector<Due> deadlines_;  // heap; only if late jobs are dropped
  std::vector<Instant> wakes_;  // heap
  EngineCounters counters_;
  GuardBooks guard_books_;
  Histogram decision_times_;
};

}  // namespace fairlead
