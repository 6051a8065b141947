#include "fairlead/networks/zoo_graphs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fairlead/networks/weight_drawing.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {

std::optional<OperatorGraph> ZooGraph(std::string_view name, std::uint64_t weights_seed) {
  const auto entry = std::ranges::find(ZooEntries(), name, &ZooEntry::name);
  if (entry == ZooEntries().end()) return std::nullopt;
  OperatorGraph graph = entry->build();
  graph.name = name;
  return DrawWeights(std::move(graph), weights_seed);
}

}  // namespace fairlead
