#include "fairlead/policies/scored_walk.h"

namespace fairlead {

void ScoredWalk::Arrange(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule) {
  segments_.clear();
  for (const ReadySegment& ready : view.ready()) {
    const std::uint64_t serial = view.job(ready.job).serial;
    if (!early_drop.GivenUp(ready.job, serial))
      segments_.push_back({.serial = serial, .job = ready.job, .segment = ready.segment});
  }
  rule.Score(view, segments_);
  order_.Arrange(segments_);
}

}  // namespace fairlead
