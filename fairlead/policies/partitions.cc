#include "fairlead/policies/partitions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace fairlead {
namespace {

struct Row {
  std::vector<AcceleratorId> accelerators;
  std::int64_t units = 0;
};

// Positions of accelerators in the order of a row: one of each kind in turn.
std::vector<Row> RowsOf(const Platform& platform, const std::vector<bool>& there, CutBy by) {
  struct Position {
    std::size_t in_kind;
    KindId kind;
    AcceleratorId id;
    auto operator<=>(const Position&) const = default;
  };
  std::vector<std::size_t> seen(platform.kinds.size());
  std::vector<Position> positions;
  for (std::size_t a = 0; a < platform.accelerators.size(); ++a) {
    if (!there[a]) continue;
    const KindId kind = platform.accelerators[a].kind;
    positions.push_back({seen[kind.index()]++, kind, AcceleratorId{a}});
  }
  std::ranges::sort(positions);
  std::vector<Row> rows(by == CutBy::kUnits ? 1 : platform.kinds.size());
  for (const Position& position : positions) {
    Row& row = rows[by == CutBy::kUnits ? 0 : position.kind.index()];
    row.accelerators.push_back(position.id);
    row.units += platform.UnitsOf(position.id);
  }
  std::erase_if(rows, [](const Row& row) { return row.units == 0; });  // a kind without any
  return rows;
}

std::vector<std::size_t> LargestFirst(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t which) { return values[which]; });
  return order;
}

// The partition of each tenant: its own, or packed by load.
std::vector<std::size_t> Assign(std::span<const PartitionTenant> tenants, std::size_t partitions) {
  std::vector<std::size_t> of_tenant(tenants.size());
  std::iota(of_tenant.begin(), of_tenant.end(), std::size_t{0});
  if (tenants.size() == partitions) return of_tenant;
  std::vector<double> loads;
  for (const PartitionTenant& tenant : tenants) loads.push_back(tenant.load);
  std::vector<double> packed(partitions, 0);
  for (std::size_t tenant : LargestFirst(loads)) {
    const auto least = std::ranges::min_element(packed);
    *least += loads[tenant];
    of_tenant[tenant] = static_cast<std::size_t>(least - packed.begin());
  }
  return of_tenant;
}

// One unit each, the others by weight.
std::vector<std::int64_t> Shares(std::span<const double> weights, std::int64_t units) {
  const std::int64_t others = units - std::ssize(weights);
  const double all_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::int64_t> shares;
  std::vector<double> remainders;
  std::int64_t left = others;
  for (double weight : weights) {
    const double part = static_cast<double>(others) * weight / all_weights;
    const auto whole = static_cast<std::int64_t>(std::floor(part));
    shares.push_back(1 + whole);
    remainders.push_back(part - std::floor(part));
    left -= whole;
  }
  const std::vector<std::size_t> order = LargestFirst(remainders);
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++shares[order[i]];
  return shares;
}

}  // namespace

Partitions CutPlatform(const Platform& platform, const std::vector<bool>& there,
                       std::span<const PartitionTenant> tenants, CutBy by) {
  if (tenants.empty()) return {};
  const std::vector<Row> rows = RowsOf(platform, there, by);
  auto most = std::ssize(tenants);
  for (const Row& row : rows) most = std::min<std::ptrdiff_t>(most, row.units);
  Partitions partitions;
  partitions.slices.resize(static_cast<std::size_t>(most));
  partitions.of_tenant = Assign(tenants, partitions.slices.size());
  std::vector<double> weights(partitions.slices.size(), 0);
  for (std::size_t t = 0; t < tenants.size(); ++t)
    weights[partitions.of_tenant[t]] += tenants[t].weight;
  for (const Row& row : rows) {
    std::vector<std::int64_t> shares = Shares(weights, row.units);
    std::size_t partition = 0;
    for (AcceleratorId accelerator : row.accelerators) {
      for (std::int64_t left = platform.UnitsOf(accelerator); left > 0;) {
        const std::int64_t taken = std::min(left, shares[partition]);
        partitions.slices[partition].push_back({accelerator, static_cast<int>(taken)});
        left -= taken;
        shares[partition] -= taken;
        if (shares[partition] == 0) ++partition;
      }
    }
  }
  return partitions;
}

}  // namespace fairlead
