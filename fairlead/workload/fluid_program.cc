#include "fairlead/workload/fluid_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

Presence::Presence(const Platform& platform, std::span<const PresenceChange> changes, Instant from,
                   Instant to)
    : stretches_{{from, platform.CountByKind()}},
      spells_of_kind_(platform.kinds.size()),
      seconds_of_kind_(platform.kinds.size()) {
  std::vector<bool> there(platform.accelerators.size(), true);
  for (const PresenceChange& change : changes) {
    if (change.at >= to) break;
    if (there[change.accelerator.index()] == change.there) continue;
    there[change.accelerator.index()] = change.there;
    if (change.at > stretches_.back().from)
      stretches_.push_back({change.at, stretches_.back().count});
    const KindId kind = platform.accelerators[change.accelerator.index()].kind;
    stretches_.back().count[kind.index()] += change.there ? 1 : -1;
  }
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Instant begin = stretches_[i].from;
    const Instant end = i + 1 < stretches_.size() ? stretches_[i + 1].from : to;
    for (std::size_t kind = 0; kind < spells_of_kind_.size(); ++kind) {
      const int count = stretches_[i].count[kind];
      if (count == 0) continue;
      seconds_of_kind_[kind] += count * Seconds(end - begin);
      // Who is there at the end stays.
      const Instant until = i + 1 < stretches_.size() ? end : kNever;
      std::vector<Spell>& spells = spells_of_kind_[kind];
      if (!spells.empty() && spells.back().to == begin) {
        spells.back().to = until;
      } else {
        spells.push_back({begin, until});
      }
    }
  }
}

bool Presence::IsThere(std::size_t kind, Instant arrival, Instant deadline) const {
  const std::vector<Spell>& spells = spells_of_kind_[kind];
  const auto found = std::ranges::upper_bound(spells, arrival, {}, &Spell::to);
  return found != spells.end() && found->from <= deadline;
}

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

namespace {

constexpr std::size_t kMostVariables = 20'000;  // of one program, roughly
constexpr std::size_t kMostBuckets = 8;         // of one load

}  // namespace

void FluidLoad::Divide(std::size_t most) {
  std::ranges::sort(deadlines, std::greater<>(), &WeightedDeadline::deadline);
  const auto limits = [this](Duration deadline) { return FluidTime(deadline) < shape.slowest; };
  double weight = 0;  // of deadlines that limit placements
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    if (!limits(deadlines[i].deadline)) continue;
    weight += deadlines[i].weight;
    if (i == 0 || deadlines[i].deadline != deadlines[i - 1].deadline) ++distinct;
  }
  const double share = distinct < most ? 0 : weight / static_cast<double>(most - 1);
  const auto joins = [&](const DeadlineBucket& bucket, const WeightedDeadline& next) {
    if (bucket.smallest == next.deadline || buckets.size() == most) return true;
    return bucket.limits ? bucket.weight < share : !limits(next.deadline);
  };
  for (const WeightedDeadline& next : deadlines) {
    if (buckets.empty() || !joins(buckets.back(), next))
      buckets.push_back(
          {.deadline = next.deadline, .smallest = next.deadline, .limits = limits(next.deadline)});
    buckets.back().smallest = next.deadline;
    buckets.back().weight += next.weight;
  }
}

FluidLoads::FluidLoads(const FluidSystem& system)
    : system_(system), options_(system), loads_(system.networks.size()) {}

std::size_t FluidLoads::SetOfKinds(const std::vector<bool>& there) {
  const auto found = std::ranges::find(sets_, there);
  if (found != sets_.end()) return static_cast<std::size_t>(found - sets_.begin());
  if (sets_.size() == kMostSets) return 0;
  sets_.push_back(there);
  return sets_.size() - 1;
}

bool FluidLoads::Add(NetworkId network, std::size_t kinds, Duration deadline, double weight) {
  std::vector<std::optional<FluidLoad>>& loads = loads_[network.index()];
  if (loads.size() <= kinds) loads.resize(kinds + 1);
  std::optional<FluidLoad>& load = loads[kinds];
  if (!load.has_value()) {
    load.emplace();
    load->shape = ShapeOf(options_, system_.networks[network.index()], network, sets_[kinds]);
  }
  if (!load->shape.runnable || load->shape.fastest > FluidTime(deadline)) return false;
  if (weight > 0) load->deadlines.push_back({deadline, weight});
  return true;
}

void FluidLoads::Divide() {
  std::size_t variables = 1;
  for (const auto& loads : loads_) {
    for (const auto& load : loads) variables += load.has_value() ? load->shape.variables : 0;
  }
  const std::size_t most = std::clamp<std::size_t>(kMostVariables / variables, 2, kMostBuckets);
  for (std::size_t network = 0; network < loads_.size(); ++network) {
    first_class_.push_back(classes_.size());
    for (auto& load : loads_[network]) {
      if (!load.has_value()) continue;
      load->Divide(most);
      load->classes.resize(load->buckets.size());
      for (const DeadlineBucket& bucket : load->buckets)
        classes_.push_back({network, &load->shape, bucket});
    }
    // The loosest are those with the most time for their longest path.
    const auto tightness = [](const FluidClass& one) {
      return one.shape->fastest / std::max(FluidTime(one.bucket.deadline), FluidTime(1));
    };
    std::stable_sort(
        classes_.begin() + static_cast<std::ptrdiff_t>(first_class_.back()), classes_.end(),
        [&](const FluidClass& a, const FluidClass& b) { return tightness(a) < tightness(b); });
    for (std::size_t c = first_class_.back(); c < classes_.size(); ++c) {
      for (auto& load : loads_[network]) {
        if (!load.has_value() || classes_[c].shape != &load->shape) continue;
        const auto bucket = std::ranges::find(load->buckets, classes_[c].bucket.deadline,
                                              &DeadlineBucket::deadline);
        load->classes[static_cast<std::size_t>(bucket - load->buckets.begin())] = c;
      }
    }
  }
  first_class_.push_back(classes_.size());
}

std::size_t FluidLoads::ClassOf(NetworkId network, std::size_t kinds, Duration deadline) const {
  const FluidLoad& load = *loads_[network.index()][kinds];
  const auto found = std::ranges::find_if(
      load.buckets, [&](const DeadlineBucket& bucket) { return bucket.smallest <= deadline; });
  CHECK(found != load.buckets.end());
  return load.classes[static_cast<std::size_t>(found - load.buckets.begin())];
}

namespace {

using Term = LinearProgram::Term;

// Costs beyond this many times what there is are taken for this; it only loosens bounds, by less
// than the tolerance, and the solver needs coefficients that it can compare.
constexpr double kLargestShare = 1e8;

}  // namespace

FluidProgram::FluidProgram(std::vector<double> seconds_of_kind, double bandwidth, double seconds,
                           DeadlineRule rule)
    : seconds_of_kind_(std::move(seconds_of_kind)), rule_(rule) {
  for (double& time : seconds_of_kind_) {
    if (time == 0) time = 1;  // nothing is placed there
    time_on_kind_.push_back(linear_.AddConstraint(0, 1, {}));
  }
  if (bandwidth <= 0) return;
  bytes_ = bandwidth * seconds;
  bandwidth_ = linear_.AddConstraint(0, 1, {});
}

void FluidProgram::Use(const PlacementOption& option, int variable, double share) {
  const double time = share * option.time / seconds_of_kind_[option.kind];
  linear_.AddTerm(time_on_kind_[option.kind], {variable, std::min(time, kLargestShare)});
  if (bandwidth_ < 0) return;
  linear_.AddTerm(bandwidth_, {variable, std::min(share * option.bytes / bytes_, kLargestShare)});
}

void FluidProgram::Serve(const FluidClass& requests, int amount) {
  const DeadlineBucket& bucket = requests.bucket;
  // Deadline rows count in the deadline; a deadline of 0 leaves room for no latency at all.
  const FluidTime unit = std::max(FluidTime(bucket.deadline), FluidTime(1));
  std::vector<std::vector<Term>> run_times;
  for (const FluidRun& run : requests.shape->runs) {
    std::vector<Term>& time = run_times.emplace_back();
    const FluidTime slack = SlackIn(run, bucket.deadline);
    for (const FluidStep& step : run.steps) {
      const FluidTime fastest = step.Fastest();
      std::vector<PlacementOption> options = step.options;
      if (rule_ == DeadlineRule::kByEach)
        std::erase_if(options, [&](const PlacementOption& option) {
          return FluidTime(option.latency) > fastest && FluidTime(option.latency) - fastest > slack;
        });
      const bool choice = options.size() > 1;
      std::vector<Term> shares = {{amount, -1}};
      for (const PlacementOption& option : options) {
        const int variable = choice ? linear_.AddVariable() : amount;
        if (choice) shares.push_back({variable, 1});
        Use(option, variable, bucket.weight * step.segments);
        const double latency = step.segments * (FluidTime(option.latency) / unit);
        time.push_back({variable, std::min(latency, kLargestShare)});
      }
      if (choice) linear_.AddConstraint(0, 0, shares);
    }
  }
  if (bucket.limits) LimitPaths(requests, amount, run_times);
}

void FluidProgram::LimitPaths(const FluidClass& requests, int amount,
                              const std::vector<std::vector<Term>>& run_times) {
  const std::vector<FluidRun>& runs = requests.shape->runs;
  const double deadline = requests.bucket.deadline > Duration::zero() ? 1 : 0;
  std::vector<int> finish;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    finish.push_back(runs[i].last ? amount : linear_.AddVariable());
    std::vector<Term> terms = {{finish[i], runs[i].last ? deadline : 1}};
    for (const Term& time : run_times[i]) terms.push_back({time.variable, -time.coefficient});
    if (runs[i].after.empty()) linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
    for (std::size_t before : runs[i].after) {
      terms.push_back({finish[before], -1});
      linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
      terms.pop_back();
    }
  }
}

ResourcePrices FluidProgram::Prices() const {
  ResourcePrices prices;
  for (std::size_t kind = 0; kind < time_on_kind_.size(); ++kind)
    prices.of_second.push_back(linear_.Price(time_on_kind_[kind]) / seconds_of_kind_[kind]);
  if (bandwidth_ >= 0) prices.of_byte = linear_.Price(bandwidth_) / bytes_;
  return prices;
}

}  // namespace fairlead
