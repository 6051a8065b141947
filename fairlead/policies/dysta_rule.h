// DySta's score, and what it can be at best.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "fairlead/policies/active_jobs.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

// What the scores of some jobs can be at best, at any later instant.
struct DystaBounds {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::int64_t work = kNone;       // the least that is left of one
  std::int64_t weighted = kNone;   // the least of 99 x work left + deadline
  std::int64_t progress = -kNone;  // the latest; kNone: one does not wait

  void Merge(const DystaBounds& other);
  friend bool operator==(const DystaBounds&, const DystaBounds&) = default;
};

class DystaRule final : public ScoringRule {
 public:
  void Observe(const SystemView& view, const Event& event) override { jobs_.Observe(view, event); }
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override;

  static DystaBounds BoundsOf(const Job& job);
  // No job of the network with these bounds has a smaller score.
  double Best(const SystemView& view, NetworkId network, const DystaBounds& bounds) const;

 private:
  ActiveJobs jobs_;
};

}  // namespace fairlead
