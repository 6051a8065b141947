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

class Preferred final : public FinishPlacement {
 public:
  explicit Preferred(const HeraldOptions& options)
      : FinishPlacement(options.waiting), metric_(options.metric), imbalance_(options.imbalance) {}

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    const auto [first, first_finish] = slots_.EarliestFinish(view, network, segment);
    if (first == nullptr) return {};
    const Duration earliest = first_finish - view.now();
    const double latest = imbalance_ * static_cast<double>(earliest.count());
    AcceleratorSlot* best = nullptr;
    Rank best_rank;
    for (std::size_t kind = 0; kind < view.costs().kinds(); ++kind) {
      AcceleratorSlot* const slot = slots_.FirstOfKind(KindId{kind});
      if (slot == nullptr) continue;
      const SegmentCost* cost = view.costs().Alone(network, segment, slot->kind);
      if (cost == nullptr) continue;
      const Duration finish = slot->available - view.now() + cost->latency;
      // The earliest always passes, whatever rounding does.
      if (finish != earliest && static_cast<double>(finish.count()) > latest) continue;
      const Rank rank = RankOf(*cost);
      if (best == nullptr || rank < best_rank) {
        best = slot;
        best_rank = rank;
      }
    }
    return best == nullptr ? PlacementChoice{} : slots_.Book(*best, best_rank.latency);
  }

 private:
  struct Rank {
    double metric = 0;
    Duration latency{};  // decides where the metric does not, as without energies
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

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
  return MakeListPolicy(
      std::move(name), std::move(order),
      Dispatch(options.drop, MemoryLimit(options.memory), std::make_unique<Preferred>(options)));
}

}  // namespace fairlead
