// All ways to carry out an operator that oneDNN, or our own loops, offer.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/execution/onednn/recipe.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// What recipes are made for.
struct RecipeContext {
  const dnnl::engine& engine;
  const OperatorGraph& graph;
  const GraphOperator& op;
  std::size_t batch = 1;
  InstructionCap cap = InstructionCap::kNone;

  const TensorDims& ReadDims(std::size_t index) const;
  const TensorDims& OutputDims() const;
  dnnl::memory::desc ReadDesc(std::size_t index, Layout layout) const;
  dnnl::memory::desc OutputDesc(Layout layout) const;
};

// At least one, or an error that says what cannot be carried out; it does not name the operator.
Result<std::vector<Recipe>> RecipesFor(const RecipeContext& context);

// What distinguishes the operators that have different recipes: kind, dimensions, attributes and
// post-operations, without spaces.
std::string SignatureOf(const RecipeContext& context);

// The recipes of each family of operators: recipes.cc's business only.

// multiplying_recipes.cc: oneDNN's convolutions and inner products.
std::vector<Recipe> RecipesOf(const Convolution& convolution, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Linear& linear, const RecipeContext& context);

// any_layout_recipes.cc: pools, activations, sums and normalisations, in whatever layout the
// numbers are.
std::vector<Recipe> RecipesOf(const Pool& pool, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const ChannelScale& scale, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Activation& activation, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Binary& binary, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Softmax& softmax, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const LocalResponseNorm& norm, const RecipeContext& context);

// moving_recipes.cc: our own loops.
std::vector<Recipe> RecipesOf(const Concatenation& concatenation, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Slice& slice, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Transposition& transposition, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Reshape& reshape, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Resize& resize, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Reduction& reduction, const RecipeContext& context);
std::vector<Recipe> RecipesOf(const Padding& padding, const RecipeContext& context);

// None: it is known only by what it costs.
inline std::vector<Recipe> RecipesOf(const Opaque& /*opaque*/, const RecipeContext& /*context*/) {
  return {};
}

}  // namespace fairlead
