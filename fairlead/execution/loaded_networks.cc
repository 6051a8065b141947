#include "fairlead/execution/loaded_networks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/base/time.h"
#include "fairlead/execution/live_tensors.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

namespace {

constexpr int kPasses = 5;
constexpr double kLongEnough = 0.33;  // seconds

// By segment, the median of some passes through the whole network, after one that warms up: five of
// them, or as many as begin within a third of a second. By a thread that has entered the processor,
// with a run that nobody else uses; what the run holds is lost. Throws what the processor throws.
std::vector<Duration> MeasureSegments(NetworkRun& run, std::span<const std::size_t> bounds) {
  const std::size_t segments = bounds.size() - 1;
  std::vector<std::vector<double>> seconds(segments);
  const std::atomic<bool> stop = false;
  const Stopwatch all;
  for (int pass = 0; pass <= kPasses; ++pass) {
    if (pass > 1 && all.ElapsedSeconds() > kLongEnough) break;
    for (std::size_t s = 0; s < segments; ++s) {
      const Stopwatch one;
      run.RunLayers(bounds[s], bounds[s + 1], stop);
      if (pass > 0) seconds[s].push_back(one.ElapsedSeconds());
    }
  }
  std::vector<Duration> times;
  for (std::vector<double>& some : seconds) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    std::ranges::nth_element(some, middle);
    times.emplace_back(std::max<std::int64_t>(std::llround(*middle * 1e9), 1));
  }
  return times;
}

}  // namespace

BatchSizes BatchSizesOf(const Platform& platform, std::size_t networks, const CostTable& costs) {
  std::vector<std::vector<std::set<int>>> by_kind(platform.kinds.size());
  for (auto& of_kind : by_kind) of_kind.resize(networks);
  costs.ForEach([&](const CostRow& row) {
    by_kind[row.kind.index()][row.network.index()].insert(row.configuration.batch);
  });
  BatchSizes sizes;
  for (const Accelerator& accelerator : platform.accelerators) {
    auto& of_accelerator = sizes.emplace_back();
    for (const std::set<int>& batches : by_kind[accelerator.kind.index()])
      of_accelerator.emplace_back(batches.begin(), batches.end());
  }
  return sizes;
}

LoadedNetworks::LoadedNetworks(LoadSpec spec) : spec_(std::move(spec)) {
  CHECK(spec_.batches.size() == spec_.processors.size());
  for (const auto& of_accelerator : spec_.batches)
    CHECK(of_accelerator.size() == spec_.networks.size());
  for (std::size_t n = 0; n < spec_.networks.size(); ++n) {
    std::vector<std::vector<int>> batches;
    for (const auto& of_accelerator : spec_.batches) batches.push_back(of_accelerator[n]);
    Add(std::move(spec_.networks[n]), batches);
  }
  spec_.networks.clear();
}

NetworkId LoadedNetworks::Add(RunnableNetwork network, std::span<const std::vector<int>> batches) {
  CHECK(network.bounds.back() == network.graph.operators.size());
  const NetworkId id{networks_.size()};
  live_.Add(LiveElementsByLayer(network.graph));
  networks_.Add(std::move(network));
  ListPools(id, batches);
  return id;
}

void LoadedNetworks::ListPools(NetworkId network, std::span<const std::vector<int>> batches) {
  std::vector<std::vector<std::size_t>> pools_of(accelerators());
  for (std::size_t a = 0; a < accelerators(); ++a) {
    for (const int batch : batches[a]) {
      const std::size_t pool = FindPool(AcceleratorId{a}, network, batch);
      if (pool == pools_.size())
        pools_.Add({.network = network, .batch = static_cast<std::size_t>(batch)});
      pools_[pool].accelerators.push_back(AcceleratorId{a});
      pools_of[a].push_back(pool);
    }
  }
  pools_of_.Add(std::move(pools_of));
}

void LoadedNetworks::RemoveLast() {
  const NetworkId last{networks_.size() - 1};
  while (!pools_.empty() && pools_[pools_.size() - 1].network == last) pools_.RemoveLast();
  pools_of_.RemoveLast();
  networks_.RemoveLast();
  live_.RemoveLast();
}

std::vector<int> LoadedNetworks::BatchesOn(AcceleratorId accelerator) const {
  std::set<int> batches;
  for (const auto& of_network : pools_of_) {
    for (const std::size_t pool : of_network[accelerator.index()])
      batches.insert(static_cast<int>(pools_[pool].batch));
  }
  return {batches.begin(), batches.end()};
}

void LoadedNetworks::SetGraph(NetworkId network, OperatorGraph graph) {
  CHECK(graph.operators.empty() ||
        graph.operators.size() == networks_[network.index()].bounds.back());
  networks_[network.index()].graph = std::move(graph);
}

// Of a processor before that shares its runs with this one; else there is none yet.
std::size_t LoadedNetworks::FindPool(AcceleratorId accelerator, NetworkId network,
                                     int batch) const {
  std::size_t index = 0;
  for (const RunPool& pool : pools_) {
    if (pool.network == network && pool.batch == static_cast<std::size_t>(batch) &&
        processor(pool.accelerators.front()).SharesRunsWith(processor(accelerator)))
      break;
    ++index;
  }
  return index;
}

Result<std::unique_ptr<LoadedNetworks>> LoadedNetworks::Load(LoadSpec spec) {
  std::unique_ptr<LoadedNetworks> networks(new LoadedNetworks(std::move(spec)));
  for (std::size_t a = 0; a < networks->accelerators(); ++a) {
    Status loaded;
    std::thread thread([&] { loaded = networks->LoadOn(AcceleratorId{a}); });
    thread.join();
    RETURN_IF_ERROR(std::move(loaded));
  }
  return networks;
}

// What no processor before has loaded for it.
Status LoadedNetworks::LoadOn(AcceleratorId accelerator) {
  Processor& on = processor(accelerator);
  try {
    RETURN_IF_ERROR(on.Enter());
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      if (pools_[p].accelerators.front() != accelerator) continue;
      ASSIGN_OR_RETURN(LoadedPool loaded,
                       LoadPool(p, spec_.measure ? Measure::kSegments : Measure::kNothing));
      Exchange(p, loaded);
    }
  } catch (const std::exception& misfortune) {  // of a guest library, or of memory
    return Fail("{}: {}", on.name(), misfortune.what());
  }
  return {};
}

Result<LoadedPool> LoadedNetworks::LoadPool(std::size_t index, Measure measure) const {
  const RunPool& pool = pools_[index];
  Processor& on = processor(pool.accelerators.front());
  LoadedPool result;
  auto loaded = on.Load(network(pool.network).graph, pool.batch);
  if (!loaded.has_value()) return Fail("{}: {}", on.name(), loaded.error().message);
  result.loaded = std::move(*loaded);
  for (std::size_t i = 0; i < RunsOf(pool); ++i) {
    result.runs.push_back(result.loaded->NewRun());
    FillInputs(pool, *result.runs.back());
  }
  if (measure == Measure::kSegments)
    result.measured = MeasureSegments(*result.runs.front(), network(pool.network).bounds);
  return result;
}

void LoadedNetworks::Exchange(std::size_t pool, LoadedPool& with) {
  std::swap(pools_[pool].loaded, with.loaded);
  std::swap(pools_[pool].runs, with.runs);
  std::swap(pools_[pool].measured, with.measured);
}

// Each sample of each input gets the same numbers, on every processor.
void LoadedNetworks::FillInputs(const RunPool& pool, NetworkRun& run) const {
  const OperatorGraph& graph = network(pool.network).graph;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::span<float> all = run.Input(i);
    const std::size_t size = all.size() / pool.batch;
    RandomStream random(spec_.input_seed, fmt::format("input/{}/{}", graph.name, i));
    const std::span<float> first = all.first(size);
    std::ranges::generate(first, [&] { return static_cast<float>(random.Normal()); });
    for (std::size_t sample = 1; sample < pool.batch; ++sample)
      std::ranges::copy(first, all.subspan(sample * size, size).begin());
  }
}

std::size_t LoadedNetworks::PoolFor(AcceleratorId accelerator, NetworkId network,
                                    std::size_t jobs) const {
  for (const std::size_t pool : pools_of_[network.index()][accelerator.index()]) {
    if (pools_[pool].batch >= jobs) return pool;
  }
  CHECK_MSG(false, "no network is loaded for so large a batch");
  return 0;
}

std::size_t LoadedNetworks::MostLiveNumbers(NetworkId network) const {
  return static_cast<std::size_t>(std::ranges::max(live_[network.index()]));
}

}  // namespace fairlead
