#include "fairlead/execution/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace fairlead {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t Aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const BufferLife> buffers) {
  MemoryPlan plan{.offsets = std::vector<std::size_t>(buffers.size(), 0)};
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });

  std::vector<std::size_t> placed;  // by increasing offset
  for (std::size_t buffer : order) {
    const BufferLife& life = buffers[buffer];
    std::size_t offset = 0;
    for (std::size_t other : placed) {
      const BufferLife& neighbour = buffers[other];
      if (neighbour.last < life.first || life.last < neighbour.first) continue;
      if (offset + Aligned(life.bytes) <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + Aligned(neighbour.bytes));
    }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + Aligned(life.bytes));
    const auto place = std::ranges::upper_bound(
        placed, offset, {}, [&](std::size_t other) { return plan.offsets[other]; });
    placed.insert(place, buffer);
  }
  return plan;
}

}  // namespace fairlead
