// Where to cut networks by themselves: as finely as hand-overs allow.
//
// Each segment costs a hand-over, and a take-over if another job comes before it; all of a
// network's together are to stay below a share of its time, on every kind that can run all of it
// (if none can: where its layers are fastest). Moves do not count: a job moves only where that is
// believed to pay. Of all ways to cut it into so many segments, that with the shortest longest one
// is taken, and within it boundaries are put where little is alive. No segment takes longer than a
// stated time on any kind, unless a single layer does: that comes before the share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/costs/profile.h"
#include "fairlead/costs/segmentation.h"

namespace fairlead {

struct AutoSegments {
  static constexpr double kDefaultHandOvers = 0.05;

  double hand_overs = kDefaultHandOvers;  // the most that they may take of a network's time
  Duration longest = Duration::max();     // that a segment may take
};

struct AutoCut {
  SegmentBounds bounds;
  Duration longest{};      // segment, where it is slowest
  double hand_overs = 0;   // their share of the network's time, where that is largest
  bool too_long = false;   // a single layer takes longer than `longest`
  bool too_often = false;  // hand-overs take more than their share: fewer segments could not be
};

// One for each network; `kinds` are those of the profile that count. Time grows with layers and
// kinds.
std::vector<AutoCut> CutNetworks(const Profile& profile, std::span<const KindId> kinds,
                                 const AutoSegments& options);

// "resnet50: 12 segments of 53 layers, the longest 1.9 ms, hand-overs up to 4.7 %."
std::string Describe(const AutoCut& cut, const NetworkGraph& network);

}  // namespace fairlead
