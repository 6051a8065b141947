#include <algorithm>
#include <array>

#include "fairlead/base/units.h"
#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/scenario/ready_platforms.h"
#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {
namespace {

constexpr int kMostAccelerators = 4'096;
constexpr int kMostCores = 4'096;

Status TakeReadyPlatform(const ConfigNode& node, PlatformConfig& platform) {
  std::vector<std::string_view> names;
  for (const ReadyPlatform& ready : ReadyPlatforms()) names.push_back(ready.name);
  ASSIGN_OR_RETURN(const std::size_t chosen, node.AsOneOf(names));
  const ReadyPlatform& ready = ReadyPlatforms()[chosen];
  platform.ready = ready.name;
  platform.measured = ready.measured;
  platform.bandwidth = ready.bandwidth;
  platform.accelerators = ready.accelerators;
  for (AcceleratorsConfig& accelerators : platform.accelerators) accelerators.place = node.Place();
  return {};
}

// cores: [0, 1], instructions: avx2
Status ReadCores(const ConfigMap& map, const PlatformConfig& platform,
                 AcceleratorsConfig& accelerators) {
  const auto instructions = map.Find("instructions");
  const auto cores = map.Find("cores");
  if (!cores.has_value()) {
    if (instructions.has_value()) return instructions->Wrong("there are no 'cores' to use them");
    return {};
  }
  const auto taken = [](const AcceleratorsConfig& by, std::int64_t core) {
    return std::ranges::find(by.cores, core) != by.cores.end();
  };
  ASSIGN_OR_RETURN(const auto list, cores->List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const std::int64_t core, item.AsInteger(0, kMostCores - 1));
    const bool before = std::ranges::any_of(
        platform.accelerators, [&](const AcceleratorsConfig& other) { return taken(other, core); });
    if (before || taken(accelerators, core))
      return item.Wrong(fmt::format("core {} stands twice", core));
    accelerators.cores.push_back(static_cast<int>(core));
  }
  if (accelerators.cores.empty() || std::ssize(accelerators.cores) % accelerators.count != 0)
    return cores->Wrong(fmt::format("{} cores for {} accelerators; expected as many for each",
                                    accelerators.cores.size(), accelerators.count));
  if (!instructions.has_value()) return {};
  ASSIGN_OR_RETURN(accelerators.instructions, instructions->Text());
  if (FindInstructionCap(accelerators.instructions).has_value()) return {};
  constexpr std::array<std::string_view, 5> kCaps = {"sse41", "avx", "avx2", "avx512", "none"};
  return FailAt(instructions->Place(), "unknown instructions '{}'{}", accelerators.instructions,
                Suggest(accelerators.instructions, kCaps));
}

}  // namespace

Status ReadPlatform(const ConfigNode& node, PlatformConfig& platform) {
  if (node.IsText()) return TakeReadyPlatform(node, platform);
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"accelerators", "bandwidth", "sharing"}));
  if (const auto bandwidth = map.Find("bandwidth"); bandwidth.has_value()) {
    ASSIGN_OR_RETURN(platform.bandwidth, bandwidth->AsBandwidth());
  }
  if (const auto sharing = map.Find("sharing"); sharing.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, sharing->Text());
    const auto rule = ParseSharing(text);
    if (!rule.has_value()) return sharing->Wrong(rule.error().message);
    platform.sharing = *rule;
  }
  ASSIGN_OR_RETURN(const ConfigNode list_node, map.Require("accelerators"));
  ASSIGN_OR_RETURN(const auto list, list_node.List());
  int total = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(
        const ConfigMap entry,
        ConfigMap::Open(item, {"kind", "count", "units", "switching", "cores", "instructions"}));
    AcceleratorsConfig accelerators;
    accelerators.place = item.Place();
    RETURN_IF_ERROR(entry.Require("kind"));
    RETURN_IF_ERROR(entry.ReadText("kind", accelerators.kind));
    RETURN_IF_ERROR(entry.ReadInteger("count", accelerators.count, 1, kMostAccelerators));
    RETURN_IF_ERROR(entry.ReadInteger("units", accelerators.units, 1, 100'000));
    RETURN_IF_ERROR(entry.ReadDuration("switching", accelerators.switching, std::chrono::hours{1}));
    RETURN_IF_ERROR(ReadCores(entry, platform, accelerators));
    for (const AcceleratorsConfig& other : platform.accelerators) {
      if (other.kind == accelerators.kind)
        return FailAt(item.Place(), "kind '{}' stands twice; use count", other.kind);
    }
    total += accelerators.count;
    platform.accelerators.push_back(std::move(accelerators));
  }
  if (total == 0) return FailAt(list_node.Place(), "no accelerators");
  if (total > kMostAccelerators)
    return FailAt(list_node.Place(), "{} accelerators; at most {}", total, kMostAccelerators);
  return {};
}

}  // namespace fairlead
