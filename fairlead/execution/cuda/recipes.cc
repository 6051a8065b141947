#include "fairlead/execution/cuda/recipes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "fairlead/execution/cuda/recipe_bodies.h"

namespace fairlead {
namespace {

bool SharesMemory(const at::Tensor& x, Reads reads) {
  return std::any_of(reads.begin(), reads.end(),
                     [&](const at::Tensor& read) { return x.is_alias_of(read); });
}

// The post-operations from the `first` on; `added` is what they add.
at::Tensor Finished(at::Tensor x, std::span<const PostOperation> posts, Reads added, Reads reads) {
  for (const PostOperation& post : posts) {
    const bool in_place = !SharesMemory(x, reads);
    if (const auto* activation = std::get_if<Activation>(&post)) {
      x = Activated(*activation, x, in_place);
    } else {
      x = in_place ? x.add_(added.front()) : at::add(x, added.front());
      added = added.subspan(1);
    }
  }
  return x;
}

TorchRecipe WithPostOperations(BodyRecipe body, const GraphOperator& op) {
  TorchRecipe recipe;
  recipe.name = std::move(body.name);
  recipe.by_cudnn = body.by_cudnn;
  std::size_t added = op.inputs.size();
  for (std::size_t i = 0; i < op.then.size(); ++i) {
    const auto* activation = std::get_if<Activation>(&op.then[i]);
    if (i < body.fused) {
      added += activation == nullptr ? 1 : 0;
    } else {
      recipe.name += ", " + (activation == nullptr ? "add" : NameOf(*activation));
    }
  }
  recipe.compute = [compute = std::move(body.compute), added,
                    posts = std::vector(op.then.begin() + static_cast<std::ptrdiff_t>(body.fused),
                                        op.then.end())](Reads reads) {
    return Finished(compute(reads), posts, reads.subspan(added), reads);
  };
  return recipe;
}

}  // namespace

Result<std::vector<TorchRecipe>> TorchRecipesOf(const OperatorGraph& graph, const GraphOperator& op,
                                                const TorchSetting& setting) {
  const OperatorSite site{graph, op, setting};
  ASSIGN_OR_RETURN(
      BodyRecipes bodies,
      std::visit([&](const auto& body) { return RecipesOfBody(body, site); }, op.body));
  std::vector<TorchRecipe> recipes;
  for (BodyRecipe& body : bodies) recipes.push_back(WithPostOperations(std::move(body), op));
  return recipes;
}

std::vector<std::int64_t> WithBatch(std::int64_t batch, const TensorDims& dims) {
  std::vector<std::int64_t> all = {batch};
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

}  // namespace fairlead
