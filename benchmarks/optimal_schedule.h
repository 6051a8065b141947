// The best that a clairvoyant could do with a small world: it knows every arrival beforehand, and
// either finishes a job by its deadline or does not begin it.
//
// An integer program over ticks. Its choices say that a segment of a job begins on a kind at a
// tick; they exist only where the segment can still be in time if everything before and after it is
// as fast as possible. Constraints:
//
//   a job      all of its segments begin once, or none does;
//   a chain    by any tick no more successors have begun than predecessors have ended;
//   a kind     at any tick no more segments run than it has accelerators.
//
// Accelerators of one kind are not told apart: intervals of which never more than m overlap can
// always be dealt to m accelerators. So there is no symmetry to break.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "benchmarks/small_world.h"
#include "fairlead/policies/fixed_plan.h"

namespace fairlead {

struct PlacedSegment {
  std::size_t job = 0;
  std::size_t segment = 0;
  std::size_t accelerator = 0;  // those of the first kind come first
  int start = 0;                // tick
};

struct OptimalSchedule {
  std::vector<PlacedSegment> segments;  // by start
  std::vector<std::size_t> hits;        // jobs, ascending; the others are never begun
};

// The share of hits of a tenant, exactly.
struct HitShare {
  int hits = 0;
  int jobs = 1;

  double Value() const { return static_cast<double>(hits) / jobs; }
  friend bool operator==(HitShare a, HitShare b) { return a.hits * b.jobs == b.hits * a.jobs; }
  friend bool operator<(HitShare a, HitShare b) { return a.hits * b.jobs < b.hits * a.jobs; }
};

// The share of the tenant that fared worst; `hits` are jobs.
HitShare WorstTenant(const SmallWorld& world, std::span<const std::size_t> hits);

// The most hits such that no tenant's share is below `least`; none where that is impossible.
std::optional<OptimalSchedule> MostHits(const SmallWorld& world, HitShare least = {});

// The largest share of the tenant that fares worst; among such schedules, the most hits.
OptimalSchedule FairestHits(const SmallWorld& world);

// The schedule as fixed-plan carries it out, in a world of its hits alone.
FixedPlan PlanOf(const OptimalSchedule& schedule);

}  // namespace fairlead
