// The kinds of grids that need no code of their own: scenarios under scheduling policies, and
// sharing scenarios under mechanisms.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "fairlead/base/units.h"
#include "fairlead/report/summary.h"
#include "fairlead/running/experiments.h"
#include "fairlead/running/run.h"
#include "fairlead/running/share.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

constexpr int kQuickPart = 10;  // of a scenario's time

std::string WorldKey(const ExperimentWorld& world, const std::string& text, bool quick) {
  std::string key = fmt::format("{} {} {}", world.name, quick, text);
  for (const Setting& setting : world.settings)
    key += fmt::format("\n{}={}", setting.key, setting.value);
  return key;
}

void AddScalars(const std::string& prefix, const std::vector<ScalarFigure>& figures,
                ExperimentRow& row) {
  for (const ScalarFigure& figure : figures) {
    if (figure.Number().has_value()) row.Add(prefix + figure.Path(), *figure.Number());
  }
}

// All single figures of a run, those of groups of tenants before a dot, what agreements had, and
// what those below their targets lack, added up.
ExperimentRow RowOf(const RunFigures& run, const std::map<std::string, std::string>& groups) {
  ExperimentRow row{.seed = run.seed};
  AddScalars("", ScalarFigures(run), row);
  double shortfall = 0;
  std::vector<double> rates;
  std::vector<double> over_target;
  for (const AgreementFigures& agreement : run.per_agreement) {
    rates.push_back(agreement.hit_rate);
    if (!agreement.target.has_value()) continue;
    over_target.push_back(agreement.hit_rate - *agreement.target);
    shortfall += std::max(-over_target.back(), 0.0);
  }
  row.Add("shortfall", shortfall);
  for (const auto& [group, pattern] : groups) {
    std::vector<const AgreementFigures*> of_group;
    for (const AgreementFigures& agreement : run.per_agreement) {
      if (FitsPatterns(agreement.tenant, std::span(&pattern, 1))) of_group.push_back(&agreement);
    }
    AddScalars(group + ".", FiguresOfAgreements(of_group), row);
  }
  row.figures.emplace_back("hit_rates", std::move(rates));
  row.figures.emplace_back("over_target", std::move(over_target));
  return row;
}

ExperimentRow RowOf(const ShareRun& run) {
  ExperimentRow row{.x = run.queue_utility, .seed = run.seed};
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"welfare", run.welfare},
           {"of_oracle", run.of_oracle},
           {"of_fair_oracle", run.of_fair_oracle},
           {"throughput", run.throughput},
           {"inferences", run.inferences},
           {"of_deadline_bound", run.of_deadline_bound},
           {"phi_bound", run.phi_bound},
           {"phi_at_hand_at_least_1", run.gaining_at_hand},
           {"envy_pairs_at_hand", run.envy_pairs_at_hand},
           {"backlog", run.backlog},
           {"dropped", run.dropped},
           {"phi_at_least_1", run.gaining},
           {"cost_phi_at_most_1", run.saving},
           {"cost_phi_max", run.largest_cost_phi},
           {"envy_pairs", run.envy_pairs},
           {"envious", run.envious},
           {"largest_envy", run.largest_envy},
           {"longest_wait", run.longest_wait},
           {"gap", run.gap},
           {"round_us", run.round_us}})
    row.Add(name, value);
  double sum = 0;
  for (const double phi : run.phi) sum += phi;
  row.Add("phi_mean", sum / static_cast<double>(run.phi.size()));
  row.Add("phi_min", *std::ranges::min_element(run.phi));
  for (const ShareClass& one : run.classes)
    row.Add(fmt::format("throughput.w{}", one.weight), one.throughput);
  row.figures.emplace_back("phi", run.phi);
  row.figures.emplace_back("phi_at_hand", run.phi_at_hand);
  if (run.swapped.empty()) return row;
  // Table 5.2: on average, what agents had of their own accelerators, and would have of others'.
  double own = 0;
  double all = 0;
  const std::size_t agents = run.phi.size();
  for (std::size_t i = 0; i < run.swapped_at_hand.size(); ++i) {
    all += run.swapped_at_hand[i];
    if (i % (agents + 1) == 0) own += run.swapped_at_hand[i];
  }
  const auto n = static_cast<double>(agents);
  row.Add("own_at_hand", own / n);
  row.Add("others_at_hand", n > 1 ? (all - own) / (n * (n - 1)) : 0);
  row.figures.emplace_back("swapped", run.swapped);
  row.figures.emplace_back("swapped_at_hand", run.swapped_at_hand);
  return row;
}

}  // namespace

// Options: quick, settings of a quick plan, which has a tenth of the time.
Result<std::vector<ExperimentTask>> SchedulingTasks(const ExperimentGrid& grid,
                                                    const ExperimentPlan& plan) {
  std::vector<Setting> quick;
  if (plan.quick && grid.options.has_value()) {
    ASSIGN_OR_RETURN(const ConfigMap options, ConfigMap::Open(*grid.options, {"quick"}));
    ASSIGN_OR_RETURN(const auto entries, options.Find("quick")->Entries());
    for (const ConfigEntry& entry : entries) {
      ASSIGN_OR_RETURN(std::string value, entry.value.Text());
      quick.push_back({entry.key, std::move(value)});
    }
  }
  for (const Contestant& policy : grid.policies)
    RETURN_IF_ERROR(ChoosePolicy(policy.Field("policy")));
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const std::string text, ScenarioText(of, plan.read));
    std::vector<Setting> settings = of.settings;
    settings.insert(settings.end(), quick.begin(), quick.end());
    ASSIGN_OR_RETURN(Scenario scenario,
                     ParseScenario(fmt::format("scenarios/{}.yaml", of.scenario), text, settings));
    if (plan.quick) {
      scenario.horizon /= kQuickPart;
      scenario.warm_up /= kQuickPart;
    }
    ASSIGN_OR_RETURN(auto built, BuildWorld(std::move(scenario), plan.read));
    const std::shared_ptr<const World> world = std::move(built);
    for (const Contestant& policy : grid.policies) {
      for (const std::uint64_t seed : grid.Seeds(plan)) {
        const RunSpec spec{
            .policy = policy.Field("policy"), .seed = seed, .bounds = false, .stop = plan.stop};
        tasks.push_back(
            {fmt::format("{}\n{} {}", WorldKey(of, text, plan.quick), spec.policy, seed),
             [world, spec, name = of.name, called = policy.name,
              groups = grid.groups]() -> Result<std::vector<ExperimentRow>> {
               ASSIGN_OR_RETURN(const RunFigures run, RunOnce(*world, spec, {}));
               ExperimentRow row = RowOf(run, groups);
               row.world = name;
               row.policy = called;
               return std::vector{std::move(row)};
             }});
      }
    }
  }
  return tasks;
}

// Options: envy and bound, whether they are measured; the setting arrivals_times multiplies what
// arrives.
Result<std::vector<ExperimentTask>> SharingTasks(const ExperimentGrid& grid,
                                                 const ExperimentPlan& plan) {
  bool envy = false;
  bool bound = false;
  if (grid.options.has_value()) {
    ASSIGN_OR_RETURN(const ConfigMap options, ConfigMap::Open(*grid.options, {"envy", "bound"}));
    RETURN_IF_ERROR(options.ReadBoolean("envy", envy));
    RETURN_IF_ERROR(options.ReadBoolean("bound", bound));
  }
  for (const Contestant& policy : grid.policies) {
    RETURN_IF_ERROR(ChooseMechanism(policy.Field("policy")));
    RETURN_IF_ERROR(ChooseThresholds(policy.Field("thresholds", "fixed:0")));
  }
  std::vector<ExperimentTask> tasks;
  for (const ExperimentWorld& of : grid.worlds) {
    ASSIGN_OR_RETURN(const auto worlds, SharingWorlds(of, plan));
    std::string key = fmt::format("{} {} {}", WorldKey(of, worlds.text, plan.quick), envy, bound);
    for (const Contestant& policy : grid.policies)
      key += fmt::format("\n{} {} {}", policy.name, policy.Field("policy"),
                         policy.Field("thresholds"));
    for (std::size_t w = 0; w < worlds.points.size(); ++w) {
      for (const std::uint64_t seed : grid.Seeds(plan)) {
        tasks.push_back(
            {fmt::format("{}\n{} {}", key, worlds.points[w].first, seed),
             [point = worlds.points[w], seed, envy, bound, name = of.name, policies = grid.policies,
              stop = plan.stop]() -> Result<std::vector<ExperimentRow>> {
               const RoundWorld& world = *point.second;
               const RoundArrivals arrivals(world, seed);
               ASSIGN_OR_RETURN(const ShareYardsticks sticks, MeasureYardsticks(world, arrivals));
               std::vector<ExperimentRow> rows;
               for (const Contestant& policy : policies) {
                 if (stop.stop_requested()) break;
                 ASSIGN_OR_RETURN(
                     ShareRun run,
                     MeasureShare({world, arrivals, sticks, seed, envy, bound},
                                  {policy.Field("policy"), policy.Field("thresholds", "fixed:0")}));
                 run.queue_utility = point.first;
                 ExperimentRow& row = rows.emplace_back(RowOf(run));
                 row.world = name;
                 row.policy = policy.name;
               }
               return rows;
             }});
      }
    }
  }
  return tasks;
}

Result<SharingPoints> SharingWorlds(const ExperimentWorld& of, const ExperimentPlan& plan) {
  SharingPoints found;
  ASSIGN_OR_RETURN(found.text, ScenarioText(of, plan.read));
  double times = 1;
  std::vector<Setting> settings;
  for (const Setting& setting : of.settings) {
    if (setting.key != "arrivals_times") {
      settings.push_back(setting);
      continue;
    }
    ASSIGN_OR_RETURN(times, ParseNumber(setting.value));
  }
  ASSIGN_OR_RETURN(const SharingScenario scenario,
                   ParseSharingScenario(fmt::format("scenarios/{}.yaml", of.scenario), found.text,
                                        plan.read, settings));
  for (std::size_t w = 0; w < scenario.worlds.size(); ++w) {
    if (plan.quick && w % 2 == 1) continue;
    auto world = std::make_shared<RoundWorld>(scenario.worlds[w]);
    for (double& rate : world->arrivals) rate *= times;
    found.points.emplace_back(scenario.queue_utilities[w], std::move(world));
  }
  return found;
}

}  // namespace fairlead
