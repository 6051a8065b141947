// The recipes of each family of operators: recipes.cc's business only.
#pragma once

#include <vector>

#include "fairlead/execution/onednn/recipes.h"

namespace fairlead {

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
