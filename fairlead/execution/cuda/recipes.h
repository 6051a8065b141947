// The ways in which libtorch can carry out an operator: sequences of its functions that compute the
// same. Which is the fastest depends on the shapes, the precision and the GPU, so all are tried
// when a network is loaded.
//
// Recipes run wherever their tensors are; only some of cuDNN's need a GPU.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// What an operator reads, in the order of GraphOperator::Reads, the batch first.
using Reads = std::span<const at::Tensor>;

struct TorchRecipe {
  std::string name;  // "cudnn conv+bias+relu"
  // The result, in memory of its own or a view of what was read. Throws where it cannot be
  // computed so.
  std::function<at::Tensor(Reads)> compute;
  bool by_cudnn = false;  // which chooses an algorithm, and keeps it for each thread
  bool searched = false;  // it chooses by trying them
};

// What recipes are made for.
struct TorchSetting {
  std::int64_t batch = 1;
  at::TensorOptions numbers;  // device and type
  at::MemoryFormat images = at::MemoryFormat::Contiguous;
  // Weights where the numbers are, undefined for none.
  std::function<at::Tensor(const WeightsPointer&)> upload;
};

// At least one, with the operator's post-operations. Fails for what no recipe computes.
Result<std::vector<TorchRecipe>> TorchRecipesOf(const OperatorGraph& graph, const GraphOperator& op,
                                                const TorchSetting& setting);

// The batch, then the dimensions.
std::vector<std::int64_t> WithBatch(std::int64_t batch, const TensorDims& dims);

}  // namespace fairlead
