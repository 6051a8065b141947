#include <fmt/format.h>

#include <string>
#include <string_view>

#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {
namespace {

// The house policy.
constexpr std::string_view kUsualFallback = "fairlead";

Result<Duration> ParseLimit(const ConfigNode& node, std::string_view or_else) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  Result<Duration> time = ParseDuration(text);
  if (!time.has_value() || *time == Duration::zero() || *time > GuardOptions::kLongestTime)
    return node.Wrong(fmt::format("'{}' is no time above 0s, up to {}; expected for example 10ms{}",
                                  text, FormatDuration(GuardOptions::kLongestTime), or_else));
  return time;
}

Status ReadLimit(const ConfigMap& map, std::string_view key, Duration& out) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(out, ParseLimit(*node, ""));
  return {};
}

}  // namespace

// guard: {policy: fairlead, decision: 1ms, strikes: 3}
Result<GuardOptions> ReadGuard(const ConfigNode& node, Place& place) {
  place = node.Place();
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, {"policy", "decision", "idle", "strikes", "within", "back", "clock"}));
  GuardOptions guard{.fallback = std::string(kUsualFallback)};
  if (const auto policy = map.Find("policy"); policy.has_value()) {
    place = policy->Place();
    ASSIGN_OR_RETURN(guard.fallback, policy->Text());
  }
  RETURN_IF_ERROR(ReadLimit(map, "decision", guard.decision));
  RETURN_IF_ERROR(ReadLimit(map, "idle", guard.idle));
  RETURN_IF_ERROR(map.ReadInteger("strikes", guard.strikes, 1, GuardOptions::kMostStrikes));
  RETURN_IF_ERROR(ReadLimit(map, "within", guard.within));
  if (const auto back = map.Find("back"); back.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, back->Text());
    guard.back.reset();
    if (text != "never") {
      ASSIGN_OR_RETURN(guard.back, ParseLimit(*back, " or never"));
    }
  }
  if (const auto clock = map.Find("clock"); clock.has_value()) {
    ASSIGN_OR_RETURN(const std::size_t choice, clock->AsOneOf(kDecisionClockNames));
    guard.clock = static_cast<DecisionClock>(choice);
  }
  return guard;
}

}  // namespace fairlead
