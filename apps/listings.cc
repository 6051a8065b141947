// fairlead policies, networks, accelerators, mechanisms, check
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/verbs.h"
#include "fairlead/base/result.h"
#include "fairlead/base/units.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/text_table.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/long_segments.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/network_catalogue.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/sharing_scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// ---- Accelerators --------------------------------------------------------------------------

std::string AcceleratorsJson(std::span<const AcceleratorModel> accelerators) {
  JsonText json(2, JsonText::Root::kList);
  for (const AcceleratorModel& one : accelerators)
    json.Row("name", one.name, "description", one.description, "gmacs_per_s",
             one.PeakGmacsPerSecond(), "gb_per_s", one.DramGbPerSecond(), "word_bits",
             one.WordBits(), "units", one.UnitChoices().back());
  return std::move(json).Finish();
}

void PrintRows(std::span<const AcceleratorModel> accelerators) {
  fmt::print("{:<17}{:>8}{:>7}{:>6}{:>7}\n", "accelerator", "GMAC/s", "GB/s", "bits", "units");
  for (const AcceleratorModel& accelerator : accelerators) {
    fmt::print("{:<17}{:>8.0f}{:>7.0f}{:>6}{:>7}  {}\n", accelerator.name,
               accelerator.PeakGmacsPerSecond(), accelerator.DramGbPerSecond(),
               accelerator.WordBits(), accelerator.UnitChoices().back(),
               Wrapped(accelerator.description, 47, 47));
  }
}

void PrintAccelerators() {
  PrintRows(BuiltInAccelerators());
  fmt::print("\nplatform (for `platform:` in a scenario)\n");
  for (const ReadyPlatform& platform : ReadyPlatforms())
    fmt::print("{:<17}{}\n", platform.name, Wrapped(platform.description, 17, 17));
  fmt::print(
      "\n`{0} accelerators NAME` prints the description of one: a start for your\n"
      "own, which `{0} cost --on FILE.yaml` takes, and `kind: FILE.yaml` in a\n"
      "scenario.\n",
      TypedCommand());
}

// A built-in one as it is written down, for a start; a file as what it comes to.
int Describe(const ListOptions& options) {
  ASSIGN_OR_COMPLAIN(const auto found, FindAcceleratorModel(options.one, &ReadInput), kBadInput);
  const auto text = FindEmbeddedFile(fmt::format("data/accelerators/{}.yaml", options.one));
  if (options.form == OutputForm::kJson)
    fmt::print("{}", AcceleratorsJson({&found, 1}));
  else if (!text.has_value())
    PrintRows({&found, 1});
  else
    fmt::print("{}", *text);
  return kDone;
}

int ListAccelerators(const ListOptions& options) {
  if (!options.one.empty()) return Describe(options);
  if (options.form == OutputForm::kJson)
    fmt::print("{}", AcceleratorsJson(BuiltInAccelerators()));
  else
    PrintAccelerators();
  return kDone;
}

// ---- Networks ------------------------------------------------------------------------------

std::string NetworksJson() {
  JsonText json(2, JsonText::Root::kList);
  for (const LayeredNetwork& network : Zoo())
    json.Row("name", network.name, "layers", network.layers.size(), "parameters",
             network.Parameters(), "macs", network.Macs(), "input", network.input, "activations",
             network.Activations());
  return std::move(json).Finish();
}

void PrintNetworks() {
  fmt::print("{:<20}{:>6}{:>12}{:>9}{:>13}  {}\n", "network", "layers", "parameters", "GMACs",
             "activations", "input");
  for (const LayeredNetwork& network : Zoo()) {
    fmt::print("{:<20}{:>6}{:>10.2f} M{:>9.3f}{:>11.2f} M  {}\n", network.name,
               network.layers.size(), static_cast<double>(network.Parameters()) / 1e6,
               static_cast<double>(network.Macs()) / 1e9,
               static_cast<double>(network.Activations()) / 1e6, network.input);
    fmt::print("    {}\n", Wrapped(network.description, 4, 4));
  }
}

// The names of what a layer waits for.
std::vector<std::string_view> Waits(const LayeredNetwork& network, const NetworkLayer& layer) {
  std::vector<std::string_view> names;
  names.reserve(layer.after.size());
  for (std::uint32_t before : layer.after) names.push_back(network.layers[before].name);
  return names;
}

// "3x64 7x7/2": inputs and outputs, kernel and stride; what multiplies nothing has no inputs here.
std::string ShapeText(const LayerShape& shape) {
  std::string text =
      shape.Multiplies() ? fmt::format("{}x{}", shape.c, shape.k) : fmt::format("{}", shape.k);
  if (shape.kind == LayerKind::kLinear) return text;
  if (shape.r * shape.s > 1 || shape.Multiplies()) text += fmt::format(" {}x{}", shape.r, shape.s);
  if (shape.stride > 1) text += fmt::format("/{}", shape.stride);
  if (shape.groups > 1) text += fmt::format(" in {} groups", shape.groups);
  return text;
}

std::string LayersJson(const LayeredNetwork& network) {
  JsonText json(2, JsonText::Root::kList);
  for (const NetworkLayer& layer : network.layers) {
    const LayerShape& shape = layer.shape;
    json.BeginObject();
    json.Put("name", layer.name, "kind", Name(shape.kind));
    json.Object("shape", "n", shape.n, "k", shape.k, "c", shape.c, "p", shape.p, "q", shape.q, "r",
                shape.r, "s", shape.s, "stride", shape.stride, "groups", shape.groups, "operands",
                shape.operands);
    json.Put("parameters", layer.parameters, "macs", shape.Macs(), "output",
             std::vector{shape.k, shape.p, shape.q}, "after", Waits(network, layer));
    json.End();
  }
  return std::move(json).Finish();
}

// A layer that waits for another than the one above it says so in a line of its own.
void PrintLayers(const LayeredNetwork& network) {
  std::size_t names = 5;
  std::size_t shapes = 5;
  for (const NetworkLayer& layer : network.layers) {
    names = std::max(names, layer.name.size());
    shapes = std::max(shapes, ShapeText(layer.shape).size());
  }
  fmt::print("{:<{}}  {:<13}  {:<{}}  {:>10}  {:>8}  {}\n", "layer", names, "kind", "shape", shapes,
             "parameters", "MMACs", "output");
  bool branches = false;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    const LayerShape& shape = layer.shape;
    fmt::print("{:<{}}  {:<13}  {:<{}}  {:>10}  {:>8.2f}  {}x{}x{}\n", layer.name, names,
               Name(shape.kind), ShapeText(shape), shapes, layer.parameters,
               static_cast<double>(shape.Macs()) / 1e6, shape.k, shape.p, shape.q);
    const bool after_previous = layer.after.size() == 1 && layer.after.front() + 1 == l;
    if (after_previous || (l == 0 && layer.after.empty())) continue;
    branches = true;
    const auto waits = Waits(network, layer);
    fmt::print("    {}\n", Wrapped(waits.empty() ? "after nothing"
                                                 : fmt::format("after {}", fmt::join(waits, " ")),
                                   4, 8));
  }
  if (branches)
    fmt::print("\nA layer waits for the one above it, unless a line below it names others.\n");
}

int ListNetworks(const ListOptions& options) {
  const bool json = options.form == OutputForm::kJson;
  if (options.one.empty()) {
    if (json)
      fmt::print("{}", NetworksJson());
    else
      PrintNetworks();
    return kDone;
  }
  ASSIGN_OR_COMPLAIN(const auto found, FindNetworkByName(options.one, &ReadInput), kBadInput);
  for (const std::string& warning : found.warnings) Tell("{}\n", warning);
  if (json)
    fmt::print("{}", LayersJson(found.network));
  else
    PrintLayers(found.network);
  return kDone;
}

// ---- Policies and mechanisms ---------------------------------------------------------------

// Of policies or of mechanisms.
template <typename Entry>
std::string EntriesJson(std::span<const Entry> entries) {
  JsonText json(2, JsonText::Root::kList);
  for (const Entry& entry : entries) {
    json.BeginObject();
    json.Put("name", entry.name, "description", entry.description);
    json.BeginList("options");
    for (const OptionInfo& option : entry.options)
      json.Row("key", option.key, "values", option.values, "default", option.default_value,
               "description", option.sentence);
    json.End();
    json.End();
  }
  return std::move(json).Finish();
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
    fmt::print("{}", EntriesJson(policies));
  else if (!options.one.empty())
    Describe(policies.front());
  else
    PrintPolicies();
  return kDone;
}

int ListMechanisms(const ListOptions& options) {
  if (options.form == OutputForm::kJson) {
    fmt::print("{}", EntriesJson(Mechanisms()));
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
  ASSIGN_OR_COMPLAIN(const auto scenario, ParseSharingScenario(file, text), kBadInput);
  const Market& market = scenario.worlds.front().market;
  fmt::print("{}: {} agents share {} accelerators for {} rounds at {} queue utilities\n", file,
             market.agents(), market.accelerators(), scenario.worlds.front().rounds,
             scenario.worlds.size());
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
  ASSIGN_OR_COMPLAIN(const auto text, ReadInput(options.scenario), kBadInput);
  if (IsSharing(text)) return CheckSharing(options.scenario, text);
  ASSIGN_OR_COMPLAIN(auto scenario, ParseScenario(options.scenario, text), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto world, BuildWorld(std::move(scenario), &ReadInput), kBadInput);
  for (const std::string& warning : world->warnings) Tell("{}\n", warning);
  if (world->scenario.serve.has_value())
    COMPLAIN_IF_ERROR(CheckLongSegments(*world, *world->truth), kBadInput);
  std::string facts = fmt::format(
      "{}: {}, {}, {}, {}", options.scenario, Counted(world->tenants.size(), "tenant"),
      Counted(world->agreements.size(), "agreement"), Counted(world->networks.size(), "network"),
      Counted(world->platform.accelerators.size(), "accelerator"));
  if (world->offered_load > 0)
    facts += fmt::format(", load {:.3f} of the fluid bound of {:.1f} requests/s",
                         world->offered_load, world->capacity_per_s);
  fmt::print("{}\n", Wrapped(facts, 0, 2));
  for (const std::string& note : world->notes) fmt::print("{}\n", note);
  return kDone;
}

}  // namespace fairlead
