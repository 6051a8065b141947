#include "fairlead/networks/onnx/onnx_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/onnx/graph_import.h"
#include "fairlead/networks/onnx/names.h"
#include "fairlead/networks/weight_drawing.h"

namespace fairlead {
namespace {

// "3x224x224" for one sample.
std::string DescribeInputs(const std::vector<Dims>& all) {
  std::vector<std::string> inputs;
  for (const Dims& dims : all) {
    const Dims rest(dims.begin() + (dims.size() > 1 ? 1 : 0), dims.end());
    inputs.push_back(fmt::format("{}", fmt::join(rest, "x")));
  }
  return fmt::format("{}", fmt::join(inputs, " "));
}

Result<ImportedNetwork> ImportLayers(std::string_view bytes) {
  ASSIGN_OR_RETURN(const ImportedGraph imported,
                   ImportGraph(bytes, {.values = WeightValues::kNone}));
  ASSIGN_OR_RETURN(GraphLayers found, FindLayers(imported.graph, imported.inferred.batch));
  if (found.layers.empty()) return Fail("has no operator that costs anything");
  ImportedNetwork result{.network = {.layers = std::move(found.layers)},
                         .warnings = imported.warnings.Lines()};
  std::ranges::copy(imported.inferred.warnings.Lines(), std::back_inserter(result.warnings));
  if (imported.inferred.batch > 1)
    result.warnings.push_back(fmt::format(
        "the file is for {} inputs at once, and so are all counts", imported.inferred.batch));
  result.network.input = DescribeInputs(imported.inferred.inputs);
  return result;
}

Result<OperatorGraph> ImportWithValues(std::string_view bytes,
                                       const OperatorImportOptions& options) {
  const bool draws = options.weights_seed.has_value();
  ASSIGN_OR_RETURN(
      ImportedGraph imported,
      ImportGraph(bytes, {.values = draws ? WeightValues::kPresent : WeightValues::kAll,
                          .most_weights = options.most_weights}));
  if (!draws) return std::move(imported.graph);
  return DrawWeights(std::move(imported.graph), *options.weights_seed);
}

// With the file's name in every message. ONNX's library throws; our own errors are Results.
template <typename Import>
auto Named(std::string_view file, const Import& import) -> decltype(import()) {
  try {
    auto imported = import();
    if (!imported.has_value()) return Fail("{}: {}", file, imported.error().message);
    return imported;
  } catch (const std::exception& error) {
    return Fail("{}: ONNX does not accept it: {}", file, error.what());
  }
}

}  // namespace

Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view bytes) {
  auto imported = Named(file, [&] { return ImportLayers(bytes); });
  if (!imported.has_value()) return imported;
  imported->network.name = NetworkNameOf(file);
  imported->network.description = fmt::format("imported from {}", file);
  return imported;
}

Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view bytes,
                                      const OperatorImportOptions& options) {
  auto graph = Named(file, [&] { return ImportWithValues(bytes, options); });
  if (graph.has_value()) graph->name = NetworkNameOf(file);
  return graph;
}

}  // namespace fairlead
