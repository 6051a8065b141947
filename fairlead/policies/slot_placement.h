// What placements are made of: the accelerators' slots, and which of them are considered.
#pragma once

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/placement.h"

namespace fairlead {

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
