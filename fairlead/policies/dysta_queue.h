// Ready segments in the order of DySta's score, which changes with time and with the number of
// jobs: all that changes is common to the jobs of a network, so that of many who came one after
// another it is known what the best of them can have.
//
// A tree of such bounds for each network (bound_tree.h), two where contracts leave some uncovered.
// A walk looks into the parts of it that promise most (best_first.h). O(log n) per segment that
// becomes ready or ends, and about as much for each segment shown. Allocates only at a new height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/policies/best_first.h"
#include "fairlead/policies/bound_tree.h"
#include "fairlead/policies/dysta_rule.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class DystaQueue {
 public:
  void Observe(const SystemView& view, const Event& event);
  // Takes in what has become ready: at every decision, also where nothing can start.
  void Take(const SystemView& view);

  // Shows segments in order until `visit` returns false or none is left.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, Visit&& visit) {
    Open(view);
    const bool more = order_.Walk(
        view, [&](const Offer& offer) { LookInto(view, early_drop, offer); }, visit);
    if (more) order_.WalkRest(view, early_drop, rule_, visit);
  }
  // The plan asks for this one. Should it be in vain, the engine shows it again.
  void Taken(const SystemView& view, JobId job, SegmentId segment);

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  struct Waiter {
    std::uint64_t serial = 0;
    JobId job;
    SegmentId segment;
    std::uint32_t next = kNowhere;  // the place of another one of the job
  };
  using Tree = BoundTree<Waiter, DystaBounds>;
  struct Offer {
    Standing best;
    std::uint32_t tree = 0;
    Tree::Node part;
    friend bool operator>(const Offer& a, const Offer& b) { return b.best < a.best; }
  };

  Tree& TreeOf(const Job& job);
  void Push(const SystemView& view, JobId id, SegmentId segment);
  void MakeRoom(Tree& tree);
  void Refresh(const SystemView& view, JobId id);
  void Leave(const SystemView& view, JobId id);
  void Open(const SystemView& view);
  void LookInto(const SystemView& view, const EarlyDrop& early_drop, const Offer& offer);
  void AddOffer(const SystemView& view, std::uint32_t tree, Tree::Node part);
  void Score(const SystemView& view, const EarlyDrop& early_drop, std::uint32_t tree,
             std::uint32_t place);

  DystaRule rule_;
  std::vector<Tree> trees_;              // two per network, what contracts cover first
  std::vector<std::uint32_t> first_of_;  // per job slot: the place of one that is ready
  std::vector<JobId> moved_;             // have less work left by now
  std::uint64_t costs_version_ = 0;
  BestFirst<Offer> order_;
};

}  // namespace fairlead
