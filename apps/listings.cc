// fairlead policies, accelerators, mechanisms, check
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
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/sharing_scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

// Of policies or of mechanisms.
template <typename Entry>
Json EntriesJson(std::span<const Entry> policies) {
  Json list = Json::array();
  for (const Entry& policy : policies) {
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

// What an option takes; where that is long, such that its lines can be broken.
std::string Choices(const OptionInfo& option) {
  constexpr std::size_t kLong = 70;
  std::string choices = fmt::format("{}={}", option.key, option.values);
  if (choices.size() <= kLong) return choices;
  for (std::size_t at = choices.find('|'); at != std::string::npos; at = choices.find('|', at + 1))
    choices.insert(at + 1, " ");
  return choices;
}

// Of policies or of mechanisms.
template <typename Entry>
void PrintEntries(std::span<const Entry> entries, std::size_t names) {
  for (const Entry& entry : entries) {
    fmt::print("{:<{}}{}\n", entry.name, names, Wrapped(entry.description, names, names));
    for (const OptionInfo& option : entry.options)
      fmt::print("    {}\n", Wrapped(fmt::format("{} [{}] {}", Choices(option),
                                                 option.default_value, option.sentence),
                                     4, 8));
  }
}

// Another value than the default, where the values are words.
std::string_view OtherValue(const OptionInfo& option) {
  for (std::string_view left = option.values; !left.empty();) {
    const std::size_t end = std::min(left.find('|'), left.size());
    const std::string_view value = left.substr(0, end);
    if (value != option.default_value && value.find("..") == std::string_view::npos) return value;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return option.default_value;
}

void PrintPolicies() {
  PrintEntries(Policies(), 22);
  fmt::print(
      "\nIn brackets: the default. `{0} policies NAME` describes one. Example:\n"
      "  {0} simulate SCENARIO.yaml --policy 'edf-h:drop=early;wait=never'\n",
      TypedCommand());
}

void Describe(const PolicyEntry& policy) {
  fmt::print("{}\n", Wrapped(fmt::format("{}: {}", policy.name, policy.description), 0, 0));
  for (const OptionInfo& option : policy.options)
    fmt::print(
        "\n  {}\n      {}\n", Wrapped(Choices(option), 2, 6),
        Wrapped(fmt::format("{} unless given. {}", option.default_value, option.sentence), 6, 6));
  fmt::print(
      "\nIts page, with what it guarantees and where it departs from its paper:\n"
      "docs/policies/{}.md. Example:\n  {} simulate SCENARIO.yaml \\\n    --policy ",
      policy.name, TypedCommand());
  if (policy.options.empty())
    fmt::print("{}\n", policy.name);
  else
    fmt::print("'{}:{}={}'\n", policy.name, policy.options.front().key,
               OtherValue(policy.options.front()));
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
    fmt::print("{}\n", EntriesJson(policies).dump(2));
  else if (!options.one.empty())
    Describe(policies.front());
  else
    PrintPolicies();
  return kDone;
}

int ListMechanisms(const ListOptions& options) {
  if (options.form == OutputForm::kJson) {
    fmt::print("{}\n", EntriesJson(Mechanisms()).dump(2));
    return kDone;
  }
  PrintEntries(Mechanisms(), 24);
  fmt::print(
      "\nIn brackets: the default. Mechanisms divide accelerators among agents round by\n"
      "round and are not the policies of simulate: round-robin here hands out\n"
      "accelerators, there it puts segments in order; fixed-partition is not\n"
      "static-partition. oracle is no mechanism: `share` prints each one's share of\n"
      "that bound. Example:\n"
      "  {} share scenarios/sharing.yaml --mechanism 'gandiva-fair:scope=pool'\n",
      TypedCommand());
  return kDone;
}

// A scenario of `fairlead share`, by what only that has.
bool IsSharing(const std::string& text) {
  return text.starts_with("queue_utilities:") ||
         text.find("\nqueue_utilities:") != std::string::npos;
}

int CheckSharing(const std::string& file, const std::string& text) {
  const auto scenario = ParseSharingScenario(file, text);
  if (!scenario.has_value()) return Complain(scenario.error(), kBadInput);
  const Market& market = scenario->worlds.front().market;
  fmt::print("{}: {} agents share {} accelerators for {} rounds at {} queue utilities\n", file,
             market.agents(), market.accelerators(), scenario->worlds.front().rounds,
             scenario->worlds.size());
  return kDone;
}

}  // namespace

int Run(const ListOptions& options) {
  switch (options.what) {
    case Listing::kPolicies: return ListPolicies(options);
    case Listing::kNetworks: return ListNetworks(options);
    case Listing::kAccelerators: return ListAccelerators(options);
    case Listing::kMechanisms: return ListMechanisms(options);
  }
  return kDone;
}

int Run(const CheckOptions& options) {
  const auto text = ReadInput(options.scenario);
  if (!text.has_value()) return Complain(text.error(), kBadInput);
  if (IsSharing(*text)) return CheckSharing(options.scenario, *text);
  auto scenario = ParseScenario(options.scenario, *text);
  if (!scenario.has_value()) return Complain(scenario.error(), kBadInput);
  const auto world = BuildWorld(std::move(*scenario), &ReadInput);
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  for (const std::string& warning : (*world)->warnings) Tell("{}\n", warning);
  std::string facts = fmt::format("{}: {}, {}, {}, {}", options.scenario,
                                  Counted((*world)->tenants.size(), "tenant"),
                                  Counted((*world)->agreements.size(), "agreement"),
                                  Counted((*world)->networks.size(), "network"),
                                  Counted((*world)->platform.accelerators.size(), "accelerator"));
  if ((*world)->offered_load > 0)
    facts += fmt::format(", load {:.3f} of the fluid bound of {:.1f} requests/s",
                         (*world)->offered_load, (*world)->capacity_per_s);
  fmt::print("{}\n", Wrapped(facts, 0, 2));
  for (const std::string& note : (*world)->notes) fmt::print("{}\n", note);
  return kDone;
}

}  // namespace fairlead
