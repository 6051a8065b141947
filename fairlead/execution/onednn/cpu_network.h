// A network with one recipe for each layer, its weights packed and its memory planned.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/onednn/bound_recipe.h"
#include "fairlead/execution/onednn/storage.h"
#include "fairlead/execution/onednn/tuner.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

// What a partition's networks share; lives as long as any of them.
struct CpuContext {
  dnnl::engine engine;
  dnnl::stream stream;
};

class CpuNetwork final : public LoadedNetwork {
 public:
  // Fails where the machine has not enough memory.
  static Result<std::unique_ptr<CpuNetwork>> Make(std::shared_ptr<const CpuContext> context,
                                                  const OperatorGraph& graph, std::size_t batch,
                                                  const LayerRecipes& recipes,
                                                  const LayoutChoice& choice);

  const OperatorGraph& graph() const override { return graph_; }
  std::size_t batch() const override { return batch_; }
  std::string Implementation(std::size_t layer) const override;
  std::int64_t TouchedBytes(std::size_t layer) const override;
  std::unique_ptr<NetworkRun> NewRun() const override;

  std::size_t RunBytes() const { return storage_.bytes + scratch_bytes_; }

 private:
  friend class CpuRun;

  struct Layer {
    CompiledRecipe compiled;
    std::vector<float*> weights;
  };
  using ConversionKey = std::tuple<TensorDims, Layout, Layout>;

  CpuNetwork(std::shared_ptr<const CpuContext> context, const OperatorGraph& graph,
             std::size_t batch, const LayerRecipes& recipes, const LayoutChoice& choice);

  void PackWeights();
  void CompileConversions(const std::vector<Conversion>& conversions);
  const CompiledRecipe& CompiledConversion(const Conversion& conversion) const;
  ConversionKey KeyOf(const Conversion& conversion) const;

  const std::shared_ptr<const CpuContext> context_;
  const OperatorGraph& graph_;
  const std::size_t batch_;
  const std::vector<RecipeList> lists_;  // keeps the recipes
  std::vector<Layer> layers_;
  Storage storage_;
  std::vector<std::vector<LiveTensor>> live_;  // by boundary
  std::map<ConversionKey, std::unique_ptr<Recipe>> conversion_recipes_;
  std::map<ConversionKey, CompiledRecipe> conversions_;
  std::size_t scratch_bytes_ = 0;
  std::size_t weight_bytes_ = 0;
  std::unique_ptr<MemoryBlock> weights_;
};

}  // namespace fairlead
