#include "fairlead/policies/unit_costs.h"

#include <algorithm>

namespace fairlead {

void UnitCosts::Build(const SystemView& view) {
  *this = {};
  costs_version_ = view.costs_version();
  for (const AcceleratorKind& kind : view.platform().kinds) {
    first_column_.push_back(width_);
    width_ += static_cast<std::size_t>(kind.units);
  }
  first_column_.push_back(width_);
  std::size_t rows = 0;
  for (const NetworkGraph& network : view.networks()) {
    first_row_.push_back(rows);
    rows += network.size();
  }
  costs_.resize(rows * width_);
  for (std::size_t n = 0; n < view.networks().size(); ++n) {
    const NetworkGraph& graph = view.networks()[n];
    const auto order = graph.TopologicalOrder();
    for (std::size_t i = order.size(); i-- > 0;) {
      for (std::size_t k = 0; k + 1 < first_column_.size(); ++k) {
        for (std::size_t column = first_column_[k]; column < first_column_[k + 1]; ++column) {
          const int units = static_cast<int>(column - first_column_[k] + 1);
          const SegmentCost* cost =
              view.costs().Find(NetworkId{n}, order[i], KindId{k}, {units, 1});
          UnitCost& here = costs_[(first_row_[n] + order[i].index()) * width_ + column];
          here.own = cost == nullptr ? UnitCost::kImpossible : cost->latency;
          for (SegmentId next : graph.Successors(order[i])) {
            const UnitCost& there = costs_[(first_row_[n] + next.index()) * width_ + column];
            const Duration own =
                there.possible() ? there.own : view.costs().Fastest(NetworkId{n}, next);
            here.rest = std::max(here.rest, own + there.rest);
          }
        }
      }
    }
  }
}

}  // namespace fairlead
