// Several listeners of one run as one: a log of outcomes beside a trace, for example.
#pragma once

#include <utility>
#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

class RunListeners final : public RunListener {
 public:
  // They are told in this order, are not owned, and outlive the run.
  explicit RunListeners(std::vector<RunListener*> listeners) : listeners_(std::move(listeners)) {}

  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override {
    for (RunListener* listener : listeners_) listener->JobEnded(job, outcome, reason, now);
  }
  void SegmentEnded(const Assignment& assignment, Instant now) override {
    for (RunListener* listener : listeners_) listener->SegmentEnded(assignment, now);
  }
  void GuardActed(const GuardAct& act, Instant now) override {
    for (RunListener* listener : listeners_) listener->GuardActed(act, now);
  }
  void PromiseSacrificed(AgreementId agreement, Instant now) override {
    for (RunListener* listener : listeners_) listener->PromiseSacrificed(agreement, now);
  }
  void PromiseRestored(AgreementId agreement, Instant now) override {
    for (RunListener* listener : listeners_) listener->PromiseRestored(agreement, now);
  }

 private:
  std::vector<RunListener*> listeners_;
};

// Several recorders of one run as one.
class RunRecorders final : public RunRecorder {
 public:
  // They are told in this order, are not owned, and outlive the run.
  explicit RunRecorders(std::vector<RunRecorder*> recorders) : recorders_(std::move(recorders)) {}

  void Advanced(Instant now) override {
    for (RunRecorder* recorder : recorders_) recorder->Advanced(now);
  }
  void Applied(const Input& input) override {
    for (RunRecorder* recorder : recorders_) recorder->Applied(input);
  }
  void Decided(const SchedulingPlan& plan) override {
    for (RunRecorder* recorder : recorders_) recorder->Decided(plan);
  }
  void Committed() override {
    for (RunRecorder* recorder : recorders_) recorder->Committed();
  }

 private:
  std::vector<RunRecorder*> recorders_;
};

// What a guard's fallback gave up of promises while it stood in for the policy: the ledger does not
// tell who it was, and it is not the policy's doing.

class FallbackSacrifices final : public RunListener {
 public:
  explicit FallbackSacrifices(Instant measured_from) : measured_from_(measured_from) {}

  // Of a run that ended at this instant.
  SacrificeFigures Of(AgreementId agreement, Instant end) const;
  // Takes them out of what the ledger has, agreement by agreement.
  void TakeOut(Instant end, std::vector<AgreementFigures>& agreements) const;

  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}
  void GuardActed(const GuardAct& act, Instant now) override;
  void PromiseSacrificed(AgreementId agreement, Instant now) override;
  void PromiseRestored(AgreementId agreement, Instant now) override;

 private:
  Instant measured_from_;
  bool fallen_ = false;                // the fallback is in charge
  std::vector<SacrificeBooks> books_;  // per agreement
};

}  // namespace fairlead
