#include "fairlead/networks/layer_list.h"

#include <algorithm>

namespace fairlead {

void LayerList::Add(Bits& bits, const Bits& others) {
  bits.resize(std::max(bits.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) bits[i] |= others[i];
}

std::uint32_t LayerList::Append(NetworkLayer layer) {
  Bits ancestors;
  for (std::uint32_t before : layer.after) {
    Add(ancestors, ancestors_[before]);
    ancestors.resize(std::max<std::size_t>(ancestors.size(), before / 64 + 1));
    ancestors[before / 64] |= std::uint64_t{1} << before % 64;
  }
  ancestors_.push_back(std::move(ancestors));
  layers_.push_back(std::move(layer));
  return static_cast<std::uint32_t>(layers_.size() - 1);
}

LayerIndices LayerList::Reduce(LayerIndices all) const {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  if (all.size() < 2) return all;
  // A layer has only earlier ancestors, so whoever implies a layer is met before it.
  Bits implied;
  LayerIndices kept;
  for (auto candidate = all.rbegin(); candidate != all.rend(); ++candidate) {
    if (Has(implied, *candidate)) continue;
    kept.push_back(*candidate);
    Add(implied, ancestors_[*candidate]);
  }
  std::ranges::reverse(kept);
  return kept;
}

LayerIndices LayerList::Merge(const LayerIndices& a, const LayerIndices& b) const {
  LayerIndices all = a;
  all.insert(all.end(), b.begin(), b.end());
  return Reduce(std::move(all));
}

}  // namespace fairlead
