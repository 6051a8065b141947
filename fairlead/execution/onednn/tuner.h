// Finds out which recipes are fast on this partition, by running them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/layout_choice.h"
#include "fairlead/execution/onednn/recipes.h"

namespace fairlead {

// What was measured about recipes, kept on disk: the second load of a network measures nothing.
//
// One text file for each kind of machine (processor and version of oneDNN): a line with the
// format's version, then `key<TAB>value` lines in the order of their keys. A line that cannot be
// read is as good as missing, and the file may be deleted at any time.
class TuningCache {
 public:
  // Reads what is there. An empty folder: nothing is read or written.
  explicit TuningCache(const std::string& folder);

  // All thread-safe. Keys and values have neither tabs nor line ends.
  std::optional<std::string> Find(const std::string& key) const;
  void Put(const std::string& key, std::string value);
  // Adds what was put to the file, if anything was. Of two that save at the same moment one may be
  // lost, and is measured again some day.
  Status Save();

  const std::string& file() const { return file_; }  // empty: none

 private:
  using Table = std::map<std::string, std::string>;
  static Table Read(const std::string& file);

  std::string file_;
  mutable std::mutex mutex_;
  Table table_;
  bool changed_ = false;
};

// The content of a cache file as a table; empty where the first line is not ours.
std::map<std::string, std::string> ParseTunings(std::string_view text);

// From one layout to another, as a recipe: its only read to the output.
Recipe ConversionRecipe(const dnnl::engine& engine, const TensorDims& dims, std::size_t batch,
                        Layout from, Layout to);

using RecipeList = std::shared_ptr<const std::vector<Recipe>>;

// The recipes of every layer of a network. Layers of equal shape share a list.
struct LayerRecipes {
  std::vector<RecipeList> lists;
  std::vector<std::string> signatures;
};
Result<LayerRecipes> FindRecipes(const dnnl::engine& engine, const OperatorGraph& graph,
                                 std::size_t batch, InstructionCap cap);

class Tuner {
 public:
  // `scope` names the partition: what was measured with other threads or another cap is not used.
  struct Scope {
    int threads = 1;
    std::string name;
  };
  Tuner(const dnnl::engine& engine, const dnnl::stream& stream, TuningCache& cache, Scope scope)
      : engine_(engine),
        stream_(stream),
        cache_(cache),
        threads_(scope.threads),
        scope_(std::move(scope.name)) {}

  // Good choices of a recipe for each layer, the best first; `nanoseconds` has what the graph's
  // manner adds for the bytes that are touched.
  std::vector<RatedChoice> Choose(const OperatorGraph& graph, std::size_t batch,
                                  const LayerRecipes& recipes);

  // The choice that proved best for this network before; checked to be one.
  // Manners have theirs.
  struct Tuned {
    const LayerRecipes& recipes;
    std::size_t batch = 1;
    ExecutionManner manner = ExecutionManner::kFast;
  };
  std::optional<LayoutChoice> Remembered(const Tuned& tuned) const;
  void Remember(const Tuned& tuned, const LayoutChoice& choice);

 private:
  std::vector<double> TimesOf(const OperatorGraph& graph, const GraphOperator& op,
                              std::size_t batch, const std::string& signature,
                              const std::vector<Recipe>& recipes);
  double ConversionTime(const TensorDims& dims, std::size_t batch, Layout from, Layout to);
  std::string NetworkKey(const Tuned& tuned) const;

  const dnnl::engine& engine_;
  const dnnl::stream& stream_;
  TuningCache& cache_;
  const int threads_;
  const std::string scope_;
};

}  // namespace fairlead
