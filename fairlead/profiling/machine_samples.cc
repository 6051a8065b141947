#include "fairlead/profiling/machine_samples.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/statistics.h"
#include "fairlead/networks/operator_traffic.h"

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

ProfiledNetwork ConcludeAlone(const AloneSamples& samples, const LoadedNetwork& network) {
  const double median = QuantileOf(samples.visits, 0.5);
  ProfiledNetwork result{
      .batch = static_cast<std::int64_t>(network.batch()),
      .nanoseconds = QuantileOf(samples.visits, kReported),
      .median = samples.passes.empty() ? median : QuantileOf(samples.passes, 0.5),
      .spread = (QuantileOf(samples.visits, 0.75) - QuantileOf(samples.visits, 0.25)) / median};
  double sum = 0;
  for (std::size_t i = 0; i < samples.layers.size(); ++i) {
    result.layers.push_back({.name = network.graph().operators[i].name,
                             .implementation = network.Implementation(i),
                             .nanoseconds = QuantileOf(samples.layers[i], 0.5)});
    sum += result.layers.back().nanoseconds;
  }
  result.layers_sum = sum / result.nanoseconds;
  for (ProfiledLayer& layer : result.layers) layer.nanoseconds /= result.layers_sum;
  return result;
}

}  // namespace

void Conclude(const MachineSamples& samples, const ResidentNetworks& networks,
              MachineProfile& profile) {
  for (std::size_t p = 0; p < profile.partitions.size(); ++p) {
    profile.partitions[p].read_alone = QuantileOf(samples.read_alone[p], 0.5);
    profile.partitions[p].read_together = QuantileOf(samples.read_together[p], 0.5);
  }
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    for (std::size_t b = 0; b < profile.batches.size(); ++b) {
      for (std::size_t p = 0; p < profile.partitions.size(); ++p) {
        const AloneSamples& alone = samples.alone[profile.alone.size()];
        const LoadedNetwork& network = networks.Network(n, b, p);
        ProfiledNetwork result = ConcludeAlone(alone, network);
        result.network = n;
        result.partition = p;
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

}  // namespace fairlead
