// Ready segments in the order of a scoring rule that has lanes: the same order as ScoredWalk's,
// from the heads of the lanes alone. Each of the rule's lanes is two here, one for what contracts
// cover and one for the rest, so that the rule need not know.
//
// A lane promises the best that its next segment can have (best_first.h). O(log n) per segment that
// becomes ready; per decision O(lanes that hold something), and O(log n) for each segment scored:
// those walked, and those that were promised more than they turned out to have. Allocates only at a
// new height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/policies/best_first.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class ScoredLanes {
 public:
  // Takes in what has become ready: at every decision, also where nothing can start.
  void Take(const SystemView& view, LaneRule& lanes);

  // Shows segments in order until `visit` returns false or none is left.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule, LaneRule& lanes,
            Visit&& visit) {
    Open(view, lanes);
    const bool more = order_.Walk(
        view, [&](const Offer& offer) { ScoreOne(view, early_drop, rule, lanes, offer.lane); },
        visit);
    Close(view, lanes);
    if (more) order_.WalkRest(view, early_drop, rule, visit);
  }

 private:
  static std::size_t LaneOf(std::size_t rules_lane, bool covered) {
    return 2 * rules_lane + (covered ? 0 : 1);
  }
  static std::size_t RulesLane(std::size_t lane) { return lane / 2; }
  static bool IsCovered(std::size_t lane) { return lane % 2 == 0; }

  struct Lane {
    ReadyQueue queue;
    ReadyQueue::Cursor cursor;
    bool listed = false;  // in filled_
  };
  // The best that the rest of a lane can offer.
  struct Offer {
    Standing best;
    std::uint32_t lane = 0;
    // Of those that stand so, the first in order of arrival; 0: who that is is not known. Else a
    // job with many segments, which all stand alike, would be looked through for each of them.
    std::uint64_t serial = 0;
    SegmentId segment{};

    friend bool operator>(const Offer& a, const Offer& b) {
      if (a.best < b.best || b.best < a.best) return b.best < a.best;
      return a.serial != b.serial ? b.serial < a.serial : b.segment < a.segment;
    }
    // Somebody who comes before the candidate.
    bool MayHide(const ScoredSegment& candidate) const {
      const Standing standing = StandingOf(candidate);
      if (standing < best || best < standing) return best < standing;
      return serial == 0 || serial < candidate.serial ||
             (serial == candidate.serial && segment < candidate.segment);
    }
  };

  void Push(const SystemView& view, LaneRule& lanes, JobId job, SegmentId segment);
  static Standing BestOf(const SystemView& view, LaneRule& lanes, std::size_t lane,
                         std::int64_t key);
  static Offer OfferOf(const SystemView& view, LaneRule& lanes, std::uint32_t lane,
                       const QueuedSegment& head);
  void Open(const SystemView& view, LaneRule& lanes);
  void FindOffers(const SystemView& view, LaneRule& lanes);
  void ScoreOne(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule,
                LaneRule& lanes, std::uint32_t number);
  void Close(const SystemView& view, LaneRule& lanes);
  void Sweep(const SystemView& view);

  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> filled_;  // lanes that hold something, in no particular order
  std::size_t size_ = 0;               // of all lanes, with what is gone and not yet noticed
  BestFirst<Offer> order_;
  std::vector<std::uint32_t> touched_;  // lanes whose walk is open
  std::vector<QueuedSegment> moving_;   // scratch: to be given another spot
};

}  // namespace fairlead
