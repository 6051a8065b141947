#include "fairlead/learning/reward.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead {

double WeightOf(const RewardOptions& options, double current, double target, bool covered) {
  if (options.kind == RewardKind::kHits) return 1;
  const double most = options.doublings;
  if (!covered) return std::exp2(-most);
  return std::exp2(std::clamp((target - current) / options.step, -most, most));
}

double RewardOf(const RewardOptions& options, Outcome outcome, double current, double target,
                bool covered) {
  const double weight = WeightOf(options, current, target, covered);
  return outcome == Outcome::kHit ? weight : -weight;
}

double DiscountOver(const RewardOptions& options, Duration time) {
  return std::exp(-Seconds(time) / Seconds(options.tau));
}

void RewardMeter::Pay(const SystemView& view, const Assignment& assignment, double sign) {
  const CostTable& costs = view.costs();
  const double part = Seconds(costs.Fastest(assignment.network, assignment.segment)) /
                      Seconds(costs.FastestTotal(assignment.network));
  for (const JobId id : assignment.jobs) {
    const Job& job = view.job(id);
    const double weight = WeightOf(options_, view.ledger().Indicator(job.agreement),
                                   view.ledger().TargetRate(job.agreement), job.covered);
    const double pay = sign * options_.progress * weight * part;
    if (paid_.size() <= id.index()) paid_.resize(id.index() + 1);
    paid_[id.index()] += pay;
    Add(view, pay);
  }
}

void RewardMeter::Observe(const SystemView& view, const Event& event) {
  const bool pays = options_.progress > 0;
  if (event.kind == EventKind::kSegmentStarted && pays)
    Pay(view, view.assignment(event.assignment), 1);
  if (event.kind == EventKind::kSegmentFailed && pays)
    Pay(view, view.assignment(event.assignment), -1);
  if (event.kind != EventKind::kJobFinished) return;
  const Job& job = view.job(event.job);
  const FairnessLedger& ledger = view.ledger();
  Add(view, RewardOf(options_, event.outcome, ledger.Indicator(job.agreement),
                     ledger.TargetRate(job.agreement), job.covered));
  if (event.job.index() < paid_.size()) Add(view, -std::exchange(paid_[event.job.index()], 0));
}

void RewardMeter::Restart(Instant now) {
  since_ = now;
  reward_ = 0;
}

}  // namespace fairlead
