// A small table of costs for tests: two kinds, a diamond and a chain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fairlead/costs/cost_table.h"

namespace fairlead {

inline constexpr NetworkId kDiamond{0};
inline constexpr NetworkId kPair{1};
inline constexpr KindId kBig{0};    // of four units
inline constexpr KindId kSmall{1};  // of one

inline Platform TwoKinds() {
  Platform platform;
  platform.AddKind("big", 1, 4);
  platform.AddKind("small", 2);
  return platform;
}

// A diamond 0 -> {1, 2} -> 3, and a chain of two.
inline std::vector<NetworkGraph> TwoNetworks() {
  const std::vector<SegmentSpec> diamond = {{"a", {}}, {"b", {0}}, {"c", {0}}, {"d", {1, 2}}};
  return {NetworkGraph::Create("diamond", diamond).value(), NetworkGraph::Chain("pair", 2)};
}

inline SegmentCost Taking(std::int64_t ns) { return {Duration{ns}, 10 * ns, 100 * ns}; }

// Latencies of the diamond: big 10 20 30 5, small 12 15 - 7; of the pair: small 100 200.
inline CostTable SmallTable() {
  const auto networks = TwoNetworks();
  CostTable table(networks, TwoKinds());
  const auto set = [&](NetworkId network, std::size_t segment, KindId kind, std::int64_t ns) {
    table.Set(network, SegmentId{segment}, kind, {}, Taking(ns));
  };
  set(kDiamond, 0, kBig, 10);
  set(kDiamond, 1, kBig, 20);
  set(kDiamond, 2, kBig, 30);
  set(kDiamond, 3, kBig, 5);
  set(kDiamond, 0, kSmall, 12);
  set(kDiamond, 1, kSmall, 15);
  set(kDiamond, 3, kSmall, 7);
  set(kPair, 0, kSmall, 100);
  set(kPair, 1, kSmall, 200);
  table.Seal(networks);
  return table;
}

inline std::optional<std::int64_t> LatencyOf(const SegmentCost* cost) {
  if (cost == nullptr) return std::nullopt;
  return cost->latency.count();
}

}  // namespace fairlead
