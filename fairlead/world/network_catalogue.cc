#include "fairlead/world/network_catalogue.h"

#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {

namespace {

std::string_view Stem(std::string_view path) {
  path.remove_prefix(path.find_last_of('/') + 1);
  path.remove_suffix(kOnnxEnding.size());
  return path;
}

tl::unexpected<Error> UnknownNetwork(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LayeredNetwork& network : Zoo()) names.push_back(network.name);
  return Fail("unknown network '{}'{}", name, Suggest(name, names));
}

}  // namespace

Result<FoundNetwork> FindNetworkByName(std::string_view name, const FileReader& read) {
  if (name.ends_with(kOnnxEnding)) {
    ASSIGN_OR_RETURN(const std::string bytes, read(std::string(name)));
    ASSIGN_OR_RETURN(ImportedNetwork imported, ImportOnnx(name, bytes));
    FoundNetwork found{.network = std::move(imported.network), .warnings = {}};
    found.network.name = Stem(name);
    for (const std::string& warning : imported.warnings)
      found.warnings.push_back(fmt::format("{}: {}", name, warning));
    return found;
  }
  if (const LayeredNetwork* network = FindInZoo(name))
    return FoundNetwork{.network = *network, .warnings = {}};
  return UnknownNetwork(name);
}

Result<OperatorGraph> FindGraphByName(std::string_view name, const FileReader& read,
                                      const OperatorImportOptions& options) {
  if (name.ends_with(kGentleEnding)) {
    name.remove_suffix(kGentleEnding.size());
    if (name.ends_with(kOnnxEnding))
      return Fail("'{}{}': only built-in networks have gentle versions", name, kGentleEnding);
    ASSIGN_OR_RETURN(OperatorGraph graph, FindGraphByName(name, read, options));
    graph.name += kGentleEnding;
    graph.manner = ExecutionManner::kGentle;
    return graph;
  }
  if (name.ends_with(kOnnxEnding)) {
    ASSIGN_OR_RETURN(const std::string bytes, read(std::string(name)));
    ASSIGN_OR_RETURN(OperatorGraph graph, ImportOperators(name, bytes, options));
    graph.name = Stem(name);
    return graph;
  }
  auto graph = ZooGraph(name, options.weights_seed.value_or(1));
  if (!graph.has_value()) return UnknownNetwork(name);
  return std::move(*graph);
}

}  // namespace fairlead
