// Whose turn it is: the temporal half of a list policy.
//
// A rule gives each segment a key when it becomes ready; smaller keys go first, ties to the
// earlier arrival. A key stays as it is while the segment waits and the same kinds are there, which
// lets a backlog of any length be kept in order. Rules that change with time (a token that grows)
// are scoring rules.
#pragma once

#include <cstdint>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class TemporalRule {
 public:
  virtual ~TemporalRule() = default;
  virtual std::int64_t Key(const SystemView& view, const ReadySegment& ready) = 0;
  // Keys are made of what the costs derive from the kinds that are online, and are made anew when
  // these change.
  virtual bool FollowsOnline() const { return false; }
  // A segment with this key was started.
  virtual void Started(std::int64_t /*key*/) {}
};

}  // namespace fairlead
