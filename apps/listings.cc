// fairlead policies, accelerators, check
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/accelerator_listing.h"
#include "apps/input_files.h"
#include "apps/network_listing.h"
#include "apps/verbs.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/config/scenario.h"
#include "fairlead/config/world.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json PoliciesJson() {
  Json list = Json::array();
  for (const PolicyEntry& policy : Policies()) {
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
    fmt::print("{:<18}{}\n", policy.name, policy.description);
    for (const OptionInfo& option : policy.options)
      fmt::print("{:20}{}={} [{}] {}\n", "", option.key, option.values, option.default_value,
                 option.sentence);
  }
  fmt::print(
      "\nIn brackets: the default. Example:\n  fairlead simulate SCENARIO.yaml --policy "
      "'edf-h:drop=early;wait=never'\n");
}

}  // namespace

int Run(const ListOptions& options) {
  const bool json = options.form == OutputForm::kJson;
  switch (options.what) {
    case Listing::kPolicies:
      if (json)
        fmt::print("{}\n", PoliciesJson().dump(2));
      else
        PrintPolicies();
      break;
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
  fmt::print("{}: {} tenants, {} agreements, {} networks, {} accelerators", options.scenario,
             (*world)->tenants.size(), (*world)->agreements.size(), (*world)->networks.size(),
             (*world)->platform.accelerators.size());
  if ((*world)->offered_load > 0)
    fmt::print(", load {:.3f} of the fluid bound of {:.1f} requests/s", (*world)->offered_load,
               (*world)->capacity_per_s);
  fmt::print("\n");
  for (const std::string& note : (*world)->notes) fmt::print("{}\n", note);
  return kDone;
}

}  // namespace fairlead
