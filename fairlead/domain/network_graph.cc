#include "fairlead/domain/network_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

Result<NetworkGraph> NetworkGraph::Create(std::string name,
                                          const std::vector<SegmentSpec>& segments) {
  if (segments.empty()) return Fail("network '{}' has no segments", name);
  const std::size_t count = segments.size();
  NetworkGraph graph;
  graph.name_ = std::move(name);
  std::vector<std::vector<SegmentId>> successors(count);
  graph.predecessors_.begin.push_back(0);
  for (std::size_t i = 0; i < count; ++i) {
    graph.names_.push_back(segments[i].name);
    std::vector<std::uint32_t> after = segments[i].after;
    std::ranges::sort(after);
    if (std::ranges::adjacent_find(after) != after.end())
      return Fail("network '{}': segment {} names a dependency twice", graph.name_, i);
    for (std::uint32_t predecessor : after) {
      if (predecessor >= count)
        return Fail("network '{}': segment {} waits for {}, which does not exist", graph.name_, i,
                    predecessor);
      graph.predecessors_.list.emplace_back(predecessor);
      successors[predecessor].emplace_back(i);
    }
    graph.predecessors_.begin.push_back(
        static_cast<std::uint32_t>(graph.predecessors_.list.size()));
    if (after.empty()) graph.sources_.emplace_back(i);
  }
  graph.successors_.begin.push_back(0);
  for (const auto& list : successors) {
    graph.successors_.list.insert(graph.successors_.list.end(), list.begin(), list.end());
    graph.successors_.begin.push_back(static_cast<std::uint32_t>(graph.successors_.list.size()));
  }

  std::vector<std::size_t> pending(count);
  std::priority_queue<SegmentId, std::vector<SegmentId>, std::greater<>> free;
  for (std::size_t i = 0; i < count; ++i) {
    pending[i] = segments[i].after.size();
    if (pending[i] == 0) free.emplace(i);
  }
  while (!free.empty()) {
    const SegmentId segment = free.top();
    free.pop();
    graph.order_.push_back(segment);
    for (SegmentId next : graph.Successors(segment)) {
      if (--pending[next.index()] == 0) free.push(next);
    }
  }
  if (graph.order_.size() != count)
    return Fail("network '{}' has a cycle: {}", graph.name_, graph.DescribeCycle(pending));
  return graph;
}

// Whatever is pending waits for something that is pending, so a walk back ends up in a cycle.
std::string NetworkGraph::DescribeCycle(const std::vector<std::size_t>& pending) const {
  const auto before = [&](SegmentId segment) {
    return *std::ranges::find_if(Predecessors(segment),
                                 [&](SegmentId id) { return pending[id.index()] > 0; });
  };
  const auto first = std::ranges::find_if(pending, [](std::size_t n) { return n > 0; });
  SegmentId in_cycle{static_cast<std::size_t>(first - pending.begin())};
  for (std::size_t i = 0; i < pending.size(); ++i) in_cycle = before(in_cycle);
  constexpr int kMostShown = 8;
  std::string text = fmt::format("segment {}", in_cycle.value);
  SegmentId at = in_cycle;
  for (int shown = 0; shown < kMostShown; ++shown) {
    at = before(at);
    text += fmt::format(" waits for {}", at.value);
    if (at == in_cycle) return text;
  }
  return text + " ...";
}

NetworkGraph NetworkGraph::Chain(std::string name, std::size_t segments) {
  std::vector<SegmentSpec> specs(segments);
  for (std::size_t i = 0; i < segments; ++i) {
    specs[i].name = std::to_string(i);
    if (i > 0) specs[i].after = {static_cast<std::uint32_t>(i - 1)};
  }
  auto graph = Create(std::move(name), specs);
  CHECK(graph.has_value());
  return std::move(*graph);
}

}  // namespace fairlead
