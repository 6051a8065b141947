// The engine's live surroundings: real time, segments on threads, requests from outside.
//
// Many threads have news, and one at a time has the engine. Whoever has it takes turns:
//
//   1. Take the inbox as a whole, then read the clock, once: that is `now`. Whatever was in the
//      inbox has happened by then.
//   2. Advance the engine to `now`; apply the changes that are due, the inbox (as far as it makes
//      sense), and the requests that are due, in this order, as the simulator does.
//   3. Ask the policy if a decision is due, and carry out its plan.
//
// The thread that calls Run takes a turn when a timer, a request or a change is due. Whoever has
// news takes the turn itself: a client that submits, and the thread that has carried out a segment,
// most often its next segment with it. So nobody is woken to pass something on, and at a boundary
// at which nothing changes nobody at all. A thread that finds the engine taken leaves its news in
// the inbox, and whoever has the engine looks there again before it lets go.
//
// Thinking takes the time that it takes; nothing is charged for it. The engine, the policies, the
// recordings and the books are those of the simulator: a recorded live run replays decision for
// decision.
//
// Lateness counts against us. A request of the source keeps the instant at which it was due as its
// arrival, however late the loop comes to release it; its deadline and its response time count from
// there. A request that somebody submits arrives at the moment of submission, not when the loop
// finds it in the inbox. Never does the engine see an arrival that lies in its future.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/base/result.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/segment_run.h"
#include "fairlead/execution/thread_backend.h"
#include "fairlead/scheduling/checked_inputs.h"
#include "fairlead/scheduling/driver.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/serving/admission.h"
#include "fairlead/serving/busy_count.h"
#include "fairlead/serving/client_change.h"
#include "fairlead/serving/inbox.h"

namespace fairlead {

// How a world goes on with another engine, at a moment at which nothing is under way. The new one
// knows all that the old one knew of networks, beliefs, tenants, agreements and accelerators; its
// policy is made anew. A recording that begins there needs nothing that was before. Both are called
// by whoever has the engine.
struct Renewal {
  // Nothing is under way in the engine: it may be renewed, and is if this says so, or if it can be.
  std::function<bool(Instant now)> due;
  // With what the new engine begins. Who records how it is told the rest comes back; may be null.
  struct Beginning {
    const EngineWorld& world;
    const std::string& policy;     // name and options
    std::string_view policy_name;  // as it calls itself
    Instant now;
  };
  std::function<RunRecorder*(const Beginning&)> begin;
};

// What engines counted that there were before this one.
struct EarlierEngines {
  EngineCounters counters;
  GuardBooks guard;
  Histogram decision_times;
};

EngineCounters Sum(const EngineCounters& a, const EngineCounters& b);
GuardBooks Sum(const GuardBooks& ended, const GuardBooks& now);

// Whether requests may be submitted while the world runs.
enum class FrontDoor : std::uint8_t { kClosed, kOpen };

// The instants of the source and of the timeline are the clock's. Listener and recorder are called
// by whichever thread has the engine, one at a time.
struct LiveSetup : RunSetup {
  LiveSetup() { engine.wrong_plan = WrongPlan::kSkip; }
  // Wrong plans do what the run says.
  explicit LiveSetup(RunSetup run) : RunSetup(std::move(run)) {}

  const LiveClock* clock = nullptr;                // not owned
  SegmentWork work = SleepThrough;                 // what segments do
  std::function<Status(AcceleratorId)> enter{};    // see ThreadBackendSetup; optional
  std::function<void(const JobHandle&)> forget{};  // likewise
  Duration spin{};                                 // likewise
  bool cut = false;                                // likewise
  // Where late jobs are dropped: when their deadline passes, and not only at the next decision.
  bool expire = false;
  AdmissionRule admit{};               // optional: all are taken
  std::function<void()> after_turn{};  // by the thread that took it, with nothing held; optional
  FrontDoor door = FrontDoor::kClosed;
  std::optional<Renewal> renewal{};  // optional; needs `policies`
};

class LiveWorld {
 public:
  LiveWorld(LiveSetup setup, std::unique_ptr<SchedulingPolicy> policy);

  // Once. Returns when the door is closed, the source exhausted, every job ended and nothing runs
  // (what runs of a dropped job finishes), or after Stop; with all threads joined and the books
  // balanced: jobs that are left, and requests that are still in the inbox, end as cancelled.
  // Fails like the simulator: when a wrong plan stops the run, or when the policy leaves jobs
  // waiting that could run.
  Status Run();

  // The rest may be called from any thread, also from a listener or a reply. What comes in is not
  // trusted: it is checked by whoever has the engine and so knows its state, and refused if it
  // makes no sense. Each input is answered once by its reply, unless that is empty: by the thread
  // that comes to it, or at once by the caller's when nothing is taken in any more. Replies and
  // listeners must not block.

  // Hands in a request; it arrives now, or has arrived at that time, which is not in the future,
  // whatever its `arrival` says. Requests that are taken end
  // one way or another, and the listener hears of it; before the reply does where the contract of
  // the agreement refuses the request. Refused when the door is closed, and when the agreement has
  // ended.
  void Submit(Request request, InputReply reply = {}, std::optional<Instant> arrived = {});
  // Tells of a change. Refused once the run has ended.
  void Post(ClientChange change, InputReply reply = {});
  // Closes the door. What was submitted before is served, as far as it is done by an instant; then
  // the run ends as with Stop.
  void Close(Instant by = kNever);
  // Ends the run at once.
  void Stop();

  // Shows the engine between two turns, and how long its accelerators were busy, in nanoseconds.
  // Not from a listener or a reply.
  using Looker = std::function<void(const SchedulingEngine&, const std::vector<double>& busy)>;
  void Look(const Looker& look);

  // Before Run or after it, and inside a look.
  const SchedulingEngine& engine() const { return *engine_; }
  const EarlierEngines& earlier() const { return earlier_; }
  const RunTotals& totals() const { return totals_; }

 private:
  // Of the driver.
  friend class EngineDriver<LiveWorld>;
  void ApplyChange(const Input& input);
  void ApplyOwnEvents(Instant now);
  void ApplyArrival(const Arrival& arrival);
  void ApplyGuardAct(const GuardAct& act);
  bool NothingRuns() const;

  Status Turns();
  Status Turn();
  void TakeTurns();
  void EndTurns(Status status, std::exception_ptr thrown = nullptr);
  bool RunIsNeeded();
  bool Over() const;
  bool Stranded();
  Instant NextInstant();
  void ApplyBatch();
  InputAnswer Apply(const Input& input);
  InputAnswer Admit(const Arrival& arrival);
  void LearnCosts(const NewNetwork& network);
  void Put(Message message);
  Status DecideAndCommit();
  bool Quiet(Instant now) const;
  Status RenewIfDue(Instant now);
  Status Renew(std::unique_ptr<SchedulingPolicy> policy, Instant now);
  void Finish();

  // What an engine stands on that was not there at first.
  struct Ground {
    std::vector<NetworkGraph> networks;
    CostTable beliefs;
  };

  LiveSetup setup_;
  Inbox inbox_;
  std::atomic<bool> door_open_;
  std::atomic<bool> stopping_ = false;
  std::atomic<Instant> close_by_ = kNever;

  // Who has it has all below while threads run. Never waited for but by Run's thread.
  std::mutex turn_;
  bool begun_ = false;                          // Run was called
  bool ended_ = false;                          // nobody takes turns any more
  Status status_;                               // of the turn that ended it
  std::exception_ptr thrown_;                   // by it
  Instant awaited_ = Instant{};                 // until when Run's thread sleeps
  std::unique_ptr<const CostTable> own_truth_;  // once networks have come: these
  ThreadBackend backend_;                       // reports to the inbox
  BusyCount busy_;
  std::unique_ptr<const Ground> ground_;  // null: the setup's
  std::unique_ptr<SchedulingEngine> engine_;
  std::unique_ptr<CheckedInputs> inputs_;
  EarlierEngines earlier_;
  Instant lost_at_{};  // when something happened to an accelerator; 0: never
  EngineDriver<LiveWorld> driver_;
  RunTotals totals_;
  std::vector<Message> batch_;
};

}  // namespace fairlead
