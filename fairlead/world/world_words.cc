#include "fairlead/world/world_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/domain/agreement_terms.h"

namespace fairlead {
namespace {

constexpr std::size_t kShownGroups = 8;
constexpr std::size_t kShownChanges = 8;

std::string Percentage(double share) { return fmt::format("{:.4g} %", 100 * share); }

std::string PlatformWords(const Scenario& scenario) {
  const PlatformConfig& platform = scenario.platform;
  std::string text;
  for (const AcceleratorsConfig& one : platform.accelerators) {
    text += fmt::format("{}{} {}", text.empty() ? "Platform: " : ", ", one.count, one.kind);
    if (one.units > 1) text += fmt::format(" of {} units", one.units);
  }
  if (platform.bandwidth > 0 && platform.sharing != Sharing::kNone)
    return text + fmt::format("; {:.4g} GB/s of memory between them",
                              static_cast<double>(platform.bandwidth) * 1e-9);
  return text + "; no limit on the memory between them";
}

std::string TargetWords(const TenantsConfig& group) {
  std::string text = "best effort";
  const ServiceAgreement& promise = group.terms.promise;
  if (promise.target.has_value()) text = "promised " + Percentage(*promise.target);
  if (group.zipf.has_value()) {
    std::vector<std::string> rates;
    for (double rate : group.zipf->rates) rates.push_back(Percentage(rate));
    text = fmt::format("promised {}", fmt::join(rates, ", "));
  }
  if (promise.window > 0)
    text += fmt::format(", of {} in a row at most {} lost", promise.window, promise.max_misses);
  return text;
}

std::string GroupWords(const TenantsConfig& group) {
  std::string text =
      group.count > 1 ? fmt::format("{} \u00d7 {}", group.count, group.name) : group.name;
  text += fmt::format(": {}, {}", fmt::join(group.networks, ", "), TargetWords(group));
  if (group.rate.has_value()) text += fmt::format(", {:.4g} requests/s each", *group.rate);
  if (group.terms.Has("deadline"))
    text += " within " + FormatDuration(group.terms.promise.deadline);
  return text;
}

// A share by its value. Of others, that they are new.
std::string NewTermWords(const auto& term, const ServiceAgreement& promise) {
  using Value = std::remove_cvref_t<decltype(promise.*term.member)>;
  std::optional<double> share;
  if constexpr (std::is_same_v<Value, std::optional<double>>) share = promise.*term.member;
  if constexpr (std::is_same_v<Value, double>) {
    if (term.is_share) share = promise.*term.member;
  }
  if (share.has_value()) return fmt::format(" {} {}", term.key, Percentage(*share));
  return fmt::format(" another {}", term.key);
}

std::string ChangeWords(const ChangeConfig& change) {
  if (!change.accelerator.empty())
    return change.accelerator + (change.away ? " leaves" : " returns");
  if (!change.policy.empty()) return change.policy + " takes over";
  if (change.guard.has_value()) return "another guard";
  std::string text = fmt::format("{}'s {}:", change.tenant, change.network);
  ForEachTerm([&](const auto& term) {
    if (change.terms.Has(term.key)) text += NewTermWords(term, change.terms.promise);
  });
  return text;
}

// With what is left out, as a number.
void AddList(std::string_view title, const std::vector<std::string>& items, std::size_t shown,
             std::vector<std::string>& lines) {
  if (items.empty()) return;
  const std::size_t listed = std::min(items.size(), shown);
  std::string text = fmt::format(
      "{}: {}", title,
      fmt::join(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(listed), "; "));
  if (listed < items.size()) text += fmt::format("; and {} more", items.size() - listed);
  lines.push_back(text + ".");
}

}  // namespace

WorldWords WordsOf(const World& world) {
  const Scenario& scenario = world.scenario;
  WorldWords words;
  words.lines.push_back(PlatformWords(scenario) + ".");
  std::vector<std::string> groups;
  for (const TenantsConfig& group : scenario.tenants) groups.push_back(GroupWords(group));
  AddList("Tenants", groups, kShownGroups, words.lines);
  if (world.listed())
    words.lines.push_back(fmt::format("Requests: {} of {} tenants, from {}.", world.requests.size(),
                                      world.tenants.size(), scenario.requests));
  if (world.offered_load > 0)
    words.lines.push_back(
        fmt::format("Load: {:.3g} of what the fluid bound can carry, {:.4g} "
                    "requests/s.",
                    world.offered_load, world.offered_load * world.capacity_per_s));
  for (const ChangeConfig& change : scenario.changes)
    words.events.push_back({change.at, ChangeWords(change)});
  for (const TenantsConfig& group : scenario.tenants) {
    if (group.joins != Instant{}) words.events.push_back({group.joins, group.name + " joins"});
    if (group.leaves != kNever) words.events.push_back({group.leaves, group.name + " leaves"});
  }
  std::ranges::stable_sort(words.events, {}, &WorldEvent::at);
  std::vector<std::string> changes;
  for (const WorldEvent& event : words.events)
    changes.push_back(fmt::format("at {} {}", FormatDuration(event.at - Instant{}), event.what));
  AddList("Changes", changes, kShownChanges, words.lines);
  return words;
}

}  // namespace fairlead
