#include "fairlead/policies/unit_costs.h"

#include <algorithm>

namespace fairlead {
namespace {

// Of any of its segments on any kind.
int MostVersions(const SystemView& view, NetworkId network) {
  int most = 1;
  for (std::size_t s = 0; s < view.networks()[network.index()].size(); ++s)
    for (std::size_t k = 0; k < view.costs().kinds(); ++k)
      most = std::max(most, view.costs().Versions(network, SegmentId{s}, KindId{k}));
  return most;
}

}  // namespace

void UnitCosts::Build(const SystemView& view) {
  *this = {};
  costs_version_ = view.costs_version();
  for (const AcceleratorKind& kind : view.platform().kinds) {
    first_column_.push_back(width_);
    width_ += static_cast<std::size_t>(kind.units);
  }
  first_column_.push_back(width_);
  std::size_t rows = 0;
  std::vector<int> versions;
  for (std::size_t n = 0; n < view.networks().size(); ++n) {
    first_row_.push_back(rows);
    sizes_.push_back(view.networks()[n].size());
    versions.push_back(MostVersions(view, NetworkId{n}));
    rows += sizes_.back() * static_cast<std::size_t>(versions.back());
  }
  costs_.resize(rows * width_);
  for (std::size_t n = 0; n < versions.size(); ++n)
    for (int version = 0; version < versions[n]; ++version)
      BuildNetwork(view, NetworkId{n}, version);
}

void UnitCosts::BuildNetwork(const SystemView& view, NetworkId network, int version) {
  const NetworkGraph& graph = view.networks()[network.index()];
  const auto order = graph.TopologicalOrder();
  const std::size_t first = Row(network, version);
  for (std::size_t i = order.size(); i-- > 0;) {
    for (std::size_t k = 0; k + 1 < first_column_.size(); ++k) {
      for (std::size_t column = first_column_[k]; column < first_column_[k + 1]; ++column) {
        const int units = static_cast<int>(column - first_column_[k] + 1);
        const SegmentCost* cost =
            view.costs().Find(network, order[i], KindId{k}, {units, 1, version});
        UnitCost& here = costs_[(first + order[i].index()) * width_ + column];
        here.own = cost == nullptr ? UnitCost::kImpossible : cost->latency;
        for (SegmentId next : graph.Successors(order[i])) {
          const UnitCost& there = costs_[(first + next.index()) * width_ + column];
          const Duration own = there.possible() ? there.own : view.costs().Fastest(network, next);
          here.rest = std::max(here.rest, own + there.rest);
        }
      }
    }
  }
}

}  // namespace fairlead
