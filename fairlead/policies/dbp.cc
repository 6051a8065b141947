#include "fairlead/policies/dbp.h"

#include <cmath>
#include <vector>

#include "fairlead/fairness/ledger.h"
#include "fairlead/policies/lane_rule.h"

namespace fairlead {
namespace {

constexpr int kWindow = FairnessLedger::kDefaultWindow;

// The failures that a target rate allows in a window. The small number keeps 90 % of 20 at two.
int MissesAllowed(double target) {
  return static_cast<int>(std::floor((1 - target) * kWindow + 1e-9));
}

// Lanes: one for each agreement, by deadline: the distance is the same for all of an agreement.
class DistanceBasedPriority final : public ScoringRule, public LaneRule {
 public:
  explicit DistanceBasedPriority(double best_effort) : best_effort_(best_effort) {}

  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind == EventKind::kJobFinished) {
      const AgreementId agreement = view.job(event.job).agreement;
      if (view.ledger().Promise(agreement).window == 0)
        Derived(view, agreement).Record(event.outcome);
    } else if (event.kind == EventKind::kAgreementChanged) {
      if (event.agreement.index() < derived_.size())
        derived_[event.agreement.index()] = Derive(view, event.agreement);
    }
  }

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      segment.rank = MissesLeft(view, job.agreement);
      segment.score = static_cast<double>(Nanoseconds(job.deadline));
    }
  }

  LaneRule* lanes() override { return this; }
  Spot SpotOf(const SystemView& /*view*/, const Job& job, SegmentId /*segment*/) override {
    return {job.agreement.index(), Nanoseconds(job.deadline)};
  }
  Standing Best(const SystemView& view, std::size_t lane, std::int64_t key) override {
    return {.rank = MissesLeft(view, AgreementId{lane}), .score = static_cast<double>(key)};
  }

 private:
  int MissesLeft(const SystemView& view, AgreementId agreement) {
    return view.ledger().Promise(agreement).window > 0 ? view.ledger().MissesLeft(agreement)
                                                       : Derived(view, agreement).Left();
  }
  MissDistance Derive(const SystemView& view, AgreementId agreement) const {
    const double target = view.ledger().Promise(agreement).target.value_or(best_effort_);
    return MissDistance(kWindow, MissesAllowed(target));
  }
  MissDistance& Derived(const SystemView& view, AgreementId agreement) {
    while (derived_.size() <= agreement.index())
      derived_.push_back(Derive(view, AgreementId{derived_.size()}));
    return derived_[agreement.index()];
  }

  double best_effort_;                 // the target of who has none
  std::vector<MissDistance> derived_;  // per agreement, used where it has no window
};

}  // namespace

std::unique_ptr<ScoringRule> MakeDistanceBasedPriority(double best_effort) {
  return std::make_unique<DistanceBasedPriority>(best_effort);
}

}  // namespace fairlead
