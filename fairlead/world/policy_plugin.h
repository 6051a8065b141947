// A policy of one's own in a shared object, beside those of the registry: `--policy ./mine.so`.
//
// The object has one entry point, which FAIRLEAD_POLICY defines. It is compiled against the headers
// of the fairlead that loads it, since both sides see the same classes: the entry point's name has
// a number that changes with the interface, and what it returns says for which headers and compiler
// it was made. What does not fit is refused with both sides named, and nothing of it is called.
//
// Only the command line names such files. A scenario, a recording or a client cannot make the
// program load code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/base/random.h"
#include "fairlead/base/result.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

// What the entry point hands over. The order of the first two never changes.
struct PolicyPlugin {
  std::uint64_t layout;  // kPluginLayout of the headers that it was compiled with
  const char* made_for;  // the same in words
  PolicyEntry (*entry)();
};

// The sizes of what both sides see, in one number.
constexpr std::uint64_t MixSizes() {
  std::uint64_t mixed = 0xcbf29ce484222325ULL;
  for (const std::size_t size :
       {sizeof(SystemState), sizeof(SystemView), sizeof(SchedulingPlan), sizeof(PlanEntry),
        sizeof(Job), sizeof(Assignment), sizeof(AcceleratorState), sizeof(FairnessLedger),
        sizeof(ServiceAgreement), sizeof(CostTable), sizeof(NetworkGraph), sizeof(Platform),
        sizeof(Event), sizeof(PolicyEntry), sizeof(PolicyContext), sizeof(PolicyChoice),
        sizeof(OptionInfo), sizeof(std::string)})
    mixed = (mixed ^ size) * 0x100000001b3ULL;
  return mixed;
}
inline constexpr std::uint64_t kPluginLayout = MixSizes();
#define FAIRLEAD_PLUGIN_HEADERS "fairlead " FAIRLEAD_PLUGIN_VERSION ", compiler " __VERSION__
#define FAIRLEAD_PLUGIN_VERSION "interface 1"
inline constexpr std::string_view kPluginEntryPoint = "fairlead_policy_plugin_1";

// The registry's row for a policy with these options; `OptionsOf(Options&)` describes them, as in
// policy_options.cc. A policy gets the name under which it was asked for, and its random stream.
template <typename Options>
PolicyEntry PluginEntry(std::string_view description,
                        std::unique_ptr<SchedulingPolicy> (*make)(std::string name, const Options&,
                                                                  RandomStream)) {
  Options described;
  PolicyEntry entry{.description = description};
  for (BoundOption& option : OptionsOf(described)) entry.options.push_back(std::move(option.info));
  entry.choose = [make](std::optional<std::string_view> text) -> Result<PolicyChoice> {
    Options options;
    const OptionTable table = OptionsOf(options);
    if (text.has_value()) RETURN_IF_ERROR(SetOptions(table, "this policy", *text));
    const std::string changed = OptionsText(table);
    // The loader puts its path before this.
    const std::string canonical = changed.empty() ? "" : ":" + changed;
    return PolicyChoice{.canonical = canonical,
                        .make = [make, options](const PolicyContext& context)
                            -> Result<std::unique_ptr<SchedulingPolicy>> {
                          return make(context.name, options, RandomStream(context.seed, "policy"));
                        }};
  };
  return entry;
}

// FAIRLEAD_POLICY("what it does, in a line", MakeMine)
#define FAIRLEAD_POLICY(description, make)                                                       \
  extern "C" const ::fairlead::PolicyPlugin* fairlead_policy_plugin_1() {                        \
    static const ::fairlead::PolicyPlugin plugin{                                                \
        ::fairlead::kPluginLayout, FAIRLEAD_PLUGIN_HEADERS,                                      \
        []() -> ::fairlead::PolicyEntry { return ::fairlead::PluginEntry(description, make); }}; \
    return &plugin;                                                                              \
  }

// Whether a policy of a list is a file: it has a slash, and ends in .so before its options.
bool IsPluginFile(std::string_view spec);

// Loads the files among the policies of a list, "edf-h,./mine.so:weight=2". From then on they are
// known by their paths, as they stand there. Before any run, from one thread.
Status LoadPolicyPlugins(std::string_view list);

// The policy of a file that was loaded; null where none is.
const PolicyEntry* FindPlugin(std::string_view path);

}  // namespace fairlead
