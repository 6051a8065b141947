// The recipes of each kind of operator, without post-operations, or with as many of the first ones
// as one call of a library takes.
#pragma once

#include <ATen/ATen.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/cuda/recipes.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// An operator in its graph.
struct OperatorSite {
  const OperatorGraph& graph;
  const GraphOperator& op;
  const TorchSetting& setting;

  const TensorDims& input() const { return graph.tensors[op.inputs[0]].dims; }
  const TensorDims& output() const { return graph.tensors[op.output].dims; }
};

struct BodyRecipe {
  std::string name;
  std::function<at::Tensor(Reads)> compute;
  std::size_t fused = 0;  // post-operations that it does itself
  bool by_cudnn = false;
};
using BodyRecipes = std::vector<BodyRecipe>;

// convolution_recipes.cc
Result<BodyRecipes> RecipesOfBody(const Convolution& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Linear& body, const OperatorSite& site);

// pool_recipes.cc
Result<BodyRecipes> RecipesOfBody(const Pool& body, const OperatorSite& site);

// arithmetic_recipes.cc
Result<BodyRecipes> RecipesOfBody(const ChannelScale& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Activation& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Binary& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Softmax& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const LocalResponseNorm& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Reduction& body, const OperatorSite& site);

// moving_recipes.cc
Result<BodyRecipes> RecipesOfBody(const Concatenation& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Slice& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Transposition& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Reshape& body, const OperatorSite& site);
Result<BodyRecipes> RecipesOfBody(const Padding& body, const OperatorSite& site);

// resize_recipes.cc
Result<BodyRecipes> RecipesOfBody(const Resize& body, const OperatorSite& site);

// The function of each number: in place where `in_place`, in new memory otherwise.
at::Tensor Activated(const Activation& activation, const at::Tensor& x, bool in_place);
// "relu", "hard_swish", ...
std::string NameOf(const Activation& activation);

// Pads height and width so that exactly the windows of an image of `output` size fit, the first one
// at -pad_before; takes pixels off where they reach less far.
at::Tensor PaddedForWindows(const at::Tensor& image, const ImageWindow& window,
                            std::array<std::int64_t, 2> output, double value);

// Refused: it is known only by what it costs.
inline Result<BodyRecipes> RecipesOfBody(const Opaque& body, const OperatorSite& /*site*/) {
  return Fail("no executor carries out {}", body.type);
}

}  // namespace fairlead
