// What happened on the accelerators during one request's life, watched from behind an engine that
// is replayed. why.cc makes an account of it.
//
// Memory grows with what ran during the life of the request, not with the recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/recording/why.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Something used an accelerator, or part of it, for a while.
struct Spell {
  enum class Use : std::uint8_t { kSegment, kDecision, kAway };
  Use use = Use::kSegment;
  AcceleratorId accelerator;
  int units = 1;
  Instant start{};
  Instant end = kNever;
  RequestNumber request = 0;  // these three: of a segment
  TenantId tenant;
  NetworkId network;
};

// One try to run a segment of the request.
struct Try {
  SegmentId segment;
  AcceleratorId accelerator;
  int units = 1;
  int batch = 1;
  Instant start{};
  Instant end = kNever;
  enum class End : std::uint8_t { kNone, kFinished, kFailed } how = End::kNone;
  Duration alone{};      // as believed
  Duration switching{};  // likewise
  GoingOn going_on;      // likewise
};

class RequestHistory final : public ExecutionBackend, public RunListener, public RunRecorder {
 public:
  // The state is the engine's; it is set once the engine is there, outlives this object, and is
  // looked at when the engine reports.
  void set_state(const SystemState& state) { state_ = &state; }

  // The request has just arrived as this job, and may have been refused at once.
  void Begin(JobHandle job);

  bool began() const { return began_; }
  bool ended() const { return ended_; }
  const Job& job() const { return job_; }  // as it was at its end, if it ended
  Outcome outcome() const { return outcome_; }
  Reason reason() const { return reason_; }
  Instant admitted() const { return admitted_; }
  Instant end() const { return end_; }
  const std::vector<Try>& tries() const { return tries_; }
  const std::vector<Spell>& spells() const { return spells_; }
  // During its life; and who stood in for the policy when it began.
  const std::vector<GuardNote>& guard_notes() const { return guard_notes_; }
  // Of its agreement's promise, during its life.
  const std::vector<SacrificeSpell>& sacrifices() const { return sacrifices_; }

  // The recording ends, and the request has not.
  void BreakOff();

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  void Start(const Assignment& assignment) override;
  void Resize(const Assignment& assignment) override;
  void Abort(const Assignment& /*assignment*/) override {}
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& assignment, Instant now) override;
  void GuardActed(const GuardAct& act, Instant now) override;
  void PromiseSacrificed(AgreementId agreement, Instant now) override;
  void PromiseRestored(AgreementId agreement, Instant now) override;
  void Advanced(Instant /*now*/) override {}
  void Applied(const Input& input) override;
  void Decided(const SchedulingPlan& /*plan*/) override {}
  void Committed() override {}

  void Open(const Assignment& assignment);
  void Use(AcceleratorId accelerator, Spell::Use use);
  void EndUse(AcceleratorId accelerator, Spell::Use use);
  bool IsOurs(const Assignment& assignment) const;
  Duration HandingOver(const Assignment& assignment, KindId kind) const;
  bool IsItsPromise(AgreementId agreement) const {
    return began_ && !ended_ && job_.covered && job_.agreement == agreement;
  }

  const SystemState* state_ = nullptr;
  bool began_ = false;
  bool ended_ = false;
  bool finishing_ = false;  // the current input is that a segment finished
  JobHandle handle_;
  std::uint64_t refused_ = 0;  // the serial of the last job that ended as it arrived
  Job job_;
  Outcome outcome_{};
  Reason reason_{};
  Instant admitted_{};
  Instant end_{};
  std::vector<bool> reserved_;  // per accelerator
  std::string fallback_;        // that the guard has put in charge; empty: none
  std::vector<GuardNote> guard_notes_;
  std::vector<SacrificeSpell> last_sacrifice_;  // per agreement
  std::vector<SacrificeSpell> sacrifices_;
  std::vector<Spell> spells_;
  std::vector<std::size_t> open_spell_;  // per slot: into spells_
  std::vector<Try> tries_;
  std::vector<std::size_t> open_try_;  // per slot: into tries_
};

// The account of a request that has ended, or of one that was broken off.
RequestAccount AccountOf(const SystemState& state, const RequestHistory& history);

}  // namespace fairlead
