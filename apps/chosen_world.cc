#include "apps/chosen_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/world/objective_text.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

Result<std::unique_ptr<const World>> LoadWorld(const SimulateOptions& options,
                                               const ChosenScenario& chosen) {
  if (options.profile.empty()) {
    if (chosen.file.empty())
      return Fail("fairlead simulate: name a scenario, or --profile and --requests");
    ASSIGN_OR_RETURN(const std::string text, ReadInput(chosen.file));
    ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(chosen.file, text, chosen.settings));
    if (!options.requests.empty())
      RETURN_IF_ERROR(
          ReplaceRequests(scenario, std::filesystem::absolute(options.requests).string()));
    return BuildWorld(
        std::move(scenario), &ReadInput,
        options.live == "run" ? SegmentOrder::kOneAfterAnother : SegmentOrder::kAsNeeded);
  }
  BareWorldOptions bare{
      .profile = options.profile, .requests = options.requests, .plan = options.plan};
  if (!options.bandwidth.empty()) {
    auto bandwidth = ParseBandwidth(options.bandwidth);
    if (!bandwidth.has_value()) return Fail("--bandwidth: {}", bandwidth.error().message);
    bare.bandwidth = *bandwidth;
  }
  auto sharing = ParseSharing(options.sharing);
  if (!sharing.has_value()) return Fail("--sharing: {}", sharing.error().message);
  bare.sharing = *sharing;
  return BuildBareWorld(bare, &ReadInput);
}

Result<std::vector<std::string>> ChoosePolicies(const SimulateOptions& options,
                                                const World& world) {
  std::string list = options.policies;
  if (list.empty() && world.plan.has_value()) list = "fixed-plan";
  if (list.empty()) {
    for (const NamedPolicy& policy : world.scenario.policies)
      list += (list.empty() ? "" : ",") + policy.spec;
  }
  if (list.empty()) list = "all";
  if (const Status loaded = LoadPolicyPlugins(options.policies); !loaded.has_value())
    return Fail("--policy: {}", loaded.error().message);
  auto policies = ParsePolicyList(list);
  if (!policies.has_value()) return Fail("--policy: {}", policies.error().message);
  for (const std::string& policy : *policies) {
    const bool needs_plan = ChoosePolicy(policy)->needs.plan;
    if (needs_plan && !world.plan.has_value())
      return Fail("--policy {} needs --plan, with --profile and --requests", policy);
    if (!needs_plan && world.plan.has_value())
      return Fail("--plan goes with --policy fixed-plan alone");
    if (needs_plan || FindPlugin(policy.substr(0, policy.find(':'))) != nullptr) continue;
    // Whether the files that it is made from are good is known before anything runs.
    const auto made = MakePolicy(policy, {.seed = 1, .platform = &world.platform});
    if (!made.has_value()) return Fail("--policy {}: {}", policy, made.error().message);
  }
  return policies;
}

// What the scenario demands, and what the command line does.
Result<std::vector<Objective>> ReadObjectives(const SimulateOptions& options, const World& world,
                                              const std::vector<std::string>& policies) {
  ASSIGN_OR_RETURN(std::vector<Objective> objectives, ResolveRequirements(world));
  for (const std::string& text : options.require) {
    auto objective = ResolveObjective(text, world);
    if (!objective.has_value()) return Fail("--require {}: {}", text, objective.error().message);
    if (!objective->rival.empty() &&
        std::ranges::find(policies, objective->rival) == policies.end())
      return Fail("--require {}: {} does not run; name it in --policy too", text, objective->rival);
    objectives.push_back(std::move(*objective));
  }
  return objectives;
}

int TellOfUnmet(const std::vector<ObjectiveVerdict>& verdicts) {
  int status = kDone;
  for (const ObjectiveVerdict& verdict : verdicts) {
    if (verdict.met.value_or(true)) continue;
    Tell("not met by {} {}: {}\n", verdict.policy,
         verdict.seeds.size() == 1 ? fmt::format("with seed {}", verdict.seeds.front())
                                   : fmt::format("in the mean of {} seeds", verdict.seeds.size()),
         Explain(verdict));
    status = kObjectiveNotMet;
  }
  return status;
}

}  // namespace fairlead
