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

}  // namespace fairlead
