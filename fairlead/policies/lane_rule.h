// What lets a scoring rule be asked about a few segments instead of all: lanes.
//
// A rule deals ready segments into lanes, and gives each a key there. Within a lane keys say who
// may come first for as long as segments wait: nobody behind a key comes before the best that the
// rule promises for that key. So of a lane only the head has to be looked at, and what stands
// behind it only once nothing better is left elsewhere. Scores themselves may change as they like.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// What decides between two segments before their arrival does.
struct Standing {
  std::int32_t rank = 0;
  bool covered = true;  // not the rule's business: before everything else
  double score = 0;

  friend bool operator<(const Standing& a, const Standing& b) {
    if (a.covered != b.covered) return a.covered;
    return a.rank != b.rank ? a.rank < b.rank : a.score < b.score;
  }
};

inline Standing StandingOf(const ScoredSegment& segment) {
  return {segment.rank, segment.covered, segment.score};
}

class LaneRule {
 public:
  struct Spot {
    std::size_t lane = 0;  // small numbers: they are indices
    std::int64_t key = 0;  // smaller first
    friend bool operator==(const Spot&, const Spot&) = default;
  };

  virtual ~LaneRule() = default;
  // Where a ready segment stands now. While it waits its key may grow, and it may change lanes by
  // Leaves; its key must not become smaller.
  virtual Spot SpotOf(const SystemView& view, const Job& job, SegmentId segment) = 0;
  // No segment of the lane with this key or a larger one has a smaller standing now.
  virtual Standing Best(const SystemView& view, std::size_t lane, std::int64_t key) = 0;
  // Whoever has this key or a smaller one belongs to another lane by now.
  virtual bool Leaves(const SystemView& /*view*/, std::size_t /*lane*/, std::int64_t /*key*/) {
    return false;
  }
};

}  // namespace fairlead
