// A limit on what runs side by side: `memory=1.2` starts nothing while what runs is believed to ask
// for 1.2 times the bandwidth of the shared memory.
//
// Where memory is the bottleneck, one more segment takes from all the others what it gets itself:
// nothing is done sooner, and everything that runs ends later. What waits instead can still be
// ordered, and is there when something shorter needs the accelerator. Nothing that could run alone
// waits for ever: with nothing running, nothing is asked for.
//
// With a decision period, demands are averages until the next decision: what ends earlier counts
// for as long as it runs, and so does what is enqueued behind it.
//
// Where memory is shared in proportion to demands, one segment that wants all of it slows everybody
// else too. With `shares`, what starts gets no more than so many equal parts of the bandwidth, one
// part for each that runs, or what the others leave if that is more: it is slowed, they are not.
// For what is within its tenant's contract or entitlement, only its like counts there: a flood
// takes no part from it. With Beyond::kLight, what asks for no more than one equal part may start
// when the limit is reached, too, unless it exceeds these.
#pragma once

#include <cstdint>
#include <limits>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class MemoryLimit {
 public:
  // Tuned on seed 101 of six scenarios (docs/notebook/2026-11-16-memory-limit.md); 1 to 1.5 are
  // alike.
  static constexpr double kUsual = 1.2;
  // Tuned on seed 101 (docs/policies/fairlead.md).
  static constexpr double kUsualShares = 3;
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  // What may start when the limit is reached.
  enum class Beyond : std::uint8_t {
    kNothing,
    kLight,  // what asks for no more than an equal part
  };

  // Times the platform's bandwidth.
  explicit MemoryLimit(double times = kNone, double shares = kNone,
                       Beyond beyond = Beyond::kNothing)
      : times_(times), shares_(shares), beyond_(beyond) {}

  // A new decision: looks at what runs; with a rule, also whether that exceeds what its tenant may
  // ask for. O(accelerators).
  void Begin(const SystemView& view, const ScoringRule* rule = nullptr);
  // Nothing more may start at this decision, whatever it asks for.
  bool Closed() const { return Reached() && beyond_ == Beyond::kNothing; }
  // This may.
  bool Allows(const SystemView& view, NetworkId network, SegmentId segment,
              bool exceeds = false) const {
    if (!Reached()) return true;
    return beyond_ == Beyond::kLight && !exceeds && IsLight(view, network, segment);
  }
  // Something is given to an accelerator of this kind. Without a period, what is enqueued starts
  // when something else has ended, and asks for nothing yet.
  void Count(const SystemView& view, PlacementChoice::Action action, NetworkId network,
             SegmentId segment, KindId kind, std::int64_t cap = 0, bool exceeds = false);
  // What something that starts there may take, in bytes per second; 0: all that it wants.
  // Never so little that its job misses its deadline for that: `hurry` is the part of its speed
  // alone that it must keep.
  std::int64_t CapOf(const SystemView& view, NetworkId network, SegmentId segment, KindId kind,
                     bool exceeds = false, double hurry = 0) const;

 private:
  // What runs, or some of it.
  struct Running {
    int count = 0;
    double demand = 0;  // bytes per second
  };
  void Add(const Running& what, bool exceeds);
  bool Reached() const { return all_.demand >= most_; }
  // Where it is fastest it asks for no more than an equal part.
  bool IsLight(const SystemView& view, NetworkId network, SegmentId segment) const;

  double times_;
  double shares_;
  Beyond beyond_;
  bool counts_ = false;  // somebody wants to know the demand, and there is a bandwidth
  double most_ = kNone;  // bytes per second
  Running all_;
  Running within_;  // without what exceeds
};

}  // namespace fairlead
