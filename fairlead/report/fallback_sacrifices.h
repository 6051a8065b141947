// What a guard's fallback gave up of promises while it stood in for the policy: the ledger does not
// tell who it was, and it is not the policy's doing.
#pragma once

#include <vector>

#include "fairlead/report/agreement_figures.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

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
