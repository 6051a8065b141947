// Segments in the order of their scores, of which only few are scored: parts of all that is ready
// promise the best that they can offer, and the most promising part is looked into until a segment
// that was scored beats all promises that are left.
//
// O(log n) for each promise and each segment scored. Where these are more than a part of all, as in
// a burst of equals, the rest is walked with all scored at once.
#pragma once

#include <cstddef>
#include <vector>

#include "fairlead/base/heap.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_walk.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// A Promise has its `best`, a Standing, and operator> by it; one that knows more says by MayHide
// whether somebody before a candidate may be behind it, and its order must agree with that.
template <typename Promise>
class BestFirst {
 public:
  // A new walk.
  void Begin() {
    promises_.clear();
    candidates_.clear();
    last_ = {};
    scored_ = 0;
    tired_ = false;
  }
  void Add(const Promise& promise) { PushHeap(promises_, promise); }
  void Add(const ScoredSegment& scored) {
    ++scored_;
    PushHeap(candidates_, scored);
  }

  // Shows segments in order until `visit` returns false (false) or none is left. `look_into` takes
  // a promise, no longer held, and adds segments and promises instead. May stop early: WalkRest.
  template <typename LookInto, typename Visit>
  bool Walk(const SystemView& view, LookInto&& look_into, Visit&& visit) {
    while (Next(view, look_into)) {
      if (!visit(last_)) return false;
    }
    return true;
  }
  // Shows the others, if there are any.
  template <typename Visit>
  void WalkRest(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule,
                Visit&& visit) {
    if (!tired_) return;
    all_.Walk(view, early_drop, rule, [&](const ScoredSegment& segment) {
      const bool was_shown = last_.serial != 0 && !(last_ < segment);
      return was_shown || visit(segment);
    });
  }

 private:
  // One by one takes about so many times as long as all at once; a small number pays in any case.
  static constexpr std::size_t kOneByOne = 8;
  static constexpr std::size_t kSmall = 16;

  // A promise that is merely as good may hide an earlier arrival, unless it knows better.
  static bool MayHide(const Promise& promise, const ScoredSegment& candidate) {
    if constexpr (requires { promise.MayHide(candidate); }) {
      return promise.MayHide(candidate);
    } else {
      return !(StandingOf(candidate) < promise.best);
    }
  }

  template <typename LookInto>
  bool Next(const SystemView& view, LookInto&& look_into) {
    while (true) {
      while (!promises_.empty() &&
             (candidates_.empty() || MayHide(promises_.front(), candidates_.front()))) {
        tired_ = scored_ > kSmall + view.ready().size() / kOneByOne;
        if (tired_) return false;
        const Promise best = promises_.front();
        PopHeap(promises_);
        look_into(best);
      }
      if (candidates_.empty()) return false;
      const ScoredSegment next = candidates_.front();
      PopHeap(candidates_);
      // A start that was taken back has shown its segment anew while it may still stand here.
      if (next.serial == last_.serial && next.segment == last_.segment) continue;
      last_ = next;
      return true;
    }
  }

  std::vector<Promise> promises_;          // heap, the best on top
  std::vector<ScoredSegment> candidates_;  // heap, the first on top
  ScoredSegment last_;                     // shown by this walk
  std::size_t scored_ = 0;                 // in this walk
  bool tired_ = false;                     // it would take too many more
  ScoredWalk all_;
};

}  // namespace fairlead
