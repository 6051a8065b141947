#include "fairlead/policies/placement.h"

#include "fairlead/policies/slot_placement.h"

namespace fairlead {
namespace {

class EarliestFinish final : public KindPlacement {
 public:
  using KindPlacement::KindPlacement;

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    const auto [slot, finish] = slots_.EarliestFinish(view, network, segment);
    return slot == nullptr ? PlacementChoice{} : slots_.Book(*slot, finish - slot->available);
  }
};

// One slot chosen by the smallest value of a key; ties to the lowest id.
template <typename KeyOf>
class SmallestKey final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    AcceleratorSlot* best = nullptr;
    auto best_key = KeyOf::Worst();
    Duration best_latency{};
    for (AcceleratorSlot& slot : slots_.slots()) {
      const SegmentCost* cost = view.costs().Alone(network, segment, slot.kind);
      if (cost == nullptr || !Considered(slot)) continue;
      const auto key = KeyOf::Of(slot, *cost);
      if (best == nullptr || key < best_key) {
        best = &slot;
        best_key = key;
        best_latency = cost->latency;
      }
    }
    return best == nullptr ? PlacementChoice{} : slots_.Book(*best, best_latency);
  }
};

// Among accelerators where it is equally fast, the one that is free first.
struct LatencyThenLoad {
  struct Key {
    Duration latency;
    Instant available;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static Key Worst() { return {}; }
  static Key Of(const AcceleratorSlot& slot, const SegmentCost& cost) {
    return {cost.latency, slot.available};
  }
};

struct Load {
  static Instant Worst() { return kNever; }
  static Instant Of(const AcceleratorSlot& slot, const SegmentCost&) { return slot.available; }
};

class Circle final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    const auto slots = slots_.slots();
    for (std::size_t step = 0; step < slots.size(); ++step) {
      AcceleratorSlot& slot = slots[(next_ + step) % slots.size()];
      const SegmentCost* cost = view.costs().Alone(network, segment, slot.kind);
      if (cost == nullptr || !slot.usable) continue;
      next_ = (slot.id.index() + 1) % slots.size();
      return slots_.Book(slot, cost->latency);
    }
    return {};
  }

 private:
  std::size_t next_ = 0;
};

class AnyIdle final : public SlotPlacement {
 public:
  AnyIdle(Waiting waiting, RandomStream random) : SlotPlacement(waiting), random_(random) {}
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    candidates_.clear();
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable && view.costs().Alone(network, segment, slot.kind) != nullptr)
        candidates_.push_back(&slot);
    }
    if (candidates_.empty()) return {};
    AcceleratorSlot& slot = *candidates_[random_.Below(candidates_.size())];
    return slots_.Book(slot, view.costs().Alone(network, segment, slot.kind)->latency);
  }

 private:
  RandomStream random_;
  std::vector<AcceleratorSlot*> candidates_;  // scratch
};

}  // namespace

std::unique_ptr<Placement> MakePlacement(const PlacementOptions& options, RandomStream random) {
  switch (options.rule) {
    case PlacementRule::kEarliestFinish: return std::make_unique<EarliestFinish>(options.waiting);
    case PlacementRule::kFastest:
      return std::make_unique<SmallestKey<LatencyThenLoad>>(options.waiting);
    case PlacementRule::kLeastLoaded: return std::make_unique<SmallestKey<Load>>(options.waiting);
    case PlacementRule::kRoundRobin: return std::make_unique<Circle>(options.waiting);
    case PlacementRule::kRandom: return std::make_unique<AnyIdle>(options.waiting, random);
  }
  return nullptr;
}

}  // namespace fairlead
