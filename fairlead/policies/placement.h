// Where a segment goes: the spatial half of a list policy.
//
// A placement is asked for one segment after another in temporal order, and remembers within one
// decision what it gave to whom. A segment is given all units of its accelerator, unless asked
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class PlacementRule : std::uint8_t {
  kEarliestFinish,  // the "-H" of the literature: affinity and load together
  kFastest,         // where the segment alone is fastest, whatever the load (MET)
  kLeastLoaded,     // where least work is left, whatever the affinity
  kRoundRobin,      // the next one in a circle that is idle
  kRandom,          // any idle one
};

// What becomes of a segment whose chosen accelerator is busy.
enum class Waiting : std::uint8_t {
  kAllowed,    // it waits, and counts as queued there for the rest of the decision
  kForbidden,  // only idle accelerators are considered
};

struct PlacementOptions {
  PlacementRule rule = PlacementRule::kEarliestFinish;
  Waiting waiting = Waiting::kAllowed;
  // For kEarliestFinish: an accelerator of several units is given whatever would finish first
  // there, however many that are; somebody divides it among them.
  AcceleratorSlots::Units units = AcceleratorSlots::Units::kWhole;
  // For kEarliestFinish: how co-runners are counted.
  AcceleratorSlots::Beside beside = AcceleratorSlots::Beside::kUsual;
};

// Who may be passed over by a walk, since asking for them changes nothing.
enum class Passing : std::uint8_t {
  kNobody,   // even those who wait count
  kWaiters,  // those who have nothing usable in reach: they wait, and nobody cares
};

// A ready segment of a job.
struct PlacedSegment {
  JobId job;
  NetworkId network;  // of the job
  SegmentId segment;
};

// What became of a run of segments: those before the last wait.
struct PlacedRun {
  std::size_t placed = 0;
  PlacementChoice last;
};

class Placement {
 public:
  virtual ~Placement() = default;
  // A new decision.
  virtual void Begin(const SystemView& view) = 0;
  // No accelerator can take anything more at this decision, but for such as nothing ready can use.
  virtual bool Exhausted() const = 0;
  // No accelerator can take anything more, whatever it is.
  virtual bool NoneUsable() const = 0;
  virtual PlacementChoice Place(const SystemView& view, const PlacedSegment& what) = 0;
  // Places one after another of at least one segment, up to the first that need not wait.
  virtual PlacedRun PlaceRun(const SystemView& view, std::span<const QueuedSegment> segments);
  virtual Passing passing() const = 0;
  // A segment of this affinity would not have to wait, or could be in the way of others.
  virtual bool InReach(const SystemView& view, std::size_t affinity) const = 0;
};

// What PlaceRun does. A placement that is asked for long runs calls it with its own type, which
// spares a call through the interface for each segment.
template <typename Placing>
PlacedRun PlaceEach(Placing& placing, const SystemView& view,
                    std::span<const QueuedSegment> segments) {
  PlacedRun run;
  for (const QueuedSegment& entry : segments) {
    ++run.placed;
    run.last = placing.Place(view, {entry.job, entry.network, entry.segment});
    if (run.last.action != PlacementChoice::Action::kWait) break;
  }
  return run;
}

// `random` is used by kRandom alone.
std::unique_ptr<Placement> MakePlacement(const PlacementOptions& options, RandomStream random);

// What placements are made of: the accelerators' slots, and which of them are considered.
class SlotPlacement : public Placement {
 public:
  explicit SlotPlacement(Waiting waiting)
      : SlotPlacement(waiting, AcceleratorSlots::Index::kNone) {}

  void Begin(const SystemView& view) override { slots_.Begin(view); }
  bool Exhausted() const override { return slots_.Exhausted(); }
  bool NoneUsable() const override { return slots_.NoneUsable(); }
  // What is usable is free before what is not. So where load decides, or nothing else, whoever has
  // something usable in reach gets it, and whoever waits is in nobody's way.
  Passing passing() const override { return Passing::kWaiters; }
  bool InReach(const SystemView& view, std::size_t affinity) const override {
    return slots_.InReach(view, affinity);
  }

 protected:
  SlotPlacement(Waiting waiting, AcceleratorSlots::Index index,
                AcceleratorSlots::Reach reach = AcceleratorSlots::Reach::kAnyKind,
                AcceleratorSlots::Units units = AcceleratorSlots::Units::kWhole)
      : waiting_(waiting), slots_(index, units, reach) {}

  Waiting waiting_;
  AcceleratorSlots slots_;
};

// Looks only at the first of each kind among those considered: O(kinds) for a segment, plus
// O(accelerators of the kind) to find the next.
class KindPlacement : public SlotPlacement {
 public:
  explicit KindPlacement(Waiting waiting,
                         AcceleratorSlots::Reach reach = AcceleratorSlots::Reach::kAnyKind,
                         AcceleratorSlots::Units units = AcceleratorSlots::Units::kWhole)
      : SlotPlacement(waiting,
                      waiting == Waiting::kAllowed ? AcceleratorSlots::Index::kOnline
                                                   : AcceleratorSlots::Index::kUsable,
                      reach, units) {}
};

// Where finish times decide: whoever waits may have made another accelerator the better one for
// those behind.
class FinishPlacement : public KindPlacement {
 public:
  explicit FinishPlacement(Waiting waiting,
                           AcceleratorSlots::Units units = AcceleratorSlots::Units::kWhole)
      : KindPlacement(waiting, AcceleratorSlots::Reach::kAnyKind, units) {}
  Passing passing() const override {
    return waiting_ == Waiting::kAllowed ? Passing::kNobody : Passing::kWaiters;
  }
};

}  // namespace fairlead
