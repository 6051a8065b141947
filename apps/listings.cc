// fairlead policies, accelerators, check
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/accelerator_listing.h"
#include "apps/help_text.h"
#include "apps/input_files.h"
#include "apps/network_listing.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/config/scenario.h"
#include "fairlead/config/world.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json PoliciesJson(std::span<const PolicyEntry> policies) {
  Json list = Json::array();
  for (const PolicyEntry& policy : policies) {
    Json options = Json::array();
    for (const OptionInfo& option : policy.options) {
      options.push_back({{"key", option.key},
                         {"values", option.values},
                         {"default", option.default_value},
                         {"description", option.sentence}});
    }
    list.push_back(
        {{"name", policy.name}, {"description", policy.description}, {"options", options}});
  }
  return list;
}

void PrintPolicies() {
  for (const PolicyEntry& policy : Policies()) {
    fmt::print("{:<18}{}\n", policy.name, Wrapped(policy.description, 18, 18));
    for (const OptionInfo& option : policy.options)
      fmt::print("    {}\n", Wrapped(fmt::format("{}={} [{}] {}", option.key, option.values,
                                                 option.default_value, option.sentence),
                                     4, 8));
  }
  fmt::print(
      "\nIn brackets: the default. `{0} policies NAME` describes one. Example:\n"
      "  {0} simulate SCENARIO.yaml --policy 'edf-h:drop=early;wait=never'\n",
      TypedCommand());
}

void Describe(const PolicyEntry& policy) {
  fmt::print("{}\n", Wrapped(fmt::format("{}: {}", policy.name, policy.description), 0, 0));
  for (const OptionInfo& option : policy.options)
    fmt::print(
        "\n  {}={}\n      {}\n", option.key, option.values,
        Wrapped(fmt::format("{} unless given. {}", option.default_value, option.sentence), 6, 6));
  fmt::print(
      "\nIts page, with what it guarantees and where it departs from its paper:\n"
      "docs/policies/{}.md. Example:\n  {} simulate SCENARIO.yaml --policy ",
      policy.name, TypedCommand());
  if (policy.options.empty())
    fmt::print("{}\n", policy.name);
  else
    fmt::print("'{}:{}={}'\n", policy.name, policy.options.front().key,
               policy.options.front().default_value);
}

int ListPolicies(const ListOptions& options) {
  std::span<const PolicyEntry> policies = Policies();
  if (!options.one.empty()) {
    const auto found = std::ranges::find(policies, options.one, &PolicyEntry::name);
    if (found == policies.end()) {
      std::vector<std::string_view> names;
      for (const PolicyEntry& policy : policies) names.push_back(policy.name);
      return Complain(
          {fmt::format("unknown policy '{}'{}", options.one, Suggest(options.one, names))},
          kBadInput);
    }
    policies = {found, 1};
  }
  if (options.form == OutputForm::kJson)
    fmt::print("{}\n", PoliciesJson(policies).dump(2));
  else if (!options.one.empty())
    Describe(policies.front());
  else
    PrintPolicies();
  return kDone;
}

}  // namespace

int Run(const ListOptions& options) {
  switch (options.what) {
    case Listing::kPolicies: return ListPolicies(options);
    case Listing::kNetworks: return ListNetworks(options);
    case Listing::kAccelerators: return ListAccelerators(options);
  }
  return kDone;
}

int Run(const CheckOptions& options) {
  const auto text = ReadInput(options.scenario);
  if (!text.has_value()) return Complain(text.error(), kBadInput);
  auto scenario = ParseScenario(options.scenario, *text);
  if (!scenario.has_value()) return Complain(scenario.error(), kBadInput);
  const auto world = BuildWorld(std::move(*scenario), &ReadInput);
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  for (const std::string& warning : (*world)->warnings) Tell("{}\n", warning);
  fmt::print("{}: {}, {}, {}, {}", options.scenario, Counted((*world)->tenants.size(), "tenant"),
             Counted((*world)->agreements.size(), "agreement"),
             Counted((*world)->networks.size(), "network"),
             Counted((*world)->platform.accelerators.size(), "accelerator"));
  if ((*world)->offered_load > 0)
    fmt::print(", load {:.3f} of the fluid bound of {:.1f} requests/s", (*world)->offered_load,
               (*world)->capacity_per_s);
  fmt::print("\n");
  for (const std::string& note : (*world)->notes) fmt::print("{}\n", note);
  return kDone;
}

}  // namespace fairlead
