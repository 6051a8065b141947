// How long accelerators were busy, as the engine sees it: from the start of a segment to its end,
// hand-overs included, by the share of the units. The simulator counts alike.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "fairlead/domain/platform.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

// Listens, and passes everything on.
class BusyCount final : public RunListener {
 public:
  // Neither is owned; the other listener may be null.
  BusyCount(const Platform& platform, RunListener* next)
      : platform_(platform), next_(next), busy_(platform.accelerators.size()) {}

  // Per accelerator, in nanoseconds.
  const std::vector<double>& busy() const { return busy_; }

  void SegmentEnded(const Assignment& assignment, Instant now) override {
    Count(assignment, assignment.units, now);
    if (next_ != nullptr) next_->SegmentEnded(assignment, now);
  }
  void SegmentResized(const Assignment& assignment, int units_before, Instant now) override {
    Count(assignment, units_before, now);
    if (next_ != nullptr) next_->SegmentResized(assignment, units_before, now);
  }
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override {
    if (next_ != nullptr) next_->JobEnded(job, outcome, reason, now);
  }
  void GuardActed(const GuardAct& act, Instant now) override {
    if (next_ != nullptr) next_->GuardActed(act, now);
  }
  void PromiseSacrificed(AgreementId agreement, Instant now) override {
    if (next_ != nullptr) next_->PromiseSacrificed(agreement, now);
  }
  void PromiseRestored(AgreementId agreement, Instant now) override {
    if (next_ != nullptr) next_->PromiseRestored(agreement, now);
  }

 private:
  // Until when a resized segment has been counted.
  struct Counted {
    AssignmentId id;
    Instant until{};
  };

  void Count(const Assignment& assignment, int units, Instant now) {
    if (assignment.id.slot >= counted_.size()) counted_.resize(assignment.id.slot + 1);
    Counted& counted = counted_[assignment.id.slot];
    const Instant since = counted.id == assignment.id ? counted.until : assignment.start;
    const double share = static_cast<double>(units) / platform_.UnitsOf(assignment.accelerator);
    busy_[assignment.accelerator.index()] += share * static_cast<double>((now - since).count());
    counted = {.id = assignment.id, .until = now};
  }

  const Platform& platform_;
  RunListener* next_;
  std::vector<double> busy_;
  std::vector<Counted> counted_;  // by slot
};

}  // namespace fairlead
