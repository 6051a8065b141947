#include "fairlead/policies/dysta_rule.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr double kBeta = 0.01;
// (1 - beta) : beta
constexpr std::int64_t kWorkPerSlack = 99;
// So large no sum overflows, and no time that matters is larger.
constexpr std::int64_t kFarthestSlack = std::int64_t{1} << 61;
constexpr std::int64_t kLongestWork = kFarthestSlack / (kWorkPerSlack + 1);
// Bounds are computed another way than scores: a few roundings.
constexpr double kSafely = 1 - 1e-12;

}  // namespace

void DystaBounds::Merge(const DystaBounds& other) {
  work = std::min(work, other.work);
  weighted = std::min(weighted, other.weighted);
  progress = std::max(progress, other.progress);
}

void DystaRule::Score(const SystemView& view, std::span<ScoredSegment> segments) {
  const auto jobs = static_cast<double>(jobs_.total());
  for (ScoredSegment& segment : segments) {
    const Job& job = view.job(segment.job);
    const Duration slack = std::max(job.deadline - view.now() - job.work_left, Duration::zero());
    const double waiting = static_cast<double>(WaitingTime(view, job).count()) /
                           Divisor(view.costs().FastestTotal(job.network));
    segment.score = Seconds(job.work_left) + kBeta * (Seconds(slack) + waiting / jobs);
  }
}

DystaBounds DystaRule::BoundsOf(const Job& job) {
  const std::int64_t work = std::min(job.work_left.count(), kLongestWork);
  const std::int64_t deadline = std::min(Nanoseconds(job.deadline), kFarthestSlack);
  return {.work = work,
          .weighted = kWorkPerSlack * work + deadline,
          .progress = job.segments_taken > 0 ? DystaBounds::kNone : Nanoseconds(job.last_progress)};
}

// Work and slack together are the work, or 0.99 x work + 0.01 x (deadline - now), whichever is
// more.
double DystaRule::Best(const SystemView& view, NetworkId network, const DystaBounds& bounds) const {
  const std::int64_t now = Nanoseconds(view.now());
  const Duration work{bounds.work};
  const Duration weighted{bounds.weighted - now};
  const std::int64_t waited = bounds.progress < now ? now - bounds.progress : 0;
  const double waiting = static_cast<double>(waited) / Divisor(view.costs().FastestTotal(network));
  return kSafely * (std::max(Seconds(work), kBeta * Seconds(weighted)) +
                    kBeta * waiting / static_cast<double>(jobs_.total()));
}

}  // namespace fairlead
