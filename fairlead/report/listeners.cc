#include "fairlead/report/listeners.h"

#include <variant>

namespace fairlead {

SacrificeFigures FallbackSacrifices::Of(AgreementId agreement, Instant end) const {
  if (agreement.index() >= books_.size()) return {};
  const SacrificeBooks& books = books_[agreement.index()];
  SacrificeFigures figures{.times = books.times, .counts = books.ended};
  if (end > Instant{}) figures.share = Seconds(books.Time(end)) / Seconds(end - Instant{});
  return figures;
}

void FallbackSacrifices::TakeOut(Instant end, std::vector<AgreementFigures>& agreements) const {
  for (std::size_t a = 0; a < agreements.size(); ++a) {
    const SacrificeFigures fallback = Of(AgreementId{a}, end);
    agreements[a].sacrificed.times -= fallback.times;
    agreements[a].sacrificed.share -= fallback.share;
    agreements[a].sacrificed.counts -= fallback.counts;
    agreements[a].sacrificed_by_fallback = fallback;
  }
}

// As the ledger counts.
void FallbackSacrifices::JobEnded(const Job& job, Outcome outcome, Reason /*reason*/,
                                  Instant /*now*/) {
  if (job.agreement.index() >= books_.size() || !job.covered || job.arrival < measured_from_)
    return;
  SacrificeBooks& books = books_[job.agreement.index()];
  if (books.now()) ++books.ended.by_outcome[static_cast<std::size_t>(outcome)];
}

void FallbackSacrifices::GuardActed(const GuardAct& act, Instant /*now*/) {
  if (std::holds_alternative<GuardFallback>(act)) fallen_ = true;
  if (std::holds_alternative<GuardReturn>(act)) fallen_ = false;
}

void FallbackSacrifices::PromiseSacrificed(AgreementId agreement, Instant now) {
  if (!fallen_) return;
  if (books_.size() <= agreement.index()) books_.resize(agreement.index() + 1);
  SacrificeBooks& books = books_[agreement.index()];
  books.since = now;
  ++books.times;
}

void FallbackSacrifices::PromiseRestored(AgreementId agreement, Instant now) {
  if (agreement.index() >= books_.size()) return;
  SacrificeBooks& books = books_[agreement.index()];
  books.ended_spells = books.Time(now);
  books.since = kNever;
}

}  // namespace fairlead
