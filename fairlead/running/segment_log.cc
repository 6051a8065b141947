#include "fairlead/running/segment_log.h"

#include <utility>

namespace fairlead {

void SegmentLog::SegmentEnded(const Assignment& assignment, Instant now) {
  const std::size_t slot = assignment.jobs.front().index();
  const std::uint64_t serial = assignment.serials.front();
  if (slot >= jobs_.size()) jobs_.resize(slot + 1);
  if (assignment.accelerator.index() >= last_there_.size())
    last_there_.resize(assignment.accelerator.index() + 1);
  const LastOfJob before = jobs_[slot];
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    const std::size_t place = assignment.jobs[i].index();
    if (place >= jobs_.size()) jobs_.resize(place + 1);
    jobs_[place] = {.serial = assignment.serials[i], .accelerator = assignment.accelerator};
  }
  std::uint64_t& last_there = last_there_[assignment.accelerator.index()];
  const bool same = std::exchange(last_there, assignment.serials.back()) == serial;
  if (assignment.jobs.size() > 1) return;
  LoggedSegment segment{.network = assignment.network,
                        .segment = assignment.segment,
                        .accelerator = assignment.accelerator,
                        .alone_there = same,
                        .time = now - assignment.start};
  if (before.serial == serial) segment.from = before.accelerator;
  if (segment.from.valid() && segment.from != segment.accelerator) {
    segment.passage = Passage::kMoves;
  } else {
    segment.passage = same ? Passage::kGoesOn : Passage::kTakesOver;
  }
  ++passages_[static_cast<std::size_t>(segment.passage)];
  if (keep_ == Keep::kSegments) segments_.push_back(segment);
}

}  // namespace fairlead
