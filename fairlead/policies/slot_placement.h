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

 protected:
  SlotPlacement(Waiting waiting, AcceleratorSlots::Index index)
      : waiting_(waiting), slots_(index) {}

  bool Considered(const AcceleratorSlot& slot) const {
    return slot.available != kNever && (waiting_ == Waiting::kAllowed || slot.usable);
  }

  Waiting waiting_;
  AcceleratorSlots slots_;
};

// Looks only at the first of each kind among those considered: O(kinds) for a segment, plus
// O(accelerators of the kind) to find the next.
class KindPlacement : public SlotPlacement {
 public:
  explicit KindPlacement(Waiting waiting)
      : SlotPlacement(waiting, waiting == Waiting::kAllowed ? AcceleratorSlots::Index::kOnline
                                                            : AcceleratorSlots::Index::kUsable) {}
};

}  // namespace fairlead
