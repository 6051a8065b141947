#include "fairlead/config/network_catalogue.h"

#include <algorithm>

#include "fairlead/base/units.h"
#include "fairlead/costs/zoo.h"

namespace fairlead {

Result<FoundNetwork> FindNetworkByName(std::string_view name, const FileReader&) {
  const auto zoo = Zoo();
  const auto found = std::ranges::find(zoo, name, &LayeredNetwork::name);
  if (found != zoo.end()) return FoundNetwork{.network = *found, .warnings = {}};
  std::vector<std::string_view> names;
  for (const LayeredNetwork& network : zoo) names.push_back(network.name);
  return Fail("unknown network '{}'{}", name, Suggest(name, names));
}

}  // namespace fairlead
