// What happens to the numbers of a result before they are written: inside oneDNN's primitives where
// these permit it, as calls of their own elsewhere.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "fairlead/execution/onednn/recipe.h"
#include "fairlead/execution/onednn/recipes.h"

namespace fairlead {

// Scratch memory is ours, since oneDNN would allocate it with every call.
dnnl::primitive_attr BareAttributes();

struct FusedPosts {
  dnnl::primitive_attr attributes;
  std::optional<std::size_t> accumulates;  // see Recipe
};
// All of the operator's post-operations; none where more than one tensor is added.
std::optional<FusedPosts> FusePosts(const GraphOperator& op);

// The post-operations as calls on the output, which is in this layout.
void AppendPosts(const RecipeContext& context, Layout layout, Recipe& recipe);

// One function as calls of oneDNN's, from `from` to the output; the desc is of both.
void AppendActivation(const RecipeContext& context, const Activation& activation,
                      const dnnl::memory::desc& desc, Operand from, Recipe& recipe);

}  // namespace fairlead
