#include "fairlead/workload/fluid_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead {
namespace {

// The simulator rounds rates up to units of 2^-32 and demands to units of 2^-10 bytes per second,
// and no demand exceeds 2^46. What moves more than so many times the bandwidth is taken to move
// that, which keeps the rounding of rates below 1e-6.
constexpr double kUnitOfRate = 1.0 / 4294967296.0;
constexpr double kUnitOfDemand = 1.0 / 1024;
constexpr double kLargestDemand = 35'184'372'088'832;
constexpr double kMostOversubscribed = 4096;

// Makes options of rows, under a bandwidth in bytes per second (0: no limit).
class RowReader {
 public:
  RowReader(const Platform& platform, std::int64_t bandwidth)
      : platform_(platform), bandwidth_(static_cast<double>(bandwidth)) {}

  PlacementOption Read(const CostRow& row) {
    const auto& [units, batch, version] = row.configuration;
    const double alone = Seconds(row.cost.latency);
    PlacementOption option{.kind = row.kind.index(), .latency = row.cost.latency};
    if (bandwidth_ > 0 && alone > 0) {
      const double demand = std::min({static_cast<double>(row.cost.dram_bytes) / alone,
                                      kMostOversubscribed * bandwidth_, kLargestDemand});
      highest_ = std::max(highest_, demand / bandwidth_);
      option.bytes = demand * alone / batch;
      // Even alone it does not move its bytes faster than the memory.
      const double slower = (demand - kUnitOfDemand) / bandwidth_ * (1 - 1e-6);
      if (slower > 1) {
        const double longer = static_cast<double>(row.cost.latency.count()) * slower;
        option.latency = Duration{static_cast<std::int64_t>(std::min(longer, kLongest))};
      }
    }
    const double whole = platform_.kinds[option.kind].units;
    option.time = Seconds(option.latency) * units / (whole * batch);
    return option;
  }

  double Bandwidth() const {
    if (bandwidth_ == 0) return 0;
    double most_running = 0;
    for (const Accelerator& accelerator : platform_.accelerators)
      most_running += platform_.kinds[accelerator.kind.index()].units;
    return bandwidth_ * (1 + 3 * kUnitOfRate * highest_ * most_running) +
           kUnitOfDemand * most_running;
  }

 private:
  static constexpr double kLongest = static_cast<double>(kLongestDuration.count());

  const Platform& platform_;
  double bandwidth_;
  double highest_ = 0;  // demand over bandwidth
};

// Another option that takes no more of anything.
bool Dominates(const PlacementOption& better, const PlacementOption& option) {
  return better.kind == option.kind && better.latency <= option.latency &&
         better.time <= option.time && better.bytes <= option.bytes;
}

void AddUnlessDominated(const PlacementOption& option, std::vector<PlacementOption>& options) {
  const auto dominates = [&](const PlacementOption& other) { return Dominates(other, option); };
  if (std::ranges::any_of(options, dominates)) return;
  std::erase_if(options, [&](const PlacementOption& other) { return Dominates(option, other); });
  options.push_back(option);
}

void MergeEqualSteps(std::vector<FluidStep>& steps) {
  std::ranges::sort(steps, [](const FluidStep& a, const FluidStep& b) {
    return std::ranges::lexicographical_compare(a.options, b.options,
                                                [](const auto& x, const auto& y) { return x < y; });
  });
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

template <typename LatencyOf>
FluidTime LengthOf(const FluidRun& run, LatencyOf latency_of) {
  FluidTime length{};
  for (const FluidStep& step : run.steps) length += latency_of(step) * step.segments;
  return length;
}

// When each run ends if every step takes what `latency_of` says.
template <typename LatencyOf>
std::vector<FluidTime> Finishes(const std::vector<FluidRun>& runs, LatencyOf latency_of) {
  std::vector<FluidTime> finish;
  for (const FluidRun& run : runs) {
    FluidTime at{};
    for (std::size_t before : run.after) at = std::max(at, finish[before]);
    finish.push_back(at + LengthOf(run, latency_of));
  }
  return finish;
}

FluidTime Slowest(const FluidStep& step) {
  return std::ranges::max_element(step.options, {}, &PlacementOption::latency)->latency;
}

// Fills in heads and tails.
void PlaceInTime(const NetworkGraph& graph, std::vector<TimedSegment>& segments) {
  const auto order = graph.TopologicalOrder();
  for (SegmentId id : order) {
    TimedSegment& segment = segments[id.index()];
    segment.fastest =
        std::ranges::min_element(segment.options, {}, &PlacementOption::latency)->latency;
    for (SegmentId before : graph.Predecessors(id)) {
      const TimedSegment& other = segments[before.index()];
      segment.head = std::max(segment.head, other.head + FluidTime(other.fastest));
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    TimedSegment& segment = segments[order[i].index()];
    for (SegmentId after : graph.Successors(order[i])) {
      const TimedSegment& other = segments[after.index()];
      segment.tail = std::max(segment.tail, other.tail + FluidTime(other.fastest));
    }
  }
}

void MeasurePaths(FluidShape& shape) {
  const auto fastest = [](const FluidStep& step) { return FluidTime(step.Fastest()); };
  const std::vector<FluidTime> finish = Finishes(shape.runs, fastest);
  shape.fastest = *std::ranges::max_element(finish);
  const std::vector<FluidTime> latest = Finishes(shape.runs, Slowest);
  shape.slowest = *std::ranges::max_element(latest);
  std::vector<FluidTime> tail(shape.runs.size());  // of what comes after a run
  for (std::size_t i = shape.runs.size(); i-- > 0;) {
    FluidRun& run = shape.runs[i];
    run.through = finish[i] + tail[i];
    const FluidTime from_here = tail[i] + LengthOf(run, fastest);
    for (std::size_t before : run.after) tail[before] = std::max(tail[before], from_here);
  }
}

}  // namespace

FluidOptions::FluidOptions(const FluidSystem& system) : costs_(system.costs) {
  std::size_t segments = 0;
  for (const NetworkGraph& network : system.networks) segments += network.size();
  options_.resize(segments);
  RowReader reader(system.platform, system.bandwidth);
  system.costs.ForEach([&](const CostRow& row) {
    if (row.configuration.units > system.platform.kinds[row.kind.index()].units) return;
    AddUnlessDominated(reader.Read(row),
                       options_[system.costs.SegmentNumber(row.network, row.segment)]);
  });
  for (std::vector<PlacementOption>& options : options_)
    std::ranges::sort(options, [](const auto& a, const auto& b) { return a < b; });
  bandwidth_ = reader.Bandwidth();
}

Duration FluidStep::Fastest() const {
  return std::ranges::min_element(options, {}, &PlacementOption::latency)->latency;
}

FluidShape ShapeOf(const FluidOptions& options, const NetworkGraph& graph, NetworkId network,
                   const std::vector<bool>& there) {
  FluidShape shape;
  shape.segments.resize(graph.size());
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
    FluidStep step;
    for (const PlacementOption& option : options.Of(network, segment)) {
      if (there[option.kind]) step.options.push_back(option);
    }
    shape.runnable = shape.runnable && !step.options.empty();
    shape.segments[segment.index()].options = step.options;
    shape.runs[run_of[segment.index()]].steps.push_back(std::move(step));
  }
  if (!shape.runnable) return shape;

  for (FluidRun& run : shape.runs) {
    MergeEqualSteps(run.steps);
    for (const FluidStep& step : run.steps) {
      shape.variables += step.options.size();
      shape.least_time +=
          std::ranges::min_element(step.options, {}, &PlacementOption::time)->time * step.segments;
    }
  }
  MeasurePaths(shape);
  PlaceInTime(graph, shape.segments);
  return shape;
}

}  // namespace fairlead
