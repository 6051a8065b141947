// All networks on all processors on which they may run: loaded, with runs made beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/platform.h"
#include "fairlead/execution/processor.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// A network whose segments are ranges of its layers, one after the other.
struct RunnableNetwork {
  OperatorGraph graph;              // as fused by FuseOperators
  std::vector<std::size_t> bounds;  // the layers at which its segments begin, and the layer count
};

// By accelerator and network: the batch sizes that it may run with there, ascending. None: it does
// not run there.
using BatchSizes = std::vector<std::vector<std::vector<int>>>;
// Those that the costs name.
BatchSizes BatchSizesOf(const Platform& platform, std::size_t networks, const CostTable& costs);

struct LoadSpec {
  std::vector<std::unique_ptr<Processor>> processors;  // by accelerator
  std::vector<RunnableNetwork> networks;               // by id
  BatchSizes batches;
  std::size_t runs = 2;  // for each network, batch size and processor
  // All inputs hold numbers drawn from it before anybody writes there.
  std::uint64_t input_seed = 1;
};

// One network with one batch size on one processor, or on several that share their runs: weights
// are there once, and a job that goes from one to the other finds its tensors in place.
struct RunPool {
  std::vector<AcceleratorId> accelerators;
  NetworkId network;
  std::size_t batch = 1;
  std::unique_ptr<LoadedNetwork> loaded;
  std::vector<std::unique_ptr<NetworkRun>> runs;
};

// What a pool has loaded, apart from it: on its way in or out.
struct LoadedPool {
  std::unique_ptr<LoadedNetwork> loaded;
  std::vector<std::unique_ptr<NetworkRun>> runs;
};

class LoadedNetworks {
 public:
  // Each processor that loads something is entered by a thread of its own; one after the other,
  // since those that measure while they load want quiet.
  static Result<std::unique_ptr<LoadedNetworks>> Load(LoadSpec spec);

  Processor& processor(AcceleratorId id) const { return *spec_.processors[id.index()]; }
  const RunnableNetwork& network(NetworkId id) const { return spec_.networks[id.index()]; }
  std::size_t accelerators() const { return spec_.processors.size(); }
  std::size_t networks() const { return spec_.networks.size(); }

  const std::vector<RunPool>& pools() const { return pools_; }

  // ---- While jobs run. JobTensors sees to it that nobody uses what is exchanged.

  // Loads a pool once more, on a thread that has entered its processor.
  Result<LoadedPool> LoadPool(std::size_t pool) const;
  // Puts something else in its place; an empty one unloads it.
  void Exchange(std::size_t pool, LoadedPool& with);
  bool IsLoaded(std::size_t pool) const { return pools_[pool].loaded != nullptr; }
  // A processor that was lost is another one from now on. Nobody uses it.
  void Replace(AcceleratorId id, std::unique_ptr<Processor> processor) {
    spec_.processors[id.index()] = std::move(processor);
  }

  // The one with the smallest batch that is large enough, as an index. Precondition: there is one.
  std::size_t PoolFor(AcceleratorId accelerator, NetworkId network, std::size_t jobs) const;

  // How many numbers of one sample are alive at the boundary before a layer.
  std::size_t LiveNumbers(NetworkId network, std::size_t layer) const {
    return static_cast<std::size_t>(live_[network.index()][layer]);
  }
  // At the boundary where they are most.
  std::size_t MostLiveNumbers(NetworkId network) const;

 private:
  explicit LoadedNetworks(LoadSpec spec);
  void ListPools();
  std::size_t FindPool(AcceleratorId accelerator, NetworkId network, int batch) const;
  Status LoadOn(AcceleratorId accelerator);
  void FillInputs(const RunPool& pool, NetworkRun& run) const;

  LoadSpec spec_;
  std::vector<std::vector<std::int64_t>> live_;     // by network and boundary
  std::vector<RunPool> pools_;                      // by accelerator that loads, network and batch
  std::vector<std::vector<std::size_t>> pools_of_;  // by accelerator and network: ascending batches
};

}  // namespace fairlead
