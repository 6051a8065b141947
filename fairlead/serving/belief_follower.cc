#include "fairlead/serving/belief_follower.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fairlead {

void BeliefFollower::Note(const SystemState& state, const Assignment& assignment, Instant now) {
  if (assignment.believed_latency <= Duration::zero()) return;
  Ratios& ratios = ratios_[{assignment.network, assignment.segment,
                            state.accelerators[assignment.accelerator.index()].kind,
                            assignment.units, assignment.batch()}];
  ratios.last[ratios.count++ % kKept] =
      static_cast<float>(Seconds(now - assignment.start) / Seconds(assignment.believed_latency));
}

double BeliefFollower::QuantileOf(const Ratios& ratios) const {
  std::array<float, kKept> sorted = ratios.last;
  const auto used = std::span(sorted).first(std::min(ratios.count, kKept));
  const auto place =
      static_cast<std::ptrdiff_t>(options_.quantile * static_cast<double>(used.size() - 1));
  std::ranges::nth_element(used, used.begin() + place);
  return static_cast<double>(used[static_cast<std::size_t>(place)]);
}

const std::vector<BeliefChange>& BeliefFollower::Propose(const SystemState& state) {
  changes_.clear();
  if (state.now < due_) return changes_;
  due_ = state.now + options_.every;
  for (auto& [key, ratios] : ratios_) {
    if (ratios.count < options_.least) continue;
    const double ratio = QuantileOf(ratios);
    ratios.count = 0;
    const SegmentCost* const cost =
        state.beliefs->Find(key.network, key.segment, key.kind, {key.units, key.batch});
    if (cost == nullptr || std::abs(ratio - 1) <= options_.tolerance) continue;
    const double latency = static_cast<double>(cost->latency.count()) * ratio;
    const BeliefChange change{
        key.network, key.segment, key.kind,
        key.units,   key.batch,   Duration{static_cast<std::int64_t>(std::llround(latency))}};
    if (state.beliefs->CanBecome(RowOf(change))) changes_.push_back(change);
  }
  return changes_;
}

}  // namespace fairlead
