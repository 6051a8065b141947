#include "fairlead/profiling/machine_samples.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "fairlead/base/statistics.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

namespace {

// What disturbs a measurement makes it slower, so slow values say less.
constexpr double kReported = 0.25;
constexpr std::int64_t kLineBytes = 64;  // of a cache miss

double QuantileOf(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return Quantile(values, share);
}

// Counted by the processor (its last event is misses of the last-level cache), or by us; then never
// more than the partition can read in that time.
void AddTraffic(const ProfiledPartition& partition, const OperatorGraph& graph,
                const AloneSamples& samples, ProfiledNetwork& network) {
  const std::vector<std::int64_t> counted =
      CountTraffic(graph, network.batch, partition.cache_bytes);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    ProfiledLayer& layer = network.layers[i];
    if (!samples.counts.empty()) {
      layer.counts = samples.counts[i];
      layer.dram_bytes = kLineBytes * std::llround(layer.counts.back());
    } else {
      const double most = partition.read_alone * layer.nanoseconds * 1e-9;
      layer.dram_bytes = std::min(counted[i], static_cast<std::int64_t>(most));
    }
  }
}

// What requests meet on a partition, and on those that are alike.
struct MetSamples {
  std::vector<double> turns;
  std::vector<std::vector<double>> layers;

  void Add(const AloneSamples& samples) {
    turns.insert(turns.end(), samples.turns.begin(), samples.turns.end());
    layers.resize(samples.layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i)
      layers[i].insert(layers[i].end(), samples.layers[i].begin(), samples.layers[i].end());
  }
};

// Partitions that are alike take the same time, however they were disturbed while they were
// measured: else a policy would choose the one that had most luck, and be disappointed. Unless they
// are so far apart that their cores must be of two kinds.
MetSamples MetBy(const MachineSamples& samples, const MachineProfile& profile, std::size_t index) {
  constexpr double kOfTwoKinds = 1.4;
  const std::size_t count = profile.partitions.size();
  const std::size_t own = index % count;
  MetSamples all;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t p = 0; p < count; ++p) {
    if (profile.partitions[p].alike != profile.partitions[own].alike) continue;
    const AloneSamples& alone = samples.alone[index - own + p];
    const double median = QuantileOf(alone.turns, 0.5);
    least = std::min(least, median);
    most = std::max(most, median);
    all.Add(alone);
  }
  if (most <= kOfTwoKinds * least) return all;
  MetSamples alone;
  alone.Add(samples.alone[index]);
  return alone;
}

ProfiledNetwork ConcludeAlone(const AloneSamples& samples, const MetSamples& met,
                              const LoadedNetwork& network) {
  const double median = QuantileOf(met.turns, 0.5);
  ProfiledNetwork result{
      .batch = static_cast<std::int64_t>(network.batch()),
      .nanoseconds = median,
      .spread = (QuantileOf(met.turns, 0.75) - QuantileOf(met.turns, 0.25)) / median,
      .burst = QuantileOf(samples.visits, kReported),
      .median = QuantileOf(samples.passes.empty() ? samples.visits : samples.passes, 0.5)};
  double sum = 0;
  for (std::size_t i = 0; i < met.layers.size(); ++i) {
    result.layers.push_back({.name = network.graph().operators[i].name,
                             .implementation = network.Implementation(i),
                             .nanoseconds = QuantileOf(met.layers[i], 0.5),
                             .touched_bytes = network.TouchedBytes(i)});
    sum += result.layers.back().nanoseconds;
  }
  result.layers_sum = sum / result.nanoseconds;
  for (ProfiledLayer& layer : result.layers) layer.nanoseconds /= result.layers_sum;
  return result;
}

// Of partitions that are alike the first was measured.
void AddPressed(const AloneSamples& samples, ProfiledNetwork& network) {
  if (samples.pressed.empty()) return;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const double alone = std::max(QuantileOf(samples.unpressed[i], 0.5), 1.0);
    network.layers[i].pressed = std::max(1.0, QuantileOf(samples.pressed[i], 0.5) / alone);
  }
}

}  // namespace

void CopyToAlike(const MachineProfile& profile, MachineSamples& samples) {
  const std::size_t count = profile.partitions.size();
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t first = profile.partitions[p].alike;
    if (first == p) continue;
    for (std::size_t i = p; i < samples.alone.size(); i += count)
      samples.alone[i] = samples.alone[i - p + first];
    for (auto& layer : samples.layers) layer[p] = layer[first];
  }
}

void Conclude(const MachineSamples& samples, const ResidentNetworks& networks,
              MachineProfile& profile) {
  for (std::size_t p = 0; p < profile.partitions.size(); ++p) {
    profile.partitions[p].read_alone = QuantileOf(samples.read_alone[p], 0.5);
    profile.partitions[p].read_together = QuantileOf(samples.read_together[p], 0.5);
  }
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    for (std::size_t b = 0; b < profile.batches.size(); ++b) {
      for (std::size_t p = 0; p < profile.partitions.size(); ++p) {
        const std::size_t index = profile.alone.size();
        const AloneSamples& alone = samples.alone[index];
        const LoadedNetwork& network = networks.Network(n, b, p);
        ProfiledNetwork result = ConcludeAlone(alone, MetBy(samples, profile, index), network);
        result.network = n;
        result.partition = p;
        AddPressed(samples.alone[index - p + profile.partitions[p].alike], result);
        AddTraffic(profile.partitions[p], network.graph(), alone, result);
        profile.alone.push_back(std::move(result));
      }
    }
  }
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    for (const std::vector<double>& times : samples.layers[l])
      profile.layers[l].nanoseconds.push_back(QuantileOf(times, kReported));
  }
  for (std::size_t m = 0; m < profile.mixes.size(); ++m) {
    for (const std::vector<double>& visits : samples.mixes[m])
      profile.mixes[m].nanoseconds.push_back(visits.empty() ? 0 : QuantileOf(visits, kReported));
  }
  profile.disturbed_share = samples.passes > 0 ? samples.disturbed / samples.passes : 0;
}

std::vector<std::vector<double>> CountLayers(NetworkRun& run, std::size_t layers, int passes,
                                             const PerfCounters& counters) {
  static const std::atomic<bool> never = false;
  std::vector<std::vector<double>> counts(layers, std::vector<double>(counters.size()));
  std::vector<double> before(counters.size());
  std::vector<double> after(counters.size());
  run.RunLayers(0, layers, never);
  for (int pass = 0; pass < passes; ++pass) {
    counters.Read(before);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      run.RunLayers(layer, layer + 1, never);
      counters.Read(after);
      for (std::size_t e = 0; e < after.size(); ++e)
        counts[layer][e] += std::max(after[e] - before[e], 0.0) / passes;
      std::swap(before, after);
    }
  }
  return counts;
}

Status CountNetworks(const ResidentNetworks& resident, const CountedPlace& place,
                     const std::vector<int>& cores, MachineSamples& samples) {
  constexpr int kCountedPasses = 5;
  ASSIGN_OR_RETURN(const auto counters, PerfCounters::Open(CacheEvents(), cores));
  for (std::size_t n = 0; n < place.networks; ++n) {
    for (std::size_t b = 0; b < place.batches; ++b) {
      const std::size_t index = (n * place.batches + b) * place.partitions + place.partition;
      samples.alone[index].counts = CountLayers(
          resident.Run(n, b, place.partition), resident.Network(n, b, place.partition).LayerCount(),
          kCountedPasses, *counters);
    }
  }
  return {};
}

}  // namespace fairlead
