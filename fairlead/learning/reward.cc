#include "fairlead/learning/reward.h"

#include <algorithm>
#include <cmath>

namespace fairlead {
namespace {

constexpr double kMostDoublings = 3;

}  // namespace

double RewardOf(const RewardOptions& options, Outcome outcome, double current, double target,
                bool covered) {
  const double sign = outcome == Outcome::kHit ? 1 : -1;
  if (options.kind == RewardKind::kHits) return sign;
  if (!covered) return sign * std::exp2(-kMostDoublings);
  const double doublings =
      std::clamp((target - current) / options.step, -kMostDoublings, kMostDoublings);
  return sign * std::exp2(doublings);
}

double DiscountOver(const RewardOptions& options, Duration time) {
  return std::exp(-Seconds(time) / Seconds(options.tau));
}

void RewardMeter::Observe(const SystemView& view, const Event& event) {
  if (event.kind != EventKind::kJobFinished) return;
  const Job& job = view.job(event.job);
  const FairnessLedger& ledger = view.ledger();
  reward_ += DiscountOver(options_, view.now() - since_) *
             RewardOf(options_, event.outcome, ledger.Indicator(job.agreement),
                      ledger.TargetRate(job.agreement), job.covered);
}

void RewardMeter::Restart(Instant now) {
  since_ = now;
  reward_ = 0;
}

}  // namespace fairlead
