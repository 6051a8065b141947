// Layers in the order in which they are appended, with dependencies that others imply left out: a
// layer that waits for b does not also list a when b waits for a.
//
// Remembers for each layer all its ancestors, a bit for each: n layers take n * n / 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fairlead/networks/layered_network.h"

namespace fairlead {

// Indices of layers, ascending.
using LayerIndices = std::vector<std::uint32_t>;

class LayerList {
 public:
  // `layer.after` has been merged. Returns the index of the new layer.
  std::uint32_t Append(NetworkLayer layer);

  // All of them, in any order and repeated perhaps, without what the rest implies.
  LayerIndices Reduce(LayerIndices all) const;
  LayerIndices Merge(const LayerIndices& a, const LayerIndices& b) const;

  NetworkLayer& operator[](std::uint32_t index) { return layers_[index]; }
  std::size_t size() const { return layers_.size(); }
  std::vector<NetworkLayer> Take() { return std::move(layers_); }

 private:
  using Bits = std::vector<std::uint64_t>;
  static bool Has(const Bits& bits, std::uint32_t index) {
    return index / 64 < bits.size() && (bits[index / 64] >> index % 64 & 1) != 0;
  }
  static void Add(Bits& bits, const Bits& others);

  std::vector<NetworkLayer> layers_;
  std::vector<Bits> ancestors_;  // of each layer, only as many words as it takes
};

}  // namespace fairlead
