#include "fairlead/policies/placement.h"

#include <tuple>

namespace fairlead {

namespace {

class EarliestFinish final : public FinishPlacement {
 public:
  explicit EarliestFinish(const PlacementOptions& options)
      : FinishPlacement(options.waiting, options.units) {
    slots_.set_beside(options.beside);
  }

  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    const auto [slot, finish] = slots_.EarliestFinish(view, what.job, what.network, what.segment);
    return slot == nullptr ? PlacementChoice{} : slots_.Book(*slot, finish - slot->available);
  }
  PlacedRun PlaceRun(const SystemView& view, std::span<const QueuedSegment> segments) override {
    return PlaceEach(*this, view, segments);
  }
};

// Among accelerators where it is equally fast, the one that is free first; where places matter, the
// one where it is done first.
class Fastest final : public KindPlacement {
 public:
  explicit Fastest(Waiting waiting)
      : KindPlacement(waiting, waiting == Waiting::kAllowed ? AcceleratorSlots::Reach::kFastestKind
                                                            : AcceleratorSlots::Reach::kAnyKind) {}

  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    AcceleratorSlot* best = nullptr;
    Duration fastest{};
    Instant first{};
    slots_.ForEachCandidate(view, what.job, what.segment,
                            [&](AcceleratorSlot& slot, Duration latency, Duration hand_over) {
                              const Instant begin = slot.available + hand_over;
                              if (best != nullptr && std::tie(latency, begin, slot.id) >=
                                                         std::tie(fastest, first, best->id))
                                return;
                              best = &slot;
                              fastest = latency;
                              first = begin;
                            });
    return best == nullptr ? PlacementChoice{}
                           : slots_.Book(*best, first - best->available + fastest);
  }
};

// Among accelerators with equally little, the one where going on costs least.
class LeastLoaded final : public KindPlacement {
 public:
  explicit LeastLoaded(Waiting waiting) : KindPlacement(waiting) {}

  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    AcceleratorSlot* best = nullptr;
    Duration least{};
    Duration taken{};
    slots_.ForEachCandidate(view, what.job, what.segment,
                            [&](AcceleratorSlot& slot, Duration latency, Duration hand_over) {
                              if (best != nullptr && std::tie(slot.available, hand_over, slot.id) >=
                                                         std::tie(best->available, least, best->id))
                                return;
                              best = &slot;
                              least = hand_over;
                              taken = latency + hand_over;
                            });
    return best == nullptr ? PlacementChoice{} : slots_.Book(*best, taken);
  }
};

class Circle final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    const auto slots = slots_.slots();
    for (std::size_t step = 0; step < slots.size(); ++step) {
      AcceleratorSlot& slot = slots[(next_ + step) % slots.size()];
      const SegmentCost* cost = view.costs().Alone(what.network, what.segment, slot.kind);
      if (cost == nullptr || !slot.usable) continue;
      next_ = (slot.id.index() + 1) % slots.size();
      return slots_.Book(slot, cost->latency + slots_.HandOver(view, slot, what.job, what.segment));
    }
    return {};
  }

 private:
  std::size_t next_ = 0;
};

class AnyIdle final : public SlotPlacement {
 public:
  AnyIdle(Waiting waiting, RandomStream random) : SlotPlacement(waiting), random_(random) {}
  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    candidates_.clear();
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable && view.costs().Alone(what.network, what.segment, slot.kind) != nullptr)
        candidates_.push_back(&slot);
    }
    if (candidates_.empty()) return {};
    AcceleratorSlot& slot = *candidates_[random_.Below(candidates_.size())];
    return slots_.Book(slot, view.costs().Alone(what.network, what.segment, slot.kind)->latency +
                                 slots_.HandOver(view, slot, what.job, what.segment));
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
    case PlacementRule::kEarliestFinish: return std::make_unique<EarliestFinish>(options);
    case PlacementRule::kFastest: return std::make_unique<Fastest>(options.waiting);
    case PlacementRule::kLeastLoaded: return std::make_unique<LeastLoaded>(options.waiting);
    case PlacementRule::kRoundRobin: return std::make_unique<Circle>(options.waiting);
    case PlacementRule::kRandom: return std::make_unique<AnyIdle>(options.waiting, random);
  }
  return nullptr;
}

}  // namespace fairlead
