// How a network is carried out on one partition at one batch size: a recipe for each layer, chosen
// by trying all of them there, and which layers are launched together.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/execution/cuda/cuda_processors.h"
#include "fairlead/execution/cuda/gpu_partition.h"
#include "fairlead/execution/cuda/library_thread.h"
#include "fairlead/execution/cuda/recipes.h"
#include "fairlead/execution/cuda/weight_store.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Layers that are launched as one.
struct LayerPiece {
  std::size_t first = 0;
  std::size_t last = 0;  // the one behind
  Duration duration{};   // as measured
};

struct CudaLayer {
  TorchRecipe recipe;
  Duration duration{};
};

// The boundaries at which a tensor is alive: from `begin` to before `end`.
struct TensorLife {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct CudaPlan {
  const OperatorGraph* graph = nullptr;  // not owned
  std::shared_ptr<GpuPartition> partition;
  std::int64_t batch = 1;
  at::TensorOptions numbers;
  at::MemoryFormat images = at::MemoryFormat::Contiguous;
  Duration launch_ahead{};
  Duration patience{};
  std::vector<CudaLayer> layers;
  std::vector<LayerPiece> pieces;     // ascending; each of several layers
  std::vector<at::Tensor> constants;  // per tensor: for the whole batch; undefined if computed
  std::vector<std::shared_ptr<const DeviceWeights>> weights;

  std::vector<TensorLife> lives;  // per tensor

  // For a tensor of the graph, uninitialised.
  at::Tensor NewTensor(TensorIndex tensor) const;
  // Calls visit(tensor) for those that are alive before a layer, ascending.
  template <typename Visit>
  void ForEachAlive(std::size_t layer, const Visit& visit) const {
    for (TensorIndex i = 0; i < lives.size(); ++i) {
      if (lives[i].begin <= layer && layer < lives[i].end) visit(i);
    }
  }
};

struct CudaPlanRequest {
  const OperatorGraph& graph;
  std::size_t batch = 1;
  std::shared_ptr<GpuPartition> partition;
  WeightStore& store;
  std::shared_ptr<LibraryThread> searching;  // null: algorithms are not searched for
  const CudaOptions& options;
};

// The same as LiveTensors says of each boundary.
std::vector<TensorLife> LivesOf(const OperatorGraph& graph);

// Fails, naming the layer, where no recipe works or the memory does not suffice.
Result<std::shared_ptr<const CudaPlan>> MakeCudaPlan(const CudaPlanRequest& request);

// Layers that follow each other and together take no longer than `duration`, in groups as large as
// possible; those that stay alone are left out.
std::vector<LayerPiece> PiecesOf(const std::vector<CudaLayer>& layers, Duration duration);

}  // namespace fairlead
