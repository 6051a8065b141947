#include "fairlead/policies/herald.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "fairlead/policies/placement.h"
#include "fairlead/policies/temporal_rule.h"

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

  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) override {
    const auto [first, first_finish] =
        slots_.EarliestFinish(view, what.job, what.network, what.segment);
    if (first == nullptr) return {};
    const Duration earliest = first_finish - view.now();
    const double latest = imbalance_ * static_cast<double>(earliest.count());
    AcceleratorSlot* best = nullptr;
    Rank best_rank;
    slots_.ForEachCandidate(
        view, what.job, what.segment,
        [&](AcceleratorSlot& slot, Duration latency, Duration hand_over) {
          const Duration finish = slot.available - view.now() + latency + hand_over;
          // The earliest always passes, whatever rounding does.
          if (finish != earliest && static_cast<double>(finish.count()) > latest) return;
          SegmentCost cost = *view.costs().Alone(what.network, what.segment, slot.kind);
          cost.latency += hand_over;
          const Rank rank = RankOf(cost);
          if (best != nullptr && rank >= best_rank) return;
          best = &slot;
          best_rank = rank;
        });
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
