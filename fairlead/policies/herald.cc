#include "fairlead/policies/herald.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "fairlead/policies/fcfs.h"
#include "fairlead/policies/slot_placement.h"

namespace fairlead {
namespace {

class InOrderOfReadiness final : public TemporalRule {
 public:
  std::int64_t Key(const SystemView&, const ReadySegment& ready) override {
    return Nanoseconds(ready.since);
  }
};

class Preferred final : public KindPlacement {
 public:
  explicit Preferred(const HeraldOptions& options)
      : KindPlacement(options.waiting), metric_(options.metric), imbalance_(options.imbalance) {}

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    Duration earliest = Duration::max();  // from now
    for (const Slot* slot : first()) {
      if (const SegmentCost* cost = CostOn(view, slot, network, segment))
        earliest = std::min(earliest, FromNow(view, *slot, *cost));
    }
    const double latest = imbalance_ * static_cast<double>(earliest.count());
    Slot* best = nullptr;
    Rank best_rank;
    for (Slot* slot : first()) {
      const SegmentCost* cost = CostOn(view, slot, network, segment);
      if (cost == nullptr) continue;
      const Duration finish = FromNow(view, *slot, *cost);
      // The earliest always passes, whatever rounding does.
      if (finish != earliest && static_cast<double>(finish.count()) > latest) continue;
      const Rank rank = RankOf(*cost);
      if (best == nullptr || rank < best_rank) {
        best = slot;
        best_rank = rank;
      }
    }
    return best == nullptr ? PlacementChoice{} : BookFirst(view, *best, best_rank.latency);
  }

 private:
  struct Rank {
    double metric = 0;
    Duration latency{};  // decides where the metric does not, as without energies
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  static const SegmentCost* CostOn(const SystemView& view, const Slot* slot, NetworkId network,
                                   SegmentId segment) {
    return slot == nullptr ? nullptr : view.costs().Alone(network, segment, slot->kind);
  }
  static Duration FromNow(const SystemView& view, const Slot& slot, const SegmentCost& cost) {
    return slot.available - view.now() + cost.latency;
  }
  Rank RankOf(const SegmentCost& cost) const {
    const auto latency = static_cast<double>(cost.latency.count());
    const auto energy = static_cast<double>(cost.energy_pj);
    switch (metric_) {
      case HeraldMetric::kLatency: return {latency, cost.latency};
      case HeraldMetric::kEnergy: return {energy, cost.latency};
      case HeraldMetric::kEnergyDelay: return {energy * latency, cost.latency};
    }
    return {};
  }

  HeraldMetric metric_;
  double imbalance_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeHerald(std::string name, const HeraldOptions& options) {
  std::unique_ptr<TemporalRule> order = options.order == HeraldOrder::kDepth
                                            ? MakeFirstComeFirstServed()
                                            : std::make_unique<InOrderOfReadiness>();
  return MakeListPolicy(std::move(name), std::move(order), options.drop,
                        std::make_unique<Preferred>(options));
}

}  // namespace fairlead
