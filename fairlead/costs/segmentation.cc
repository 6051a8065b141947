#include "fairlead/costs/segmentation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

// A block of one network on one kind in one configuration, while its layers are added up.
struct BlockKey {
  NetworkId network;
  SegmentId block;
  KindId kind;
  Configuration configuration;
  auto operator<=>(const BlockKey&) const = default;
};

struct BlockSum {
  SegmentCost cost;
  std::size_t layers = 0;
  bool pressed = false;  // some layer has such a latency
};

// Which block each layer of a network belongs to, and the graph of the blocks.
struct Grouping {
  std::vector<SegmentId> block_of;
  std::vector<std::size_t> size_of;
  NetworkGraph graph;
};

Result<Grouping> Group(const NetworkGraph& network, const SegmentBounds& bounds) {
  std::vector<SegmentId> block_of(network.size());
  const auto order = network.TopologicalOrder();
  std::vector<std::size_t> size_of;
  for (std::size_t block = 0; block + 1 < bounds.size(); ++block) {
    size_of.push_back(bounds[block + 1] - bounds[block]);
    for (std::size_t i = bounds[block]; i < bounds[block + 1]; ++i)
      block_of[order[i].index()] = SegmentId{block};
  }
  std::vector<std::set<std::uint32_t>> after(size_of.size());
  for (std::size_t layer = 0; layer < network.size(); ++layer) {
    for (SegmentId predecessor : network.Predecessors(SegmentId{layer})) {
      if (block_of[predecessor.index()] != block_of[layer])
        after[block_of[layer].index()].insert(block_of[predecessor.index()].value);
    }
  }
  std::vector<SegmentSpec> specs(size_of.size());
  for (std::size_t block = 0; block < specs.size(); ++block) {
    specs[block].name = size_of.size() == 1 ? "whole" : "block " + std::to_string(block);
    specs[block].after.assign(after[block].begin(), after[block].end());
  }
  ASSIGN_OR_RETURN(NetworkGraph graph, NetworkGraph::Create(network.name(), specs));
  return Grouping{std::move(block_of), std::move(size_of), std::move(graph)};
}

// What leaves each block: the bytes of its layers that a layer of another block waits for.
std::vector<std::int64_t> AliveAfter(const NetworkGraph& network, const Grouping& grouping,
                                     const std::vector<std::int64_t>& layers) {
  std::vector<std::int64_t> blocks(grouping.size_of.size());
  for (std::size_t layer = 0; layer < network.size(); ++layer) {
    const SegmentId own = grouping.block_of[layer];
    const auto elsewhere = [&](SegmentId next) { return grouping.block_of[next.index()] != own; };
    if (std::ranges::any_of(network.Successors(SegmentId{layer}), elsewhere))
      blocks[own.index()] += layers[layer];
  }
  return blocks;
}

Result<Profile> InBlocks(const Profile& layers, std::span<const SegmentBounds> bounds) {
  std::vector<Grouping> groupings;
  Profile profile{.networks = {}, .kinds = layers.kinds, .rows = {}};
  profile.hand_overs = layers.hand_overs;
  for (std::size_t n = 0; n < layers.networks.size(); ++n) {
    const NetworkGraph& network = layers.networks[n];
    ASSIGN_OR_RETURN(Grouping grouping, Group(network, bounds[n]));
    profile.networks.push_back(grouping.graph);
    if (!layers.alive_bytes.empty())
      profile.alive_bytes.push_back(AliveAfter(network, grouping, layers.alive_bytes[n]));
    groupings.push_back(std::move(grouping));
  }
  std::map<BlockKey, BlockSum> sums;
  for (const CostRow& row : layers.rows) {
    const SegmentId block = groupings[row.network.index()].block_of[row.segment.index()];
    BlockSum& sum = sums[{row.network, block, row.kind, row.configuration}];
    sum.cost.latency += row.cost.latency;
    // Of layers that nobody pressed the time alone counts.
    sum.pressed = sum.pressed || row.cost.pressed_latency > Duration::zero();
    sum.cost.pressed_latency += row.cost.Pressed();
    sum.cost.dram_bytes += row.cost.dram_bytes;
    sum.cost.energy_pj += row.cost.energy_pj;
    ++sum.layers;
  }
  std::set<std::pair<NetworkId, SegmentId>> possible;
  for (auto& [key, sum] : sums) {
    if (!sum.pressed) sum.cost.pressed_latency = {};
    if (sum.layers < groupings[key.network.index()].size_of[key.block.index()]) continue;
    possible.emplace(key.network, key.block);
    profile.rows.push_back({key.network, key.block, key.kind, key.configuration, sum.cost});
  }
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    for (std::size_t b = 0; b < profile.networks[n].size(); ++b) {
      if (!possible.contains({NetworkId{n}, SegmentId{b}}))
        return Fail("no accelerator can run all layers of block {} of '{}': use smaller blocks", b,
                    profile.networks[n].name());
    }
  }
  return profile;
}

// The same segments, one after the other.
NetworkGraph ChainOf(const NetworkGraph& network) {
  std::vector<SegmentSpec> specs;
  for (std::uint32_t i = 0; i < network.size(); ++i) {
    specs.push_back({network.SegmentName(SegmentId{i}), {}});
    if (i > 0) specs.back().after = {i - 1};
  }
  auto chain = NetworkGraph::Create(network.name(), specs);
  CHECK(chain.has_value());
  return std::move(*chain);
}

std::vector<std::int64_t> AliveInTurn(const NetworkGraph& network,
                                      const std::vector<std::int64_t>& left) {
  std::vector<std::int64_t> change(network.size() + 1);
  for (std::size_t s = 0; s < network.size(); ++s) {
    std::size_t last = s;
    for (SegmentId next : network.Successors(SegmentId{s})) last = std::max(last, next.index());
    change[s] += left[s];
    change[last] -= left[s];
  }
  for (std::size_t s = 1; s < change.size(); ++s) change[s] += change[s - 1];
  change.pop_back();
  return change;
}

}  // namespace

SegmentBounds EqualBounds(std::size_t layers, Granularity granularity) {
  const std::size_t step = std::min(granularity.layers_per_segment, layers);
  SegmentBounds bounds;
  for (std::size_t layer = 0; layer < layers; layer += step) bounds.push_back(layer);
  bounds.push_back(layers);
  return bounds;
}

Result<Profile> Segmented(const Profile& layers, Granularity granularity) {
  if (granularity.layers_per_segment <= 1) return layers;
  std::vector<SegmentBounds> bounds;
  for (const NetworkGraph& network : layers.networks)
    bounds.push_back(EqualBounds(network.size(), granularity));
  return InBlocks(layers, bounds);
}

Result<Profile> Segmented(const Profile& layers, std::span<const SegmentBounds> bounds) {
  const auto layer_by_layer = [](const NetworkGraph& network, const SegmentBounds& cut) {
    return cut.size() == network.size() + 1;
  };
  if (std::ranges::equal(layers.networks, bounds, layer_by_layer)) return layers;
  return InBlocks(layers, bounds);
}

Profile OneAfterAnother(Profile profile) {
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    NetworkGraph& network = profile.networks[n];
    if (!profile.alive_bytes.empty())
      profile.alive_bytes[n] = AliveInTurn(network, profile.alive_bytes[n]);
    network = ChainOf(network);
  }
  return profile;
}

}  // namespace fairlead
