#include "fairlead/policies/accelerator_slots.h"

#include <algorithm>
#include <bit>

namespace fairlead {
namespace {

constexpr Instant kFarthest = AcceleratorSlots::kFarthest;

Duration Times(Duration latency, double factor) {
  const double product = static_cast<double>(latency.count()) * factor;
  return Duration{
      static_cast<std::int64_t>(std::min(product, static_cast<double>(kLongestDuration.count())))};
}

void Look(const AcceleratorState& state, Instant now, Instant horizon, AcceleratorSlot& slot) {
  slot.idle = state.online && state.free_units == state.units && state.queue.empty();
  slot.usable = slot.idle;
  slot.available = now;
  if (slot.idle) return;
  // Whatever is busy is not free this very instant, even when it is overdue.
  const Instant soonest = now + Duration{1};
  const Instant free = state.believed_free > soonest ? state.believed_free : soonest;
  slot.available = !state.online ? kNever : free < kFarthest ? free : kFarthest;
  slot.usable = slot.available < horizon;
}

// Nothing starts before what waits in the accelerator's own queue.
void Divide(const SystemView& view, const AcceleratorState& state, AcceleratorSlot& slot) {
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

}  // namespace

void AcceleratorSlots::Prepare(const SystemView& view) {
  const auto accelerators = view.accelerators();
  slots_.resize(accelerators.size());
  kinds_.resize(view.costs().kinds());
  rows_.assign(view.costs().kinds(), {});
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    slots_[i].id = AcceleratorId{i};
    slots_[i].kind = accelerators[i].kind;
    ++rows_[accelerators[i].kind.index()].end;
  }
  std::uint32_t begin = 0;
  for (Row& row : rows_) {
    const std::uint32_t size = row.end;
    row.begin = row.end = begin;
    begin += size;
  }
  place_of_.resize(slots_.size());
  slot_at_.resize(slots_.size());
  free_at_.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    place_of_[i] = rows_[slots_[i].kind.index()].end++;
    slot_at_[place_of_[i]] = static_cast<std::uint32_t>(i);
  }
  std::uint32_t matches = 0;
  for (Row& row : rows_) {
    if (row.end - row.begin <= kMostToScan) continue;
    row.leaves = std::bit_ceil(row.end - row.begin);
    row.matches = matches;
    matches += 2 * row.leaves;
  }
  winners_.resize(matches);
}

std::uint32_t AcceleratorSlots::Winner(std::uint32_t a, std::uint32_t b) const {
  if (a == kNobody || b == kNobody) return std::min(a, b);
  return free_at_[b] < free_at_[a] ? b : a;
}

void AcceleratorSlots::PlayAll(Row& row) {
  std::uint32_t* const winners = &winners_[row.matches];
  for (std::uint32_t i = 0; i < row.leaves; ++i)
    winners[row.leaves + i] = row.begin + i < row.end ? row.begin + i : kNobody;
  for (std::size_t match = row.leaves; --match > 0;)
    winners[match] = Winner(winners[2 * match], winners[2 * match + 1]);
}

void AcceleratorSlots::PlayAgain(Row& row, std::uint32_t place) {
  std::uint32_t* const winners = &winners_[row.matches];
  if (row.played) {
    for (std::size_t match = (row.leaves + place - row.begin) / 2; match > 0; match /= 2)
      winners[match] = Winner(winners[2 * match], winners[2 * match + 1]);
  } else {
    PlayAll(row);
    row.played = true;
  }
  row.free_at = free_at_[winners[1]];
  row.first = slot_at_[winners[1]];
}

void AcceleratorSlots::Begin(const SystemView& view, Duration ahead) {
  const auto accelerators = view.accelerators();
  if (slots_.size() != accelerators.size()) Prepare(view);
  const Instant now = view.now();
  horizon_ = now + ahead;
  places_matter_ = view.PlacesMatter();
  beside_now_ = beside_ == Beside::kNow && view.SlowdownsKnown();
  if (view.period() > Duration::zero()) horizon_ = std::max(horizon_, view.next_epoch());
  std::ranges::fill(kinds_, KindState{});
  for (Row& row : rows_) {
    row.free_at = kNever;
    row.played = false;
  }
  usable_ = 0;
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    const AcceleratorState& state = accelerators[i];
    AcceleratorSlot& slot = slots_[i];
    KindState& kind = kinds_[slot.kind.index()];
    Look(state, now, horizon_, slot);
    if (units_ == Units::kDivided && state.units > 1) Divide(view, state, slot);
    if (state.online) kind.online = true;
    if (slot.usable) {
      ++kind.usable;
      ++usable_;
    }
    if (index_ == Index::kNone) continue;
    const Instant free_at = IndexedAt(slot);
    free_at_[place_of_[i]] = free_at;
    Row& row = rows_[slot.kind.index()];
    if (free_at >= row.free_at) continue;
    row.free_at = free_at;
    row.first = static_cast<std::uint32_t>(i);
  }
  CountWanted(view);
}

Duration AcceleratorSlots::HandOverThere(const SystemView& view, const AcceleratorSlot& slot,
                                         JobId job, SegmentId segment) const {
  fairlead::HandOver found = view.HandOverTo(job, segment, slot.id);
  // What runs there, or was given to it at this decision, is another job's as a rule.
  if (!slot.idle && !slot.divided) found.take_over = view.costs().hand_overs().TakeOver(slot.kind);
  return found.cost();
}

SlotFinish AcceleratorSlots::EarliestFinishByPlace(const SystemView& view, JobId job,
                                                   SegmentId segment) {
  SlotFinish best;
  ForEachCandidate(view, job, segment,
                   [&](AcceleratorSlot& slot, Duration latency, Duration hand_over) {
                     const Instant finish = slot.available + latency + hand_over;
                     if (best.slot == nullptr || finish < best.finish ||
                         (finish == best.finish && slot.id < best.slot->id))
                       best = {&slot, finish};
                   });
  return best;
}

// What waits for one that is busy meets others there than those who run now.
SlotFinish AcceleratorSlots::EarliestFinishBesideNow(const SystemView& view, JobId job,
                                                     NetworkId network, SegmentId segment) {
  const auto latencies = view.costs().LatenciesAlone(network, segment);
  SlotFinish best;
  for (AcceleratorSlot& slot : slots_) {
    const Duration usual = latencies[slot.kind.index()];
    if (usual == CostTable::kCannotRun || IndexedAt(slot) == kNever) continue;
    const Duration latency = slot.idle ? Times(usual, view.BesideNow(network, slot.id)) : usual;
    const Instant finish = slot.available + latency + HandOver(view, slot, job, segment);
    if (best.slot == nullptr || finish < best.finish) best = {&slot, finish};
  }
  return best;
}

void AcceleratorSlots::CountWanted(const SystemView& view) {
  wanted_ = 0;
  if (view.ready().empty() || NoneUsable()) return;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const int usable = kinds_[kind].usable;
    if (usable > 0 && Wanted(view, KindId{kind})) wanted_ += usable;
  }
}

bool AcceleratorSlots::Wanted(const SystemView& view, KindId kind) const {
  const auto ready = view.ready_by_affinity();
  for (std::size_t affinity = 0; affinity < ready.size(); ++affinity) {
    if (ready[affinity] > 0 && Reaches(view.costs().KindsOf(affinity), kind)) return true;
  }
  return false;
}

bool AcceleratorSlots::Reaches(std::span<const RankedKind> kinds, KindId kind) const {
  std::uint32_t fastest_there = UINT32_MAX;
  for (const RankedKind& ranked : kinds) {
    if (ranked.rank > fastest_there) return false;
    if (ranked.kind == kind) return true;
    if (reach_ == Reach::kFastestKind && kinds_[ranked.kind.index()].online)
      fastest_there = ranked.rank;
  }
  return false;
}

bool AcceleratorSlots::InReach(const SystemView& view, std::size_t affinity) const {
  std::uint32_t fastest_there = UINT32_MAX;
  for (const RankedKind& ranked : view.costs().KindsOf(affinity)) {
    if (ranked.rank > fastest_there) return false;
    const KindState& kind = kinds_[ranked.kind.index()];
    if (kind.usable > 0) return true;
    if (reach_ == Reach::kFastestKind && kind.online) fastest_there = ranked.rank;
  }
  return false;
}

PlacementChoice AcceleratorSlots::Give(AcceleratorSlot& slot) {
  PlacementChoice choice{.accelerator = slot.id};
  if (slot.divided) {
    choice.action = PlacementChoice::Action::kStart;
  } else {
    choice.action = slot.idle ? PlacementChoice::Action::kStart : PlacementChoice::Action::kEnqueue;
    slot.idle = false;
    // More may be queued behind it if that starts early enough.
    slot.usable = slot.available < horizon_;
    if (!slot.usable) {
      --usable_;
      --wanted_;
      --kinds_[slot.kind.index()].usable;
    }
  }
  Reindex(slot);
  return choice;
}

}  // namespace fairlead
