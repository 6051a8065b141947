// A vector as a heap with its smallest element in front.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace fairlead {

template <typename T>
void PushHeap(std::vector<T>& heap, const T& value) {
  heap.push_back(value);
  std::ranges::push_heap(heap, std::greater<>{});
}

template <typename T>
void PopHeap(std::vector<T>& heap) {
  std::ranges::pop_heap(heap, std::greater<>{});
  heap.pop_back();
}

}  // namespace fairlead
