#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/running/learning_experiments.h"
#include "fairlead/running/learning_measures.h"
#include "fairlead/running/policy_grid.h"
#include "fairlead/running/share_grid.h"

namespace fairlead {
namespace {

std::array<PolicyGrid::Column, 5> CostColumns() {
  return {{{"own energy, % of the workload's", PolicyEnergy},
           {"deferrals", Deferrals, 1},
           {"overall, %", OverallRate},
           {"worst agreement, %", WorstRate},
           {"deviation, points", RateDeviation}}};
}

Status AddEnergy(std::string_view scenario, const ExperimentPlan& plan, PolicyGrid::Part part,
                 ExperimentResults& results) {
  const std::vector<std::string> policies = {std::string(kUnawareLearner),
                                             std::string(kAwareLearner)};
  const GridWorld world{.scenario = scenario, .settings = {{"horizon", "3s"}, {"warm_up", "1s"}}};
  ASSIGN_OR_RETURN(const PolicyGrid grid, PolicyGrid::Run(world, policies, plan, part));
  grid.AddNumbers("policy-energy", PolicyEnergy, results);
  grid.AddNumbers("deferrals", Deferrals, results);
  const double unaware = MeanOverSeeds(grid.BySeed(kUnawareLearner, Deferrals));
  const double ratio =
      unaware > 0 ? MeanOverSeeds(grid.BySeed(kAwareLearner, Deferrals)) / unaware : 0;
  AddNumber(results, fmt::format("deferral-ratio/{}", grid.name()), std::array{ratio});
  results.findings.push_back(fmt::format(
      "{}: rl-sla's own energy is {:.3f} % of the workload's, rl-baseline's {:.3f} (the seed: 0.39 "
      "and 0.31); it leaves a ready segment waiting {:.2f} times as often (the seed: 1.22).",
      grid.name(), 100 * MeanOverSeeds(grid.BySeed(kAwareLearner, PolicyEnergy)),
      100 * MeanOverSeeds(grid.BySeed(kUnawareLearner, PolicyEnergy)), ratio));
  results.tables.push_back(grid.Table(grid.name(), CostColumns()));
  return {};
}

// How long an answer of the network holds; none: every decision asks about all that is shown.
Status AddRefresh(std::string_view scenario, const ExperimentPlan& plan, PolicyGrid::Part part,
                  ExperimentResults& results) {
  std::vector<std::string> policies;
  for (const std::string_view learner : {kUnawareLearner, kAwareLearner}) {
    for (const std::string_view refresh : {"none", "100us", "1ms", "10ms"})
      policies.push_back(fmt::format("{}:refresh={}", learner, refresh));
  }
  part.seeds = 3;
  const GridWorld world{.scenario = scenario,
                        .settings = {{"horizon", "6s"}, {"warm_up", "2s"}},
                        .name = fmt::format("refresh-{}", scenario)};
  ASSIGN_OR_RETURN(const PolicyGrid grid, PolicyGrid::Run(world, policies, plan, part));
  grid.AddNumbers("policy-energy", PolicyEnergy, results);
  grid.AddNumbers("overall", OverallRate, results);
  grid.AddNumbers("deviation", RateDeviation, results);
  results.tables.push_back(
      grid.Table(fmt::format("{}, by how long an answer holds", scenario), CostColumns()));
  return {};
}

// The seed decides once in a period; here a decision may follow every event.
Status AddPeriods(const ExperimentPlan& plan, PolicyGrid::Part part, ExperimentResults& results) {
  constexpr std::array<std::string_view, 3> kPeriods = {"50us", "100us", "200us"};
  const std::vector<std::string> policies = {std::string(kUnawareLearner),
                                             std::string(kAwareLearner)};
  part.share /= static_cast<double>(kPeriods.size());
  part.seeds = 3;
  for (const std::string_view period : kPeriods) {
    const GridWorld world{
        .scenario = "fairness",
        .settings = {{"horizon", "4s"}, {"warm_up", "1s"}, {"period", std::string(period)}},
        .name = fmt::format("every-{}", period)};
    ASSIGN_OR_RETURN(const PolicyGrid grid, PolicyGrid::Run(world, policies, plan, part));
    part.begin += part.share;
    grid.AddNumbers("policy-energy", PolicyEnergy, results);
    grid.AddNumbers("overall", OverallRate, results);
    results.tables.push_back(
        grid.Table(fmt::format("fairness, a decision every {}", period), CostColumns()));
  }
  return {};
}

// How many ready segments the network is shown.
Status AddRows(const ExperimentPlan& plan, PolicyGrid::Part part, ExperimentResults& results) {
  std::vector<std::string> policies;
  for (const std::string_view learner : {kUnawareLearner, kAwareLearner}) {
    for (const int rows : {4, 16, 64, 256})
      policies.push_back(fmt::format("{}:rows={}", learner, rows));
  }
  part.seeds = 3;
  const GridWorld world{
      .scenario = "fairness", .settings = {{"horizon", "6s"}, {"warm_up", "2s"}}, .name = "rows"};
  ASSIGN_OR_RETURN(const PolicyGrid grid, PolicyGrid::Run(world, policies, plan, part));
  grid.AddNumbers("policy-energy", PolicyEnergy, results);
  grid.AddNumbers("overall", OverallRate, results);
  grid.AddNumbers("deviation", RateDeviation, results);
  results.tables.push_back(grid.Table("fairness, by rows of a decision", CostColumns()));
  return {};
}

// Of the tenants whose names begin so: the share of agreements that got what they were promised.
double MetAmong(const RunFigures& run, std::string_view prefix) {
  double met = 0;
  double all = 0;
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (!agreement.tenant.starts_with(prefix) || !agreement.Kept().has_value()) continue;
    ++all;
    met += *agreement.Kept() ? 1 : 0;
  }
  return all > 0 ? met / all : 0;
}
double MetOfResidents(const RunFigures& run) { return MetAmong(run, "resident"); }
double MetOfNewcomers(const RunFigures& run) { return MetAmong(run, "newcomer"); }

// The hit rate of all but the tenant that cannot be helped.
double OthersRate(const RunFigures& run) {
  std::int64_t hits = 0;
  std::int64_t ended = 0;
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (agreement.tenant == "impossible") continue;
    hits += agreement.counts.hits();
    ended += agreement.counts.ended();
  }
  return ended > 0 ? static_cast<double>(hits) / static_cast<double>(ended) : 0;
}

const std::vector<std::string>& WhoMeetsNewcomers() {
  static const std::vector<std::string> kPolicies = {"edf-h:drop=early", "edf-share", "fairlead",
                                                     std::string(kUnawareLearner),
                                                     std::string(kAwareLearner)};
  return kPolicies;
}

Status AddNewcomers(const ExperimentPlan& plan, PolicyGrid::Part part, ExperimentResults& results) {
  GridWorld world{.scenario = "newcomers"};
  if (plan.quick) world.settings.push_back({"tenants.newcomer.joins", "900ms"});  // a third, too
  ASSIGN_OR_RETURN(const PolicyGrid grid, PolicyGrid::Run(world, WhoMeetsNewcomers(), plan, part));
  grid.AddNumbers("met-residents", MetOfResidents, results);
  grid.AddNumbers("met-newcomers", MetOfNewcomers, results);
  results.findings.push_back(fmt::format(
      "rl-sla, weights frozen: {:.1f} % of the newcomers are at target, {:.1f} % of those who were "
      "there.",
      100 * MeanOverSeeds(grid.BySeed(kAwareLearner, MetOfNewcomers)),
      100 * MeanOverSeeds(grid.BySeed(kAwareLearner, MetOfResidents))));
  const std::array<PolicyGrid::Column, 2> columns = {
      {{"residents at target, %", MetOfResidents}, {"newcomers at target, %", MetOfNewcomers}}};
  results.tables.push_back(grid.Table("newcomers", columns));
  return {};
}

Status AddImpossible(const ExperimentPlan& plan, PolicyGrid::Part part,
                     ExperimentResults& results) {
  const std::vector<Setting> time = {{"horizon", "40s"}, {"warm_up", "5s"}};
  // The same without the tenant's requests: one in a million seconds.
  std::vector<Setting> without_it = time;
  without_it.push_back({"tenants.impossible.rate", "0.000001/s"});
  part.share /= 2;
  ASSIGN_OR_RETURN(const PolicyGrid with,
                   PolicyGrid::Run({.scenario = "impossible", .settings = time},
                                   WhoMeetsNewcomers(), plan, part));
  part.begin += part.share;
  ASSIGN_OR_RETURN(const PolicyGrid without,
                   PolicyGrid::Run({.scenario = "impossible", .settings = without_it},
                                   WhoMeetsNewcomers(), plan, part));
  for (const std::string& policy : WhoMeetsNewcomers()) {
    const auto among = with.BySeed(policy, OthersRate);
    const auto alone = without.BySeed(policy, OthersRate);
    std::vector<double> lost;
    for (std::size_t s = 0; s < among.size(); ++s) lost.push_back(alone[s] - among[s]);
    AddNumber(results, fmt::format("lost-to-impossible/{}", policy), lost);
    if (policy == kAwareLearner)
      results.findings.push_back(
          fmt::format("rl-sla: a tenant that cannot be helped costs the others {:.2f} points.",
                      100 * MeanOverSeeds(lost)));
  }
  const std::array<PolicyGrid::Column, 1> columns = {{{"the others' requests, %", OthersRate}}};
  results.tables.push_back(with.Table("impossible", columns));
  results.tables.push_back(without.Table("impossible, without that tenant", columns));
  return {};
}

}  // namespace

Result<ExperimentResults> RunEnergyExperiment(const ExperimentPlan& plan) {
  ExperimentResults results;
  RETURN_IF_ERROR(AddEnergy("fairness", plan, {0, 0.2}, results));
  RETURN_IF_ERROR(AddEnergy("fairness-simba-eyeriss", plan, {0.2, 0.1}, results));
  RETURN_IF_ERROR(AddRefresh("fairness", plan, {0.3, 0.3}, results));
  RETURN_IF_ERROR(AddRefresh("fairness-simba-eyeriss", plan, {0.6, 0.1}, results));
  RETURN_IF_ERROR(AddPeriods(plan, {0.7, 0.1}, results));
  RETURN_IF_ERROR(AddRows(plan, {0.8, 0.2}, results));
  return results;
}

Result<ExperimentResults> RunNewcomersExperiment(const ExperimentPlan& plan) {
  ExperimentResults results;
  RETURN_IF_ERROR(AddNewcomers(plan, {0, 0.7}, results));
  RETURN_IF_ERROR(AddImpossible(plan, {0.7, 0.3}, results));
  return results;
}

}  // namespace fairlead
