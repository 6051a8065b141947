#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fairlead/config/objective_text.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/config/scenario_sections.h"

namespace fairlead {

// require: {fairlead: ['quiet.hit_rate>=99%', 'promises_kept>=97%']}
Result<std::vector<RequireConfig>> ReadRequire(const ConfigNode& node) {
  if (!node.IsMap())
    return node.Wrong(
        "expected policies and what is asked of each, such as {fairlead: ['hit_rate>=80%']}");
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  std::vector<RequireConfig> require;
  for (const ConfigEntry& entry : entries) {
    const auto policy = ChoosePolicy(entry.key);
    if (!policy.has_value()) return FailAt(entry.place, "require: {}", policy.error().message);
    if (std::ranges::find(require, policy->canonical, &RequireConfig::policy) != require.end())
      return FailAt(entry.place, "require: {} stands twice", policy->canonical);
    ASSIGN_OR_RETURN(const auto list, entry.value.List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(std::string text, item.Text());
      const auto parts = SplitObjective(text);
      if (!parts.has_value()) return item.Wrong(parts.error().message);
      require.push_back({policy->canonical, std::move(text), item.Place()});
    }
  }
  return require;
}

}  // namespace fairlead
