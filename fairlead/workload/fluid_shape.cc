#include "fairlead/workload/fluid_shape.h"

#include <algorithm>
#include <utility>

namespace fairlead {
namespace {

std::vector<PlacementOption> OptionsOf(const FluidSystem& system, const std::vector<int>& count,
                                       NetworkId network, SegmentId segment) {
  std::vector<PlacementOption> options;
  for (std::size_t kind = 0; kind < count.size(); ++kind) {
    const SegmentCost* cost = system.costs.Alone(network, segment, KindId{kind});
    if (cost != nullptr && count[kind] > 0)
      options.push_back({.kind = kind, .latency = cost->latency, .dram_bytes = cost->dram_bytes});
  }
  return options;
}

void MergeEqualSteps(std::vector<FluidStep>& steps) {
  std::ranges::sort(steps, {}, &FluidStep::options);
  std::vector<FluidStep> merged;
  for (FluidStep& step : steps) {
    if (!merged.empty() && merged.back().options == step.options) {
      merged.back().segments += step.segments;
    } else {
      merged.push_back(std::move(step));
    }
  }
  steps = std::move(merged);
}

// The longest path when each step takes what `latency_of` says of its options.
template <typename LatencyOf>
FluidTime LongestPath(const std::vector<FluidRun>& runs, LatencyOf latency_of) {
  std::vector<FluidTime> finish;
  for (const FluidRun& run : runs) {
    FluidTime at{};
    for (std::size_t before : run.after) at = std::max(at, finish[before]);
    for (const FluidStep& step : run.steps) at += latency_of(step.options) * step.segments;
    finish.push_back(at);
  }
  return *std::ranges::max_element(finish);
}

}  // namespace

FluidShape ShapeOf(const FluidSystem& system, NetworkId network) {
  const NetworkGraph& graph = system.networks[network.index()];
  const std::vector<int> count = system.platform.CountByKind();
  FluidShape shape;
  std::vector<std::size_t> run_of(graph.size());
  for (SegmentId segment : graph.TopologicalOrder()) {
    const auto before = graph.Predecessors(segment);
    const bool continues = before.size() == 1 && graph.Successors(before[0]).size() == 1;
    if (continues) {
      run_of[segment.index()] = run_of[before[0].index()];
    } else {
      run_of[segment.index()] = shape.runs.size();
      FluidRun& run = shape.runs.emplace_back();
      for (SegmentId predecessor : before) {
        run.after.push_back(run_of[predecessor.index()]);
        shape.runs[run.after.back()].last = false;
      }
    }
    FluidStep step{.options = OptionsOf(system, count, network, segment)};
    shape.runnable = shape.runnable && !step.options.empty();
    shape.runs[run_of[segment.index()]].steps.push_back(std::move(step));
  }
  if (!shape.runnable) return shape;

  const auto fastest = [](const std::vector<PlacementOption>& options) -> FluidTime {
    return std::ranges::min_element(options, {}, &PlacementOption::latency)->latency;
  };
  const auto slowest = [](const std::vector<PlacementOption>& options) -> FluidTime {
    return std::ranges::max_element(options, {}, &PlacementOption::latency)->latency;
  };
  for (FluidRun& run : shape.runs) {
    MergeEqualSteps(run.steps);
    for (const FluidStep& step : run.steps) {
      shape.variables += step.options.size();
      shape.least_work += fastest(step.options) * step.segments;
    }
  }
  shape.fastest = LongestPath(shape.runs, fastest);
  shape.slowest = LongestPath(shape.runs, slowest);
  return shape;
}

}  // namespace fairlead
