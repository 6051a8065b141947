#include "fairlead/running/share_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fairlead/fairness/pareto.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/threshold_registry.h"

namespace fairlead {
namespace {

Result<RoundsOutcome> RunEntry(const ShareCase& in, const ShareEntry& entry) {
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(entry.mechanism));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(in.world.market));
  ASSIGN_OR_RETURN(const ThresholdsChoice rule, ChooseThresholds(entry.thresholds));
  const auto thresholds = rule.make(in.world.market, *mechanism, in.seed);
  return RunRounds(in.world, in.arrivals,
                   {.thresholds = thresholds.get(), .misreport = {}, .keep_reports = true},
                   *mechanism);
}

// What an agent has if reports are changed in every round; thresholds as they were in `before`.
Result<double> Retry(const ShareCase& in, const ShareEntry& entry, const RoundsOutcome& before,
                     int agent, const std::function<void(Reports&)>& change) {
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(entry.mechanism));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(in.world.market));
  const auto misreport = [&](int round, Reports& reports) {
    reports.thresholds = before.reports[static_cast<std::size_t>(round)].thresholds;
    change(reports);
  };
  const RoundsOutcome outcome =
      RunRounds(in.world, in.arrivals, {.thresholds = nullptr, .misreport = misreport}, *mechanism);
  return outcome.agents[static_cast<std::size_t>(agent)].utility;
}

// The first agent of each weight and row of rates.
std::vector<int> Representatives(const RoundWorld& world) {
  std::set<std::pair<std::int64_t, std::vector<std::int64_t>>> seen;
  std::vector<int> agents;
  for (int a = 0; a < world.market.agents(); ++a) {
    const auto row = world.rates.begin() + a * world.market.kinds();
    if (seen.emplace(world.market.weight(a), std::vector(row, row + world.market.kinds())).second)
      agents.push_back(a);
  }
  return agents;
}

struct Lie {
  const char* name;
  double (*tell)(double utility);
};

constexpr Lie kLies[] = {
    {"overstates twice", [](double u) { return std::min(2 * u, 0.999); }},
    {"overstates all", [](double u) { return u > 0 ? 0.999 : 0; }},
    {"understates", [](double u) { return u / 2; }},
    {"hides the small", [](double u) { return u < 0.5 ? 0 : u; }},
};

}  // namespace

Result<ParetoShares> MeasurePareto(const ShareCase& in, const ShareEntry& entry) {
  ASSIGN_OR_RETURN(const RoundsOutcome outcome, RunEntry(in, entry));
  ParetoShares shares;
  const double one = 1.0 / in.world.rounds;
  for (std::size_t r = 0; r < outcome.allocations.size(); ++r) {
    if (outcome.allocations[r].divided) {
      shares.undecided += one;
      continue;
    }
    switch (JudgePareto({.agents = in.world.market.agents(),
                         .utilities = outcome.reports[r].utilities,
                         .holders = outcome.allocations[r].holder})) {
      case ParetoVerdict::kEfficient: shares.efficient += one; break;
      case ParetoVerdict::kImprovable: shares.improvable += one; break;
      case ParetoVerdict::kUndecided: shares.undecided += one;
    }
  }
  return shares;
}

Result<std::vector<AgentProbe>> MeasureRegret(const ShareCase& in, const ShareEntry& entry) {
  ASSIGN_OR_RETURN(const RoundsOutcome before, RunEntry(in, entry));
  std::vector<AgentProbe> probes;
  for (const int agent : Representatives(in.world)) {
    const auto a = static_cast<std::size_t>(agent);
    AgentProbe probe{.agent = agent, .utility = before.agents[a].utility};
    for (int t = 0; t < kThresholds; ++t) {
      ASSIGN_OR_RETURN(const double utility,
                       Retry(in, entry, before, agent, [a, t](Reports& reports) {
                         reports.thresholds[a] = ThresholdValue(t);
                       }));
      if (utility <= probe.best) continue;
      probe.best = utility;
      probe.best_way = fmt::format("threshold {:.1f}", ThresholdValue(t));
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

Result<std::vector<AgentProbe>> MeasureMisreporting(const ShareCase& in, const ShareEntry& entry) {
  ASSIGN_OR_RETURN(const RoundsOutcome before, RunEntry(in, entry));
  std::vector<AgentProbe> probes;
  const auto accelerators = static_cast<std::size_t>(in.world.market.accelerators());
  for (const int agent : Representatives(in.world)) {
    const auto a = static_cast<std::size_t>(agent);
    AgentProbe probe{.agent = agent, .utility = before.agents[a].utility};
    for (const Lie& lie : kLies) {
      ASSIGN_OR_RETURN(const double utility, Retry(in, entry, before, agent, [&](Reports& reports) {
                         for (std::size_t c = 0; c < accelerators; ++c) {
                           double& told = reports.utilities[a * accelerators + c];
                           told = lie.tell(told);
                         }
                       }));
      if (utility <= probe.best) continue;
      probe.best = utility;
      probe.best_way = lie.name;
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

}  // namespace fairlead
