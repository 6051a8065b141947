#include "fairlead/policies/accelerator_slots.h"

#include <algorithm>

namespace fairlead {
namespace {

// Beliefs about the future end here, so that sums of them do not overflow.
constexpr Instant kFarthest{kLongestDuration};

}  // namespace

void AcceleratorSlots::Begin(const SystemView& view, Duration ahead) {
  const auto accelerators = view.accelerators();
  horizon_ = view.now() + ahead;
  if (view.period() > Duration::zero()) horizon_ = std::max(horizon_, view.next_epoch());
  slots_.resize(accelerators.size());
  usable_ = 0;
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    const AcceleratorState& state = accelerators[i];
    AcceleratorSlot& slot = slots_[i];
    slot.id = AcceleratorId{i};
    slot.kind = state.kind;
    slot.idle = state.online && state.free_units == state.units && state.queue.empty();
    // Whatever is busy is not free this very instant, even when it is overdue.
    slot.available = slot.idle
                         ? view.now()
                         : std::clamp(state.believed_free, view.now() + Duration{1}, kFarthest);
    if (!state.online) slot.available = kNever;
    slot.usable = slot.idle || (state.online && slot.available < horizon_);
    if (units_ == Units::kDivided && state.units > 1) Divide(view, state, slot);
    if (slot.usable) ++usable_;
  }
  if (index_ == Index::kNone || Exhausted()) return;
  if (by_kind_.empty()) {
    by_kind_.resize(view.costs().kinds());
    first_.resize(by_kind_.size());
    for (const AcceleratorSlot& slot : slots_) by_kind_[slot.kind.index()].push_back(slot.id);
  }
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) FindFirst(kind);
}

// Nothing starts before what waits in the accelerator's own queue.
void AcceleratorSlots::Divide(const SystemView& view, const AcceleratorState& state,
                              AcceleratorSlot& slot) {
  slot.divided = true;
  slot.usable = state.online && state.queue.empty();
  if (!slot.usable) return;
  slot.available = view.now();
  for (AssignmentId id : state.running) {
    const Assignment& running = view.assignment(id);
    slot.available += running.BelievedLeft(view.now()) * running.units / state.units;
  }
  slot.available = std::min(slot.available, kFarthest);
}

SlotFinish AcceleratorSlots::EarliestFinish(const SystemView& view, NetworkId network,
                                            SegmentId segment) const {
  SlotFinish best;
  for (AcceleratorSlot* slot : first_) {
    if (slot == nullptr) continue;
    const SegmentCost* cost = view.costs().Alone(network, segment, slot->kind);
    if (cost == nullptr) continue;
    const Instant finish = slot->available + cost->latency;
    if (finish < best.finish ||
        (finish == best.finish && best.slot != nullptr && slot->id < best.slot->id))
      best = {slot, finish};
  }
  return best;
}

PlacementChoice AcceleratorSlots::Book(AcceleratorSlot& slot, Duration latency) {
  PlacementChoice choice{.accelerator = slot.id};
  if (slot.divided) {
    if (slot.usable) choice.action = PlacementChoice::Action::kStart;
  } else if (slot.usable) {
    choice.action = slot.idle ? PlacementChoice::Action::kStart : PlacementChoice::Action::kEnqueue;
  }
  slot.available = std::min(slot.available + latency, kFarthest);
  if (slot.usable && !slot.divided) {
    slot.idle = false;
    // More may be queued behind it if that starts early enough.
    slot.usable = slot.available < horizon_;
    if (!slot.usable) --usable_;
  }
  if (index_ != Index::kNone) FindFirst(slot.kind.index());
  return choice;
}

void AcceleratorSlots::FindFirst(std::size_t kind) {
  AcceleratorSlot* first = nullptr;
  for (AcceleratorId id : by_kind_[kind]) {
    AcceleratorSlot& slot = slots_[id.index()];
    if (Indexed(slot) && (first == nullptr || slot.available < first->available)) first = &slot;
  }
  first_[kind] = first;
}

}  // namespace fairlead
