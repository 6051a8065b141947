// Several listeners of one run as one: a log of outcomes beside a trace, for example.
#pragma once

#include <utility>
#include <vector>

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

}  // namespace fairlead
