// A live world that outsiders can use: calls with tensors come in, networks compute them under a
// policy, and each call is answered once, in time or with the reason why not.
//
// It stands on a LiveWorld, where a call is a request that carries its ticket as its number: the
// engine, the policies, the books and the recordings are those of the simulator. Tensors stay
// outside of the engine. A client's bytes are read once, by the thread that computes the first
// layer, right into the memory that it reads; results are copied once, out of it.
//
// Deadlines are kept by a timer: who has waited long enough is answered, whatever still runs, and
// that stops within a layer. Answers are handed out by the thread that has the news, after it has
// let go of the engine.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/loaded_networks.h"
#include "fairlead/execution/network_work.h"
#include "fairlead/serving/admission.h"
#include "fairlead/serving/belief_follower.h"
#include "fairlead/serving/call_table.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/network_counts.h"
#include "fairlead/serving/reused_queue.h"
#include "fairlead/serving/sample_groups.h"
#include "fairlead/serving/service_index.h"
#include "fairlead/serving/task_thread.h"

namespace fairlead {

// Where networks are found that the world was not built with. From the loader's thread, or any.
struct NetworkSource {
  std::function<Result<RunnableNetwork>(const NetworkOrder&)> find;  // may take its time
  std::function<std::vector<std::string>()> names;                   // that are listed
  std::function<bool(const std::string&)> has{};  // one of this name; empty: those
};

struct InferenceSetup {
  // The world, its clock, policies, guard, listener and recorder. Requests come from clients, so
  // there is no source; what segments do, and how late and hopeless calls fare, is set here.
  LiveSetup live;
  LoadedNetworks* networks = nullptr;  // of that world; not owned
  // Makes the processor of an accelerator that was lost, for its return; empty: what returns is
  // taken for the one that it was.
  std::function<Result<std::unique_ptr<Processor>>(AcceleratorId)> processors{};
  std::optional<BeliefFollowing> follow = BeliefFollowing{};  // none: beliefs stay as they are
  std::optional<NetworkSource>
      network_source{};  // none: no network comes; those of the world are measured
                         // when they are loaded, where there is one
  // Has an agreement on every network that comes, as best effort; not valid: nobody has.
  TenantId newcomers_for{};
  // The deadline where an agreement has none.
  Duration patience = std::chrono::seconds{60};
};

// What becomes of the engine's options in an InferenceWorld: a recording has these.
constexpr EngineOptions ServingOptions(EngineOptions options) {
  options.late = LateJobs::kDrop;  // nobody waits for them any more
  return options;
}

class InferenceWorld final : public InferenceService {
 public:
  InferenceWorld(InferenceSetup setup, std::unique_ptr<SchedulingPolicy> policy);
  ~InferenceWorld() override;

  // Once. Serves until it has drained, or was stopped; every call has been answered then.
  Status Run();
  // Ends at once: what is left is cancelled.
  void Stop();

  ServiceState state() const override { return state_; }
  Ticket Submit(InferenceCall call, AnswerReply reply) override;
  std::optional<InferenceAnswer> RefuseEarly(TenantId tenant, std::string_view network) override;
  void Cancel(Ticket ticket) override;
  std::vector<NetworkInfo> Networks() const override;
  std::optional<NetworkInfo> FindNetwork(std::string_view name) const override;
  bool NetworkReady(std::string_view name) const override;
  NetworkStatistics StatisticsOf(NetworkId network) const override;
  std::vector<std::string> Loadable() const override;
  bool CanLoad(const std::string& name) const override;
  void LoadNetwork(NetworkOrder order, StatusReply reply) override;
  void UnloadNetwork(std::string name, StatusReply reply) override;
  void Change(ClientChange change, InputReply reply) override;
  std::optional<TenantId> FindTenant(std::string_view name) const override;
  std::optional<AgreementId> FindAgreement(TenantId tenant,
                                           std::string_view network) const override;
  void VisitAgreements(const std::function<void(const AgreementReport&)>& visit) const override;
  ServiceReport Report() const override;
  void Drain(Duration limit) override;

  std::size_t calls_under_way() const { return calls_.size(); }
  // Lets go of the memory that is kept for jobs to come.
  void GiveBackSpares() { work_.GiveBackSpares(); }
  // How many slots calls have needed at once: memory does not grow with anything else.
  std::size_t call_slots() const { return calls_.slots(); }
  // After Run.
  const LiveWorld& world() const { return world_; }

 private:
  // Hears what the engine is told and does.
  class Watch final : public RunListener, public RunRecorder {
   public:
    explicit Watch(InferenceWorld& world, RunListener* listener, RunRecorder* recorder)
        : world_(world), listener_(listener), recorder_(recorder) {}

    void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
    void SegmentEnded(const Assignment& assignment, Instant now) override;
    void SegmentResized(const Assignment& assignment, int units_before, Instant now) override;
    void GuardActed(const GuardAct& act, Instant now) override;
    void PromiseSacrificed(AgreementId agreement, Instant now) override;
    void PromiseRestored(AgreementId agreement, Instant now) override;
    void Advanced(Instant now) override;
    void Applied(const Input& input) override;
    void Decided(const SchedulingPlan& plan) override;
    void Committed() override;

   private:
    InferenceWorld& world_;
    RunListener* listener_;
    RunRecorder* recorder_;
    bool finishing_ = false;  // a segment has finished, and did not fail
  };

  LiveSetup Prepared(LiveSetup setup);
  void FillIndex(const EngineWorld& world);
  Status TakeInputs(InferenceCall& call, OpenCall& open) const;
  void Entered(Ticket ticket, const InputAnswer& answer);
  std::optional<Rejection> Admit(const SystemState& state, const Request& request);
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now);
  void NoteUncovered(AgreementId agreement, Instant until);
  void Explain(const Job& job, Reason reason, InferenceAnswer& answer) const;
  void Finish(AnswerReply reply, const SharedNetworkInfo& network, InferenceAnswer answer);
  void SegmentFinished(const Assignment& assignment, Instant now);
  InputAnswer Apply(ClientChange change);
  Status CarryOut(const NetworkOrder& order);
  Result<RunnableNetwork> Find(const NetworkOrder& order) const;
  Status AddNow(const NetworkOrder& order);
  Status LoadNow(NetworkInfo info);
  NewNetwork Described(NetworkId network) const;
  Status BringAgreements(NetworkId from, NetworkId to);
  Status UnloadNow(NetworkInfo info);
  Status ReturnNow(AcceleratorId accelerator);
  void Defer(std::function<void()> act);
  void Deliver();

  LoadedNetworks* const networks_;
  const std::function<Result<std::unique_ptr<Processor>>(AcceleratorId)> processors_;
  const std::optional<NetworkSource> network_source_;
  const TenantId newcomers_for_;
  std::size_t first_networks_ = 0;  // those that the world was built with
  std::vector<KindId> kinds_;       // by accelerator
  const Duration patience_;
  const LiveClock* const clock_;
  std::atomic<ServiceState> state_ = ServiceState::kStarting;
  ServiceIndex index_;
  CallTable calls_;
  SampleGroups groups_{*this};
  NetworkCounts counts_;
  std::mutex uncovered_mutex_;
  std::vector<Instant> uncovered_until_;    // by agreement: its contract has no token before
  DeadlineAdmission admission_;             // of who has the engine
  std::optional<BeliefFollower> follower_;  // likewise
  std::deque<std::atomic<bool>> lost_;      // by accelerator: its processor is gone
  std::atomic<int> cancelling_ = 0;         // who may know a job that is to be cancelled

  // What is to be called with nothing held.
  struct Finished {
    AnswerReply reply;
    InferenceAnswer answer;
  };
  std::mutex done_mutex_;
  ReusedQueue<Finished> answers_;
  ReusedQueue<std::function<void()>> acts_;
  std::atomic<std::size_t> to_deliver_ = 0;  // of both

  NetworkWork work_;
  Watch watch_;
  mutable LiveWorld world_;  // looking takes its lock
  TaskThread loader_;
};

}  // namespace fairlead
