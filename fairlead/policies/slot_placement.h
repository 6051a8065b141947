// What placements are made of: what one decision knows of each accelerator, and has promised it.
#pragma once

#include <vector>

#include "fairlead/policies/placement.h"

namespace fairlead {

// What one decision knows and has promised about one accelerator.
struct Slot {
  AcceleratorId id;
  KindId kind;
  Instant available{};  // when what it has, and what this decision queued on it, is believed done
  bool idle = false;
  bool usable = false;  // online, and free early enough to be given something at this decision
};

class SlotPlacement : public Placement {
 public:
  explicit SlotPlacement(Waiting waiting) : waiting_(waiting) {}

  void Begin(const SystemView& view) override;
  bool Exhausted() const override { return usable_ == 0; }

 protected:
  // Books the segment on the slot and says what that means.
  PlacementChoice Book(const SystemView& view, Slot& slot, Duration latency);
  bool Considered(const Slot& slot) const {
    return slot.available != kNever && (waiting_ == Waiting::kAllowed || slot.usable);
  }

  Waiting waiting_;
  std::vector<Slot> slots_;
  int usable_ = 0;
};

// Accelerators of one kind share their costs, so only the first free one of each kind needs to be
// looked at: O(kinds) for a segment, plus O(accelerators of the kind) to find the next.
class KindPlacement : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  void Begin(const SystemView& view) override;

 protected:
  // Per kind the slot that is free first, ties to the lowest id; null where none is considered.
  std::vector<Slot*>& first() { return first_; }
  // As Book, for one of first(), which then holds the next of its kind.
  PlacementChoice BookFirst(const SystemView& view, Slot& slot, Duration latency);

 private:
  void FindFirst(std::size_t kind);

  std::vector<std::vector<AcceleratorId>> by_kind_;  // ascending; does not change
  std::vector<Slot*> first_;
};

}  // namespace fairlead
