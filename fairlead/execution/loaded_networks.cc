#include "fairlead/execution/loaded_networks.h"

#include <algorithm>
#include <exception>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/execution/live_tensors.h"

namespace fairlead {

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
  for (const RunnableNetwork& network : spec_.networks) {
    CHECK(network.bounds.back() == network.graph.operators.size());
    live_.push_back(LiveElementsByLayer(network.graph));
  }
  ListPools();
}

void LoadedNetworks::ListPools() {
  for (std::size_t a = 0; a < accelerators(); ++a) {
    CHECK(spec_.batches[a].size() == networks());
    for (std::size_t n = 0; n < networks(); ++n) {
      first_pool_.push_back(pools_.size());
      pools_.resize(pools_.size() + spec_.batches[a][n].size());
      for (std::size_t p = first_pool_.back(); p < pools_.size(); ++p) {
        pools_[p].accelerator = AcceleratorId{a};
        pools_[p].network = NetworkId{n};
      }
    }
  }
  first_pool_.push_back(pools_.size());
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

Status LoadedNetworks::LoadOn(AcceleratorId accelerator) {
  Processor& on = processor(accelerator);
  try {
    RETURN_IF_ERROR(on.Enter());
    for (std::size_t n = 0; n < networks(); ++n) {
      const std::size_t first = first_pool_[accelerator.index() * networks() + n];
      const std::vector<int>& batches = spec_.batches[accelerator.index()][n];
      for (std::size_t b = 0; b < batches.size(); ++b) {
        RunPool& pool = pools_[first + b];
        auto loaded = on.Load(spec_.networks[n].graph, static_cast<std::size_t>(batches[b]));
        if (!loaded.has_value()) return Fail("{}: {}", on.name(), loaded.error().message);
        pool.loaded = std::move(*loaded);
        for (std::size_t i = 0; i < spec_.runs; ++i) {
          pool.runs.push_back(pool.loaded->NewRun());
          FillInputs(pool, *pool.runs.back());
        }
      }
    }
  } catch (const std::exception& misfortune) {  // of a guest library, or of memory
    return Fail("{}: {}", on.name(), misfortune.what());
  }
  return {};
}

// Each sample of each input gets the same numbers, on every processor.
void LoadedNetworks::FillInputs(const RunPool& pool, NetworkRun& run) const {
  const OperatorGraph& graph = network(pool.network).graph;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::span<float> all = run.Input(i);
    const std::size_t size = all.size() / pool.loaded->batch();
    RandomStream random(spec_.input_seed, fmt::format("input/{}/{}", graph.name, i));
    const std::span<float> first = all.first(size);
    std::ranges::generate(first, [&] { return static_cast<float>(random.Normal()); });
    for (std::size_t sample = 1; sample < pool.loaded->batch(); ++sample)
      std::ranges::copy(first, all.subspan(sample * size, size).begin());
  }
}

std::size_t LoadedNetworks::PoolFor(AcceleratorId accelerator, NetworkId network,
                                    std::size_t jobs) const {
  const std::size_t place = accelerator.index() * networks() + network.index();
  for (std::size_t p = first_pool_[place]; p < first_pool_[place + 1]; ++p) {
    if (pools_[p].loaded->batch() >= jobs) return p;
  }
  CHECK_MSG(false, "no network is loaded for so large a batch");
  return 0;
}

std::size_t LoadedNetworks::MostLiveNumbers(NetworkId network) const {
  return static_cast<std::size_t>(std::ranges::max(live_[network.index()]));
}

}  // namespace fairlead
