#include "fairlead/policies/scored_walk.h"

namespace fairlead {

void ScoredWalk::Arrange(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule) {
  segments_.clear();
  for (const ReadySegment& ready : view.ready()) {
    const Job& job = view.job(ready.job);
    if (early_drop.GivenUp(ready.job, job.serial)) continue;
    segments_.push_back(
        {.serial = job.serial, .job = ready.job, .segment = ready.segment, .covered = job.covered});
  }
  rule.Score(view, segments_);
  order_.Arrange(segments_);
}

}  // namespace fairlead
