// Whose turn it is, where that changes while segments wait: tokens that grow, slack that shrinks.
//
// The counterpart of TemporalRule for orders that no fixed key can express. At each decision in
// which some accelerator can take something, the rule scores everything that is ready at once.
// Scores must be numbers (no NaN): the order has to be total.
#pragma once

#include <cstdint>
#include <span>

#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// What contracts cover goes first; then smaller ranks, then smaller scores, then the earlier
// arrival, then the lower segment.
struct ScoredSegment {
  double score = 0;
  std::uint64_t serial = 0;  // of the job
  JobId job;
  SegmentId segment;
  std::int32_t rank = 0;
  bool covered = true;  // the job; not the rule's business

  friend bool operator<(const ScoredSegment& a, const ScoredSegment& b) {
    if (a.covered != b.covered) return a.covered;
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.score != b.score) return a.score < b.score;
    return a.serial != b.serial ? a.serial < b.serial : a.segment < b.segment;
  }
  friend bool operator>(const ScoredSegment& a, const ScoredSegment& b) { return b < a; }
};

// How urgent a job is once its deadline has passed, in rules that divide by the slack.
enum class LateRule : std::uint8_t {
  kLiteral,  // what the formula says: negative, so that late jobs lose against all others
  kUrgent,   // the most that there is
};

class LaneRule;

class ScoringRule {
 public:
  virtual ~ScoringRule() = default;
  // As SchedulingPolicy::Observe.
  virtual void Observe(const SystemView& /*view*/, const Event& /*event*/) {}
  // At every decision, before anything is scored: a rule may tell the plan which promises it gives
  // up.
  virtual void Begin(const SystemView& /*view*/, SchedulingPlan& /*plan*/) {}
  // Fills in rank and score of every ready segment, in no particular (but a reproducible) order.
  // Called once per decision, and only if something could start.
  virtual void Score(const SystemView& view, std::span<ScoredSegment> segments) = 0;
  // The job is beyond what its tenant may ask for: the others' requests come first.
  virtual bool Exceeds(const SystemView& view, JobId id) const { return !view.job(id).covered; }
  // Where the rule has lanes, it scores any segments for themselves, not only all of them at once.
  virtual LaneRule* lanes() { return nullptr; }
};

// How long a job has been waiting: since its last segment ended, or since its arrival. A job that
// runs does not wait, even if another of its branches does.
inline Duration WaitingTime(const SystemView& view, const Job& job) {
  return job.segments_taken > 0 ? Duration::zero() : view.now() - job.last_progress;
}

// A time to divide by: in nanoseconds, at least one.
inline double Divisor(Duration time) {
  return static_cast<double>(time.count() > 0 ? time.count() : 1);
}

}  // namespace fairlead
