#include "fairlead/plots/swarm_layout.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr double kTouch = 1e-9;  // rounding must not push apart what just touches

}  // namespace

std::vector<double> SwarmOffsets(std::span<const double> positions, double diameter) {
  CHECK(std::ranges::is_sorted(positions));
  std::vector<double> offsets;
  std::size_t near = 0;  // the first mark that could touch
  for (std::size_t i = 0; i < positions.size(); ++i) {
    while (positions[i] - positions[near] >= diameter) ++near;
    std::vector<double> candidates = {0};
    for (std::size_t j = near; j < i; ++j) {
      const double along = positions[i] - positions[j];
      const double across = std::sqrt(diameter * diameter - along * along);
      candidates.push_back(offsets[j] + across);
      candidates.push_back(offsets[j] - across);
    }
    const auto free = [&](double offset) {
      for (std::size_t j = near; j < i; ++j) {
        if (std::hypot(positions[i] - positions[j], offset - offsets[j]) < diameter - kTouch)
          return false;
      }
      return true;
    };
    std::ranges::sort(candidates, [](double a, double b) {
      return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a > b;
    });
    offsets.push_back(*std::ranges::find_if(candidates, free));
  }
  return offsets;
}

std::vector<SwarmGroup> GroupCrowded(std::span<const double> positions, double diameter,
                                     std::size_t most) {
  CHECK(most > 0);
  std::vector<SwarmGroup> groups;
  std::size_t first = 0;
  while (first < positions.size()) {
    std::size_t end = first;
    while (end < positions.size() && positions[end] - positions[first] < diameter) ++end;
    const std::size_t marks = std::min(end - first, most);
    for (std::size_t m = 0; m < marks; ++m) {
      const std::size_t from = first + (end - first) * m / marks;
      const std::size_t to = first + (end - first) * (m + 1) / marks;
      groups.push_back({from, to - from});
    }
    first = end;
  }
  return groups;
}

}  // namespace fairlead
