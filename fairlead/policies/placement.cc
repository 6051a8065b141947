#include "fairlead/policies/placement.h"

#include <tuple>

#include "fairlead/policies/slot_placement.h"

namespace fairlead {
namespace {

class EarliestFinish final : public FinishPlacement {
 public:
  using FinishPlacement::FinishPlacement;

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    const auto [slot, finish] = slots_.EarliestFinish(view, network, segment);
    return slot == nullptr ? PlacementChoice{} : slots_.Book(*slot, finish - slot->available);
  }
  PlacedRun PlaceRun(const SystemView& view, std::span<const QueuedSegment> segments) override {
    return PlaceEach(*this, view, segments);
  }
};

// Among accelerators where it is equally fast, the one that is free first.
class Fastest final : public KindPlacement {
 public:
  explicit Fastest(Waiting waiting)
      : KindPlacement(waiting, waiting == Waiting::kAllowed ? AcceleratorSlots::Reach::kFastestKind
                                                            : AcceleratorSlots::Reach::kAnyKind) {}

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    AcceleratorSlot* best = nullptr;
    Duration latency{};
    for (std::size_t kind = 0; kind < view.costs().kinds(); ++kind) {
      AcceleratorSlot* const slot = slots_.FirstOfKind(KindId{kind});
      const SegmentCost* cost = view.costs().Alone(network, segment, KindId{kind});
      if (slot == nullptr || cost == nullptr) continue;
      if (best == nullptr || std::tie(cost->latency, slot->available, slot->id) <
                                 std::tie(latency, best->available, best->id)) {
        best = slot;
        latency = cost->latency;
      }
    }
    return best == nullptr ? PlacementChoice{} : slots_.Book(*best, latency);
  }
};

class LeastLoaded final : public KindPlacement {
 public:
  explicit LeastLoaded(Waiting waiting) : KindPlacement(waiting) {}

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    AcceleratorSlot* best = nullptr;
    Duration latency{};
    for (std::size_t kind = 0; kind < view.costs().kinds(); ++kind) {
      AcceleratorSlot* const slot = slots_.FirstOfKind(KindId{kind});
      const SegmentCost* cost = view.costs().Alone(network, segment, KindId{kind});
      if (slot == nullptr || cost == nullptr) continue;
      if (best == nullptr ||
          std::tie(slot->available, slot->id) < std::tie(best->available, best->id)) {
        best = slot;
        latency = cost->latency;
      }
    }
    return best == nullptr ? PlacementChoice{} : slots_.Book(*best, latency);
  }
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

PlacedRun Placement::PlaceRun(const SystemView& view, std::span<const QueuedSegment> segments) {
  return PlaceEach(*this, view, segments);
}

std::unique_ptr<Placement> MakePlacement(const PlacementOptions& options, RandomStream random) {
  switch (options.rule) {
    case PlacementRule::kEarliestFinish:
      return std::make_unique<EarliestFinish>(options.waiting, options.units);
    case PlacementRule::kFastest: return std::make_unique<Fastest>(options.waiting);
    case PlacementRule::kLeastLoaded: return std::make_unique<LeastLoaded>(options.waiting);
    case PlacementRule::kRoundRobin: return std::make_unique<Circle>(options.waiting);
    case PlacementRule::kRandom: return std::make_unique<AnyIdle>(options.waiting, random);
  }
  return nullptr;
}

}  // namespace fairlead
