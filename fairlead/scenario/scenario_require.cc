#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {
namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};

// Longer ones first, so that '>=' is not read as '>'.
constexpr std::array<Operator, 6> kOperators = {{{">=", Comparison::kAtLeast},
                                                 {"<=", Comparison::kAtMost},
                                                 {"==", Comparison::kEqual},
                                                 {">", Comparison::kAbove},
                                                 {"<", Comparison::kBelow},
                                                 {"=", Comparison::kEqual}}};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<ObjectiveParts> SplitObjective(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  if (at != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    const auto used = std::ranges::find_if(
        kOperators, [rest](const Operator& candidate) { return rest.starts_with(candidate.text); });
    const std::string_view figure = Trimmed(text.substr(0, at));
    const std::string_view bound = Trimmed(rest.substr(used->text.size()));
    if (bound.starts_with('<') || bound.starts_with('>') || bound.starts_with('='))
      return Fail(
          "'{}' is not an objective: comparisons are >= <= > < =; expected for example "
          "hit_rate>=80%",
          text);
    if (!figure.empty() && !bound.empty())
      return ObjectiveParts{std::string(figure), used->comparison, std::string(bound)};
  }
  return Fail("'{}' is not an objective; expected for example hit_rate>=80%", text);
}

// require: {fairlead: ['quiet.hit_rate>=99%', 'promises_kept>=97%']}
Result<std::vector<RequireConfig>> ReadRequire(const ConfigNode& node) {
  if (!node.IsMap())
    return node.Wrong(
        "expected policies and what is asked of each, such as {fairlead: ['hit_rate>=80%']}");
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  std::vector<RequireConfig> require;
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const auto list, entry.value.List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(std::string text, item.Text());
      const auto parts = SplitObjective(text);
      if (!parts.has_value()) return item.Wrong(parts.error().message);
      require.push_back({{entry.key, entry.place}, std::move(text), item.Place()});
    }
  }
  return require;
}

}  // namespace fairlead
