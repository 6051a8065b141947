// First in, first out, in memory that is used again: nothing is allocated once it has been as long
// as it gets.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace fairlead {

template <typename Item>
class ReusedQueue {
 public:
  bool empty() const { return first_ == items_.size(); }
  void Push(Item item) {
    // Who never empties it does not let it grow: what has been taken is at most half of it.
    if (first_ >= kFew && first_ * 2 >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }
  // Of one that is not empty.
  Item Pop() {
    Item item = std::move(items_[first_++]);
    if (empty()) {
      items_.clear();
      first_ = 0;
    }
    return item;
  }
  std::size_t capacity() const { return items_.capacity(); }

 private:
  static constexpr std::size_t kFew = 64;

  std::vector<Item> items_;
  std::size_t first_ = 0;
};

}  // namespace fairlead
