// All networks on all processors on which they may run: loaded, with runs made beforehand.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/platform.h"
#include "fairlead/execution/processor.h"
#include "fairlead/networks/operator_fusion.h"

namespace fairlead {

// A list that grows while others read what they know to be in it: what it holds never moves.
//
// One thread at a time adds. Others may read any entry that they were told of by something that
// synchronises with its adding; size() alone tells of no entry's contents.
template <typename Entry>
class StableList {
 public:
  StableList() = default;
  StableList(const StableList&) = delete;
  StableList& operator=(const StableList&) = delete;

  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }
  Entry& operator[](std::size_t index) { return At(index); }
  const Entry& operator[](std::size_t index) const { return At(index); }

  Entry& Add(Entry entry) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    const std::size_t piece = PieceOf(index);
    if (pieces_[piece] == nullptr) pieces_[piece] = std::make_unique<Entry[]>(kFirst << piece);
    At(index) = std::move(entry);
    size_.store(index + 1, std::memory_order_release);
    return At(index);
  }

  // Nobody was told of it.
  void RemoveLast() {
    const std::size_t index = size_.load(std::memory_order_relaxed) - 1;
    At(index) = Entry{};
    size_.store(index, std::memory_order_release);
  }

  class Iterator {
   public:
    Iterator(const StableList* list, std::size_t index) : list_(list), index_(index) {}
    const Entry& operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const StableList* list_;
    std::size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  // Pieces of 16, 32, 64, ... entries.
  static constexpr std::size_t kFirst = 16;

  static std::size_t PieceOf(std::size_t index) {
    return static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1;
  }
  Entry& At(std::size_t index) const {
    const std::size_t piece = PieceOf(index);
    return pieces_[piece][index - kFirst * ((std::size_t{1} << piece) - 1)];
  }

  std::array<std::unique_ptr<Entry[]>, 32> pieces_;
  std::atomic<std::size_t> size_ = 0;
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
  bool measure = false;  // how long the segments of each pool take, when it is loaded
};

// One network with one batch size on one processor, or on several that share their runs: weights
// are there once, and a job that goes from one to the other finds its tensors in place.
struct RunPool {
  std::vector<AcceleratorId> accelerators;
  NetworkId network;
  std::size_t batch = 1;
  std::unique_ptr<LoadedNetwork> loaded;
  std::vector<std::unique_ptr<NetworkRun>> runs;
  std::vector<Duration> measured;  // by segment, alone; none where nobody has measured
};

// What a pool has loaded, apart from it: on its way in or out.
struct LoadedPool {
  std::unique_ptr<LoadedNetwork> loaded;
  std::vector<std::unique_ptr<NetworkRun>> runs;
  std::vector<Duration> measured;
};

class LoadedNetworks {
 public:
  // Each processor that loads something is entered by a thread of its own; one after the other,
  // since those that measure while they load want quiet.
  static Result<std::unique_ptr<LoadedNetworks>> Load(LoadSpec spec);

  Processor& processor(AcceleratorId id) const { return *spec_.processors[id.index()]; }
  const RunnableNetwork& network(NetworkId id) const { return networks_[id.index()]; }
  std::size_t accelerators() const { return spec_.processors.size(); }
  std::size_t networks() const { return networks_.size(); }

  const StableList<RunPool>& pools() const { return pools_; }

  // ---- While jobs run. JobTensors sees to it that nobody uses what is exchanged.

  // Another network, that nobody has loaded yet, with its pools. It may run with these batches, by
  // accelerator.
  NetworkId Add(RunnableNetwork network, std::span<const std::vector<int>> batches);
  // Takes back the last that was added; none of its pools is loaded, and nobody else knows of it.
  void RemoveLast();
  // The batches with which some network may run there.
  std::vector<int> BatchesOn(AcceleratorId accelerator) const;
  // What it needs to be loaded is forgotten, or is there again, with the same layers. None of its
  // pools is loaded.
  void SetGraph(NetworkId network, OperatorGraph graph);
  // Loads a pool once more, on a thread that has entered its processor; and measures it.
  enum class Measure : std::uint8_t { kNothing, kSegments };
  Result<LoadedPool> LoadPool(std::size_t pool, Measure measure = Measure::kNothing) const;
  // Puts something else in its place; an empty one unloads it.
  void Exchange(std::size_t pool, LoadedPool& with);
  // How many runs the pool has when it is loaded.
  std::size_t RunsOf(const RunPool& pool) const { return spec_.runs * pool.accelerators.size(); }
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
  void ListPools(NetworkId network, std::span<const std::vector<int>> batches);
  std::size_t FindPool(AcceleratorId accelerator, NetworkId network, int batch) const;
  Status LoadOn(AcceleratorId accelerator);
  void FillInputs(const RunPool& pool, NetworkRun& run) const;

  LoadSpec spec_;  // its networks have gone to the list
  StableList<RunnableNetwork> networks_;
  StableList<std::vector<std::int64_t>> live_;  // by network and boundary
  StableList<RunPool> pools_;
  // By network and accelerator: ascending batches.
  StableList<std::vector<std::vector<std::size_t>>> pools_of_;
};

}  // namespace fairlead
