#include "fairlead/running/suite_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "fairlead/running/run.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {

Result<SuiteScale> SizeScenario(const SuiteDraft& draft) {
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(draft.name, ScenarioText(draft, {})));
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(scenario), &ReadFile));
  double requests_per_s = 0;
  double segments_per_s = 0;
  double fastest = 0;
  double longest_deadline_s = 0;
  for (const PlannedAgreement& planned : world->agreements) {
    const double rate = MeanRate(planned.arrivals);
    requests_per_s += rate;
    segments_per_s +=
        rate * static_cast<double>(world->networks[planned.agreement.network.index()].size());
    fastest = std::max(fastest, rate);
    longest_deadline_s = std::max(longest_deadline_s, Seconds(planned.agreement.deadline));
  }
  const double wanted =
      std::max(kSuiteRequestsEach * static_cast<double>(world->agreements.size()) / requests_per_s,
               kSuiteDeadlines * longest_deadline_s);
  const double most =
      std::min(kSuiteMostSegments / segments_per_s, kSuiteMostRequests / requests_per_s);
  std::vector<double> rates;
  std::size_t next = 0;  // agreements come group by group
  for (const DraftTenants& group : draft.tenants) {
    const std::size_t end =
        std::min(next + static_cast<std::size_t>(group.count * group.networks_each),
                 world->agreements.size());
    double sum = 0;
    for (std::size_t i = next; i < end; ++i) sum += MeanRate(world->agreements[i].arrivals);
    rates.push_back(end > next ? sum / static_cast<double>(end - next) : 0);
    next = end;
  }
  return SuiteScale{
      .horizon_s = std::min(std::max(wanted, kSuiteFewestSegments / segments_per_s), most),
      .shortest_gap_s = 1 / fastest,
      .rates = std::move(rates)};
}

namespace {

RevenueRange StakesOf(const RunFigures& run, const World& world) {
  std::map<std::pair<std::string_view, std::string_view>, const ServiceAgreement*> agreements;
  for (const PlannedAgreement& planned : world.agreements) {
    const ServiceAgreement& agreement = planned.agreement;
    agreements[{world.tenants[agreement.tenant.index()].name,
                world.networks[agreement.network.index()].name()}] = &agreement;
  }
  RevenueRange stakes;
  for (const AgreementFigures& figures : run.per_agreement) {
    const ServiceAgreement& agreement = *agreements.at({figures.tenant, figures.network});
    const auto covered = static_cast<double>(figures.counts.ended());
    const auto uncovered = static_cast<double>(figures.uncovered.ended());
    stakes.least -= agreement.penalty * covered;
    stakes.most += agreement.price * (covered + uncovered);
  }
  return stakes;
}

// By policy, then by seed. The bounds are those of the arrivals, which all policies share.
std::vector<RunSpec> SpecsOf(const SuitePlan& plan, const World& world) {
  std::vector<RunSpec> specs;
  for (const std::string& policy : plan.policies) {
    for (int i = 0; i < plan.seeds; ++i) {
      specs.push_back({.policy = policy,
                       .seed = world.scenario.seed + static_cast<std::uint64_t>(i),
                       .bounds = false});
    }
  }
  return specs;
}

// One policy's runs. It counts where it ran with all seeds.
void AddRuns(std::span<Result<RunFigures>> runs, const std::string& policy, const World& world,
             SuiteScenario& scenario) {
  const auto failed =
      std::ranges::find_if(runs, [](const Result<RunFigures>& run) { return !run.has_value(); });
  if (failed != runs.end()) {
    scenario.refusals.push_back({policy, failed->error().message});
    return;
  }
  for (Result<RunFigures>& run : runs) {
    const RevenueRange stakes = StakesOf(*run, world);
    run->per_agreement = {};
    scenario.runs.push_back({std::move(*run), stakes});
  }
}

Result<SuiteScenario> RunScenario(const SuitePlan& plan, const SizedScenario& sized,
                                  std::size_t first_run) {
  ASSIGN_OR_RETURN(Scenario parsed, ParseScenario(sized.draft.name, sized.text));
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(parsed), &ReadFile));
  SuiteScenario scenario{.name = sized.draft.name,
                         .config = ScenarioJson(world->scenario),
                         .traits = TraitsOf(sized.draft),
                         .runs = {},
                         .refusals = {}};
  RunPlan runs_plan{.specs = SpecsOf(plan, *world), .threads = plan.threads, .stop = plan.stop};
  if (plan.progressed) {
    runs_plan.progressed = [&](std::size_t run, double share) {
      plan.progressed(first_run + run, share);
    };
  }
  std::vector<Result<RunFigures>> runs = RunEach(*world, runs_plan);
  const auto seeds = static_cast<std::size_t>(plan.seeds);
  for (std::size_t p = 0; p < plan.policies.size(); ++p)
    AddRuns(std::span(runs).subspan(p * seeds, seeds), plan.policies[p], *world, scenario);
  return scenario;
}

}  // namespace

std::vector<std::string> SuitePolicies() {
  std::vector<std::string> policies;
  for (const PolicyEntry& policy : Policies()) {
    policies.emplace_back(policy.name);
    if (auto early = WithEarlyDrop(policy)) policies.push_back(std::move(*early));
  }
  return policies;
}

// Some draws make no world: no request could ever make its deadline, say, or requests are so rare
// that bursts of them cannot be drawn. Such a draw is made again.
Result<SizedScenario> SizedScenarioOf(const SuiteDraw& draw) {
  constexpr int kMostAttempts = 20;
  for (int attempt = draw.attempt;; ++attempt) {
    SuiteDraft draft = DrawScenario(
        {.seed = draw.seed, .number = draw.number, .purpose = draw.purpose, .attempt = attempt});
    const Result<SuiteScale> scale = SizeScenario(draft);
    if (scale.has_value()) {
      std::string text = ScenarioText(draft, *scale);
      ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(draft.name, text));
      if (BuildWorld(std::move(scenario), &ReadFile).has_value())
        return SizedScenario{std::move(draft), std::move(text)};
    }
    if (attempt == kMostAttempts)
      return Fail("{}: no world in {} draws", draft.name, kMostAttempts);
  }
}

Result<SuiteResults> RunSuite(const SuitePlan& plan) {
  SuiteResults results{.policies = plan.policies, .scenarios = {}};
  const std::size_t runs_each = plan.policies.size() * static_cast<std::size_t>(plan.seeds);
  for (int i = 0; i < plan.scenarios && !plan.stop.stop_requested(); ++i) {
    ASSIGN_OR_RETURN(
        const SizedScenario sized,
        SizedScenarioOf({.seed = plan.seed, .number = plan.first + i, .purpose = plan.purpose}));
    if (plan.drawn) RETURN_IF_ERROR(plan.drawn(sized.draft.name, sized.text));
    ASSIGN_OR_RETURN(SuiteScenario scenario,
                     RunScenario(plan, sized, static_cast<std::size_t>(i) * runs_each));
    if (!plan.stop.stop_requested()) results.scenarios.push_back(std::move(scenario));
  }
  return results;
}

}  // namespace fairlead
