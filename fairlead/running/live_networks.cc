#include "fairlead/running/live_networks.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/world/network_catalogue.h"
#include "fairlead/world/world_costs.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kWeightsSeed = 1;
constexpr double kMuchFaster = 0.8;  // than believed

const AcceleratorsConfig& ConfigOf(const World& world, const Accelerator& accelerator) {
  return world.scenario.platform.accelerators[accelerator.kind.index()];
}

// The accelerators of a kind get its cores in order, as many each.
Result<CpuPartitionSpec> PartitionOf(const World& world, std::size_t accelerator) {
  const std::vector<Accelerator>& all = world.platform.accelerators;
  const AcceleratorsConfig& config = ConfigOf(world, all[accelerator]);
  if (config.cores.empty())
    return FailAt(config.place, "'{}' has no cores to run on; give for example cores: [0]",
                  config.kind);
  if (config.units != 1)
    return FailAt(config.place, "'{}' has {} units, and its cores run one segment at a time",
                  config.kind, config.units);
  const auto first = std::ranges::find(all, all[accelerator].kind, &Accelerator::kind);
  const auto before = static_cast<std::ptrdiff_t>(accelerator) - (first - all.begin());
  const auto each = std::ssize(config.cores) / config.count;
  const auto begin = config.cores.begin() + before * each;
  CpuPartitionSpec spec{.name = all[accelerator].name, .cores = {begin, begin + each}};
  if (!config.instructions.empty()) {
    const auto cap = FindInstructionCap(config.instructions);
    CHECK(cap.has_value());
    spec.cap = *cap;
  }
  return spec;
}

// The file of that name, or the name itself.
Result<std::string> SourceOf(const Scenario& scenario, const std::string& network) {
  for (const std::string& file : scenario.networks.onnx) {
    if (std::filesystem::path(file).stem() == network) return Beside(scenario.file, file);
  }
  std::string_view name = network;
  if (name.ends_with(kGentleEnding)) name.remove_suffix(kGentleEnding.size());
  if (FindInZoo(name) != nullptr) return network;
  return Fail("where is '{}'? It is not built in; give its file, for example onnx: [{}.onnx]",
              network, network);
}

Status CheckChain(const NetworkGraph& network) {
  for (std::size_t s = 1; s < network.size(); ++s) {
    const auto after = network.Predecessors(SegmentId{s});
    if (after.size() != 1 || after.front() != SegmentId{s - 1})
      return Fail(
          "the segments of '{}' do not run one after the other, and executors keep a job in one "
          "place at a time",
          network.name());
  }
  return {};
}

// The layers that `fairlead profile` measures: operators, fused as far as possible.
Result<RunnableNetwork> WithMeasuredLayers(OperatorGraph graph,
                                           const std::vector<std::size_t>& bounds) {
  RunnableNetwork runnable{FuseOperators(std::move(graph)), bounds};
  const std::size_t layers = runnable.graph.operators.size();
  if (layers != bounds.back())
    return Fail("has {} layers to run, and costs for {}: measure it again with `fairlead profile`",
                layers, bounds.back());
  return runnable;
}

Result<RunnableNetwork> Runnable(const World& world, NetworkId id, const FileReader& read) {
  const NetworkGraph& network = world.networks[id.index()];
  const std::vector<std::size_t>& bounds = world.bounds[id.index()];
  RETURN_IF_ERROR(CheckChain(network));
  ASSIGN_OR_RETURN(const std::string source, SourceOf(world.scenario, network.name()));
  ASSIGN_OR_RETURN(OperatorGraph graph,
                   FindGraphByName(source, read, {.weights_seed = kWeightsSeed}));
  auto runnable = HasModelledCosts(world.scenario) ? FuseInSegments(std::move(graph), bounds)
                                                   : WithMeasuredLayers(std::move(graph), bounds);
  if (!runnable.has_value()) return Fail("'{}' {}", network.name(), runnable.error().message);
  return runnable;
}

}  // namespace

bool LiveCores::AreEnough() const {
  const std::set<int> distinct(partitions.begin(), partitions.end());
  return !left.empty() && distinct.size() == partitions.size();
}

LiveCores CoresOf(const World& world, std::span<const int> usable) {
  LiveCores cores;
  for (const AcceleratorsConfig& config : world.scenario.platform.accelerators)
    cores.partitions.insert(cores.partitions.end(), config.cores.begin(), config.cores.end());
  for (const int core : usable) {
    if (std::ranges::find(cores.partitions, core) == cores.partitions.end())
      cores.left.push_back(core);
  }
  return cores;
}

CostTable MeasuredBeliefs(const CostTable& believed, const World& world,
                          const LoadedNetworks& networks) {
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // network, kind, batch
  std::map<Key, const std::vector<Duration>*> measured;
  for (const RunPool& pool : networks.pools()) {
    if (pool.measured.empty()) continue;
    for (const AcceleratorId accelerator : pool.accelerators) {
      const KindId kind = world.platform.accelerators[accelerator.index()].kind;
      measured.emplace(Key(pool.network.index(), kind.index(), pool.batch), &pool.measured);
    }
  }
  return believed.WithLatencies(world.networks, [&](const CostRow& row) -> std::optional<Duration> {
    const auto found = measured.find(Key(row.network.index(), row.kind.index(),
                                         static_cast<std::size_t>(row.configuration.batch)));
    if (found == measured.end()) return std::nullopt;
    const HandOverCosts& costs = believed.hand_overs();
    const Duration latency =
        (*found->second)[row.segment.index()] +
        (costs.kinds() > row.kind.index() ? costs.HandOver(row.kind) : Duration::zero());
    const double ratio = Seconds(latency) / std::max(Seconds(row.cost.latency), 1e-9);
    if (ratio < kMuchFaster || ratio > 1 / kMuchFaster) return latency;
    return std::nullopt;
  });
}

Result<std::unique_ptr<Processor>> MakeProcessor(const World& world, AcceleratorId accelerator) {
  ASSIGN_OR_RETURN(const CpuPartitionSpec partition, PartitionOf(world, accelerator.index()));
  return MakeCpuPartition(partition);
}

Result<std::unique_ptr<LoadedNetworks>> LoadLiveNetworks(const World& world, const FileReader& read,
                                                         Measuring measuring) {
  std::vector<CpuPartitionSpec> partitions;
  for (std::size_t a = 0; a < world.platform.accelerators.size(); ++a) {
    ASSIGN_OR_RETURN(CpuPartitionSpec partition, PartitionOf(world, a));
    partitions.push_back(std::move(partition));
  }

  LoadSpec spec{.measure = measuring == Measuring::kSegments};
  spec.batches = BatchSizesOf(world.platform, world.networks.size(), *world.truth);
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    const bool asked_for = std::ranges::any_of(world.agreements, [&](const auto& planned) {
      return planned.agreement.network == NetworkId{n};
    });
    if (!asked_for) {
      spec.networks.push_back({.graph = {}, .bounds = {0}});
      for (auto& of_accelerator : spec.batches) of_accelerator[n].clear();
      continue;
    }
    auto network = Runnable(world, NetworkId{n}, read);
    if (!network.has_value())
      return FailAt(world.scenario.networks.place, "{}", network.error().message);
    spec.networks.push_back(std::move(*network));
  }
  for (std::size_t a = 0; a < partitions.size(); ++a) {
    auto processor = MakeCpuPartition(partitions[a]);
    if (!processor.has_value())
      return FailAt(ConfigOf(world, world.platform.accelerators[a]).place, "{}",
                    processor.error().message);
    spec.processors.push_back(std::move(*processor));
  }
  return LoadedNetworks::Load(std::move(spec));
}

}  // namespace fairlead
