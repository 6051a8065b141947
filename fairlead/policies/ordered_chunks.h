// Puts a list in order piece by piece, for walks that mostly end early.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairlead {

enum class ChunkStep : std::uint8_t { kOn, kStop };

// Shows the elements in ascending order, so many at once, until `visit` says stop or none is left.
// The order of what was not shown is undefined. O(n) for each chunk shown and O(k log k) for its k
// elements.
template <typename T, typename Visit>
void VisitInOrder(std::vector<T>& list, std::size_t chunk, Visit&& visit) {
  for (std::span<T> rest(list); !rest.empty();) {
    const std::size_t size = std::min(chunk, rest.size());
    const auto end = rest.begin() + static_cast<std::ptrdiff_t>(size);
    if (size < rest.size()) std::nth_element(rest.begin(), end, rest.end());
    std::sort(rest.begin(), end);
    if (visit(rest.first(size)) == ChunkStep::kStop) return;
    rest = rest.subspan(size);
  }
}

}  // namespace fairlead
