// What learning is for: the reward of each request's end, and how rewards are added over time.
//
// Hits:      a hit is worth 1, any other end -1.
// Indicators: the same times a weight that tells how much the agreement needs it,
//              2 ^ clamp((target - current) / step, -doublings, doublings),
//            current being its share of hits with this end (best effort: target 1). So both grow
//            with the distance below target, and shrink above it: by a factor of two for each
//            `step`, and (with 3 doublings) between 1/8 and 8, lest one lost agreement be worth
//            everything. A power has no kink at the target, where a policy that works spends its
//            time, and equal ratios for equal distances: who is behind matters, not how loaded the
//            system is. Requests that no contract covers weigh 1/8: nothing was promised about
//            them.
// The seed (arXiv 2403.00766) gives these in words only; the formula is ours.
//
// Rewards are discounted by simulated time, exp(-time / tau), not by decision: how many decisions
// there are in a second depends on the load, and 0.99 for each would see no further than 8 ms here.
//
// Progress: a job's end lies hundreds of decisions behind the one that began its first segment.
// With `progress` above 0, each segment that begins is paid that much times its part of its
// network's work times the weight of its agreement, and the end takes all of it back: a potential
// (Ng, Harada and Russell, ICML'99), which moves rewards to the decisions that earn them and leaves
// their sums as they are, but for discounts.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class RewardKind : std::uint8_t { kHits, kIndicators };

struct RewardOptions {
  RewardKind kind = RewardKind::kHits;
  double step = 0.1;     // of a share of hits, which doubles the weight
  double doublings = 3;  // at most
  double progress = 0;   // that begun segments are paid before the end, in parts of a hit
  Duration tau = std::chrono::milliseconds{200};
};

// How much an agreement with these indicators needs a hit.
double WeightOf(const RewardOptions& options, double current, double target, bool covered);

// What an end is worth with these indicators.
double RewardOf(const RewardOptions& options, Outcome outcome, double current, double target,
                bool covered);

double DiscountOver(const RewardOptions& options, Duration time);

// Adds the rewards since the last decision, discounted back to it.
class RewardMeter {
 public:
  explicit RewardMeter(const RewardOptions& options) : options_(options) {}

  // To be told of every event.
  void Observe(const SystemView& view, const Event& event);
  // Counts from here on.
  void Restart(Instant now);
  double reward() const { return reward_; }
  double Discount(Instant now) const { return DiscountOver(options_, now - since_); }

 private:
  void Add(const SystemView& view, double reward) {
    reward_ += DiscountOver(options_, view.now() - since_) * reward;
  }
  void Pay(const SystemView& view, const Assignment& assignment, double sign);

  RewardOptions options_;
  Instant since_{};
  double reward_ = 0;
  std::vector<double> paid_;  // for progress, by the job's slot
};

}  // namespace fairlead
