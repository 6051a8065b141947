#include "fairlead/world/policy_plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <string>

#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

struct LoadedPlugin {
  std::string path;
  PolicyEntry entry;
};

// Filled before runs begin, and never emptied: what was loaded stays.
std::deque<LoadedPlugin>& Plugins() {
  static std::deque<LoadedPlugin> plugins;
  return plugins;
}

std::string_view PathOf(std::string_view spec) { return spec.substr(0, spec.find(':')); }

Status Load(const std::string& path) {
  void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return Fail("{}: cannot be loaded: {}", path, dlerror());
  using EntryPoint = const PolicyPlugin* (*)();
  const auto entry_point =
      reinterpret_cast<EntryPoint>(dlsym(object, std::string(kPluginEntryPoint).c_str()));
  if (entry_point == nullptr)
    return Fail(
        "{}: has no {}: it is no policy, or one for another fairlead; see FAIRLEAD_POLICY in "
        "docs/guide/your-own-policy.md",
        path, kPluginEntryPoint);
  const PolicyPlugin* const plugin = entry_point();
  if (plugin == nullptr) return Fail("{}: hands over nothing", path);
  if (plugin->layout != kPluginLayout)
    return Fail("{}: made for {}, and this is {}: compile it again with this fairlead's headers",
                path, plugin->made_for, FAIRLEAD_PLUGIN_HEADERS);
  Plugins().push_back({path, plugin->entry()});
  LoadedPlugin& loaded = Plugins().back();
  loaded.entry.name = loaded.path;
  loaded.entry.choose = [path = loaded.path, choose = std::move(loaded.entry.choose)](
                            std::optional<std::string_view> options) -> Result<PolicyChoice> {
    auto choice = choose(options);
    if (!choice.has_value()) return Fail("{}: {}", path, choice.error().message);
    choice->canonical = path + choice->canonical;
    choice->make = [name = choice->canonical,
                    make = std::move(choice->make)](const PolicyContext& context) {
      PolicyContext named = context;
      named.name = name;
      return make(named);
    };
    return choice;
  };
  return {};
}

}  // namespace

bool IsPluginFile(std::string_view spec) {
  const std::string_view path = PathOf(spec);
  return path.find('/') != std::string_view::npos && path.ends_with(".so");
}

Status LoadPolicyPlugins(std::string_view list) {
  for (const std::string_view spec : SplitAt(list, ',')) {
    if (IsPluginFile(spec) && FindPlugin(PathOf(spec)) == nullptr)
      RETURN_IF_ERROR(Load(std::string(PathOf(spec))));
  }
  return {};
}

const PolicyEntry* FindPlugin(std::string_view path) {
  const auto found = std::ranges::find(Plugins(), path, &LoadedPlugin::path);
  return found == Plugins().end() ? nullptr : &found->entry;
}

}  // namespace fairlead
