#include <fmt/format.h>

#include <algorithm>

#include "fairlead/running/share_grid.h"
#include "fairlead/running/share_probes.h"
#include "fairlead/running/sharing_experiments.h"

namespace fairlead {
namespace {

const std::vector<ShareGridCase>& HonestyCases() {
  static const std::vector<ShareGridCase> kCases = {
      {"mtf-actor-critic", {"most-token-first:useless=idle", "actor-critic"}},
      {"mtf-0.0", {"most-token-first:useless=idle", "fixed:0"}},
      {"mtf-plus", {"most-token-first-plus", "fixed:0"}},
      {"gandiva-fair", {"gandiva-fair", "fixed:0"}},
      {"themis-auction", {"themis:rho=weighted;solver=auction", "fixed:0"}},
      {"nash", {"nash", "fixed:0"}},
  };
  return kCases;
}

struct Honesty {
  std::vector<double> efficient;
  std::vector<double> improvable;
  std::vector<double> regret;
  std::vector<double> gain;
  std::string way;  // of the largest gain
  double most = 0;
};

const AgentProbe& Largest(const std::vector<AgentProbe>& probes) {
  return *std::ranges::max_element(probes, {}, &AgentProbe::gain);
}

Status AddSeed(const ShareCase& in, const ShareEntry& entry, Honesty& honesty) {
  ASSIGN_OR_RETURN(const ParetoShares pareto, MeasurePareto(in, entry));
  honesty.efficient.push_back(pareto.efficient);
  honesty.improvable.push_back(pareto.improvable);
  if (entry.mechanism.starts_with("most-token-first:")) {  // others ask for no thresholds
    ASSIGN_OR_RETURN(const auto regret, MeasureRegret(in, entry));
    honesty.regret.push_back(Largest(regret).gain());
  }
  ASSIGN_OR_RETURN(const auto lies, MeasureMisreporting(in, entry));
  const AgentProbe& best = Largest(lies);
  honesty.gain.push_back(best.gain());
  if (best.gain() < honesty.most) return {};
  honesty.most = best.gain();
  honesty.way = best.best_way;
  return {};
}

}  // namespace

Result<ExperimentResults> RunHonestyExperiment(const ExperimentPlan& plan) {
  ASSIGN_OR_RETURN(const SharingScenario scenario, ShippedSharingScenario("weights-1-2-4"));
  ExperimentResults results;
  const RoundWorld& world = scenario.worlds.back();  // the busiest
  const int seeds = plan.quick ? 1 : std::min(plan.seeds, 3);
  double done = 0;
  for (const ShareGridCase& a_case : HonestyCases()) {
    Honesty honesty;
    for (int s = 0; s < seeds; ++s) {
      if (plan.stop.stop_requested()) return Fail("interrupted");
      const std::uint64_t seed = plan.seed + static_cast<std::uint64_t>(s);
      const RoundArrivals arrivals(world, seed);
      ASSIGN_OR_RETURN(const ShareYardsticks yardsticks, MeasureYardsticks(world, arrivals));
      RETURN_IF_ERROR(AddSeed({world, arrivals, yardsticks, seed}, a_case.entry, honesty));
    }
    AddNumber(results, "pareto-efficient/" + a_case.name, honesty.efficient);
    AddNumber(results, "pareto-improvable/" + a_case.name, honesty.improvable);
    if (!honesty.regret.empty()) AddNumber(results, "regret/" + a_case.name, honesty.regret);
    AddNumber(results, "gain-by-misreporting/" + a_case.name, honesty.gain);
    results.findings.push_back(fmt::format(
        "{}: {:.0f} % of rounds are Pareto efficient by what was reported, {:.0f} % are not; the "
        "most that an agent gains by misreporting is {:.1f} % ({}).",
        a_case.name, 100 * EstimateMean(honesty.efficient).mean,
        100 * EstimateMean(honesty.improvable).mean, 100 * honesty.most, honesty.way));
    done += 1 / static_cast<double>(HonestyCases().size());
    if (plan.progressed) plan.progressed(done);
  }
  return results;
}

}  // namespace fairlead
