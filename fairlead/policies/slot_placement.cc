#include "fairlead/policies/slot_placement.h"

#include <algorithm>

namespace fairlead {
namespace {

// Beliefs about the future end here, so that sums of them do not overflow.
constexpr Instant kFarthest{kLongestDuration};

}  // namespace

void SlotPlacement::Begin(const SystemView& view) {
  const auto accelerators = view.accelerators();
  slots_.resize(accelerators.size());
  usable_ = 0;
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    const AcceleratorState& state = accelerators[i];
    Slot& slot = slots_[i];
    slot.id = AcceleratorId{i};
    slot.kind = state.kind;
    slot.idle = state.online && state.free_units == state.units && state.queue.empty();
    // Whatever is busy is not free this very instant, even when it is overdue.
    slot.available = slot.idle
                         ? view.now()
                         : std::clamp(state.believed_free, view.now() + Duration{1}, kFarthest);
    if (!state.online) slot.available = kNever;
    slot.usable = slot.idle || (state.online && slot.available < view.next_epoch() &&
                                view.period() > Duration::zero());
    if (slot.usable) ++usable_;
  }
}

PlacementChoice SlotPlacement::Book(const SystemView& view, Slot& slot, Duration latency) {
  PlacementChoice choice{.accelerator = slot.id};
  if (slot.usable) {
    choice.action = slot.idle ? PlacementChoice::Action::kStart : PlacementChoice::Action::kEnqueue;
  }
  slot.available = std::min(slot.available + latency, kFarthest);
  if (slot.usable) {
    slot.idle = false;
    // With a period, more may be enqueued behind it if that starts before the next decision.
    slot.usable = view.period() > Duration::zero() && slot.available < view.next_epoch();
    if (!slot.usable) --usable_;
  }
  return choice;
}

void KindPlacement::Begin(const SystemView& view) {
  SlotPlacement::Begin(view);
  if (Exhausted()) return;
  if (by_kind_.empty()) {
    by_kind_.resize(view.costs().kinds());
    first_.resize(by_kind_.size());
    for (const Slot& slot : slots_) by_kind_[slot.kind.index()].push_back(slot.id);
  }
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) FindFirst(kind);
}

PlacementChoice KindPlacement::BookFirst(const SystemView& view, Slot& slot, Duration latency) {
  const PlacementChoice choice = Book(view, slot, latency);
  FindFirst(slot.kind.index());
  return choice;
}

void KindPlacement::FindFirst(std::size_t kind) {
  Slot* first = nullptr;
  for (AcceleratorId id : by_kind_[kind]) {
    Slot& slot = slots_[id.index()];
    if (Considered(slot) && (first == nullptr || slot.available < first->available)) first = &slot;
  }
  first_[kind] = first;
}

}  // namespace fairlead
