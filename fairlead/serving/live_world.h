// The engine's live surroundings: real time, segments on threads, requests from outside.
//
// One thread, the one that calls Run, owns the engine. It turns in a loop:
//
//   1. Wait for the inbox, the engine's next timer, the next request or change that is due.
//   2. Take the inbox as a whole, then read the clock, once: that is `now`. Whatever was in the
//      inbox has happened by then.
//   3. Advance the engine to `now`; apply the changes that are due, the inbox (as far as it makes
//      sense), and the requests that are due, in this order, as the simulator does.
//   4. Ask the policy if a decision is due, and carry out its plan.
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
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/segment_run.h"
#include "fairlead/execution/thread_backend.h"
#include "fairlead/scheduling/checked_inputs.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/serving/inbox.h"

namespace fairlead {

// Whether requests may be submitted while the world runs.
enum class FrontDoor : std::uint8_t { kClosed, kOpen };

// The instants of the source and of the timeline are the clock's. Listener and recorder are called
// by Run's thread.
struct LiveSetup : RunSetup {
  LiveSetup() { engine.wrong_plan = WrongPlan::kSkip; }
  // Wrong plans do what the run says.
  explicit LiveSetup(RunSetup run) : RunSetup(std::move(run)) {}

  const LiveClock* clock = nullptr;                // not owned
  SegmentWork work = SleepThrough;                 // what segments do
  std::function<Status(AcceleratorId)> enter{};    // see ThreadBackendSetup; optional
  std::function<void(const JobHandle&)> forget{};  // likewise
  FrontDoor door = FrontDoor::kClosed;
};

// What clients may tell beside requests; how segments fare is the backend's to say.
using ClientChange = std::variant<Cancellation, AcceleratorLoss, AcceleratorReturn, TenantJoin,
                                  TenantLeave, AgreementStart, AgreementChange, AgreementEnd,
                                  AgreementContinue, PolicyChange, GuardRules>;

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
  // trusted: it is checked by Run's thread, which alone knows the engine's state, and refused if it
  // makes no sense. Each input is answered once by its reply, unless that is empty: by Run's thread
  // when the loop comes to it, or at once by the caller's when nothing is taken in any more.
  // Replies must not block.

  // Hands in a request; it arrives now, whatever its `arrival` says. Requests that are taken end
  // one way or another, and the listener hears of it; before the reply does where the contract of
  // the agreement refuses the request. Refused when the door is closed, and when the agreement has
  // ended.
  void Submit(Request request, InputReply reply = {});
  // Tells of a change. Refused once the run has ended.
  void Post(ClientChange change, InputReply reply = {});
  // Closes the door. What was submitted before is served.
  void Close();
  // Ends the run at once.
  void Stop();

  // Before Run or after it.
  const SchedulingEngine& engine() const { return engine_; }
  const RunTotals& totals() const { return totals_; }

 private:
  Status Turns();
  bool Over() const;
  bool Stranded() const;
  bool Idle() const;
  Instant NextInstant() const;
  Status PassEpoch(Instant now);
  void ApplyEvents(Instant now);
  void ApplyBatch();
  InputAnswer Apply(const Input& input);
  void Put(Letter letter);
  Status DecideAndCommit();
  void Obey(std::span<const GuardAct> acts);
  Status EndStrandedJobs();
  void Finish();
  void CancelJobs();

  LiveSetup setup_;
  Inbox inbox_;
  ThreadBackend backend_;  // reports to the inbox
  SchedulingEngine engine_;
  CheckedInputs inputs_;
  PolicyGuard guard_;
  bool took_over_ = false;  // a policy, after the decision of this instant: it is asked too
  RunTotals totals_;
  std::atomic<bool> door_open_;
  std::atomic<bool> stopping_ = false;
  std::optional<Request> next_request_;
  std::size_t next_input_ = 0;
  std::vector<Letter> batch_;
};

}  // namespace fairlead
