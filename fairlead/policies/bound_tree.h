// Items in order of their coming, under a tree that knows of each part what the best of it could
// be.
//
// Bounds are what an item can have at best: Merge makes them those of either of two. Where they are
// much alike in items that came one after another, few parts have to be looked into to find the
// best item of all. O(log n) per item pushed, changed or removed; allocates only at a new height.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fairlead {

// Bounds{} are those of nothing.
template <typename Item, typename Bounds>
class BoundTree {
 public:
  static constexpr std::size_t kFan = 8;

  // A part: an item's place on level 0, above that kFan nodes of the level below.
  struct Node {
    std::uint32_t level = 0;
    std::uint32_t index = 0;
  };

  std::size_t size() const { return size_; }
  bool IsFull() const { return used_ == items_.size(); }
  Item& At(std::uint32_t place) { return items_[place]; }
  const Bounds& BoundsOf(Node node) const { return levels_[node.level][node.index]; }
  // If it is not empty.
  Node Root() const { return {static_cast<std::uint32_t>(levels_.size() - 1), 0}; }
  // Shows the parts of a node that is no item's.
  template <typename Visit>
  void VisitParts(Node node, Visit&& visit) const {
    const std::uint32_t level = node.level - 1;
    const auto [begin, end] = Parts(node);
    for (std::uint32_t i = begin; i != end; ++i) visit(Node{level, i});
  }

  // Makes room where it is full, by which items come to other places, in the same order.
  void MakeRoom() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      if (levels_.front()[i] == Bounds{}) continue;
      items_[kept] = items_[i];
      levels_.front()[kept++] = levels_.front()[i];
    }
    used_ = kept;
    if (2 * kept >= items_.size()) items_.resize(std::max(2 * items_.size(), kFan * kFan));
    Rebuild();
  }
  // If it is not full. Its place.
  std::uint32_t Push(const Item& item, const Bounds& bounds) {
    const auto place = static_cast<std::uint32_t>(used_++);
    items_[place] = item;
    ++size_;
    Set(place, bounds);
    return place;
  }
  void Set(std::uint32_t place, const Bounds& bounds) {
    levels_.front()[place] = bounds;
    Node node{0, place};
    while (node.level + 1 < levels_.size()) {
      node = {node.level + 1, static_cast<std::uint32_t>(node.index / kFan)};
      const Bounds merged = MergedParts(node);
      Bounds& known = levels_[node.level][node.index];
      if (known == merged) return;
      known = merged;
    }
  }
  void Remove(std::uint32_t place) {
    --size_;
    Set(place, {});
  }
  // Shows all items with their places, in order.
  template <typename Visit>
  void VisitItems(Visit&& visit) {
    for (std::uint32_t place = 0; place < used_; ++place) {
      if (levels_.front()[place] != Bounds{}) visit(items_[place], place);
    }
  }
  void Clear() {
    used_ = size_ = 0;
    Rebuild();
  }

 private:
  std::pair<std::uint32_t, std::uint32_t> Parts(Node node) const {
    const std::size_t begin = node.index * kFan;
    const std::size_t end = std::min(begin + kFan, levels_[node.level - 1].size());
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  Bounds MergedParts(Node node) const {
    Bounds merged{};
    VisitParts(node, [&](Node part) { merged.Merge(BoundsOf(part)); });
    return merged;
  }
  void Rebuild() {
    std::size_t level = 0;
    for (std::size_t size = items_.size(); size > 0; ++level) {
      if (level == levels_.size()) levels_.emplace_back();
      levels_[level].resize(size);
      if (level == 0) {
        std::fill(levels_[0].begin() + static_cast<std::ptrdiff_t>(used_), levels_[0].end(),
                  Bounds{});
      } else {
        for (std::uint32_t i = 0; i < size; ++i)
          levels_[level][i] = MergedParts({static_cast<std::uint32_t>(level), i});
      }
      size = size == 1 ? 0 : (size + kFan - 1) / kFan;
    }
  }

  std::size_t used_ = 0;                     // places, from the first on
  std::size_t size_ = 0;                     // of them hold something
  std::vector<Item> items_;                  // by place
  std::vector<std::vector<Bounds>> levels_;  // those of items first, of all last
};

}  // namespace fairlead
