// What segments cost with each number of units, and the way from them to the end of their network,
// in one version or another: for policies that divide accelerators. Built from the believed costs;
// a lookup is an index.
#pragma once

#include <span>
#include <vector>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

struct UnitCost {
  Duration own{};   // kImpossible: not with so few units
  Duration rest{};  // from its end to the end of its network: the longest path, on the same kind
                    // with as many units and in the same version, or where a segment is fastest
                    // if it can't run so

  static constexpr Duration kImpossible = Duration::max();
  bool possible() const { return own != kImpossible; }
};

class UnitCosts {
 public:
  // Builds them where that has not happened, or other kinds have come online since.
  void Follow(const SystemView& view) {
    if (costs_.empty() || costs_version_ != view.costs_version()) Build(view);
  }

  // By the number of units, from 1 to all that the kind has. The version is one that a segment of
  // the network has.
  std::span<const UnitCost> Of(NetworkId network, SegmentId segment, KindId kind,
                               int version = 0) const {
    const std::size_t row = Row(network, version) + segment.index();
    return std::span(costs_).subspan(row * width_ + first_column_[kind.index()],
                                     first_column_[kind.index() + 1] - first_column_[kind.index()]);
  }
  // The fewest units that it can run on; 0: it can't.
  static int Fewest(std::span<const UnitCost> costs) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i].possible()) return static_cast<int>(i + 1);
    }
    return 0;
  }

 private:
  void Build(const SystemView& view);
  void BuildNetwork(const SystemView& view, NetworkId network, int version);
  // Of the network's first segment.
  std::size_t Row(NetworkId network, int version) const {
    return first_row_[network.index()] +
           static_cast<std::size_t>(version) * sizes_[network.index()];
  }

  std::uint64_t costs_version_ = 0;
  std::vector<std::size_t> first_row_;     // per network: all of a version, then all of the next
  std::vector<std::size_t> sizes_;         // per network, in segments
  std::vector<std::size_t> first_column_;  // per kind, and the end
  std::size_t width_ = 0;
  std::vector<UnitCost> costs_;
};

}  // namespace fairlead
