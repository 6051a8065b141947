#include <fmt/format.h>

#include <algorithm>

#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/config/mechanism_registry.h"
#include "fairlead/running/share_grid.h"
#include "fairlead/running/sharing_experiments.h"

namespace fairlead {
namespace {

struct OverheadSize {
  int agents;
  int groups;
  int copies;  // accelerators of a group
};

Market MarketOfSize(const OverheadSize& size) {
  std::vector<SharingAgent> agents;
  for (int a = 0; a < size.agents; ++a)
    agents.push_back({.name = std::to_string(a), .weight = 1 + a % 4});
  std::vector<AcceleratorGroup> groups;
  for (int g = 0; g < size.groups; ++g)
    groups.push_back({.kind = g < 2 ? g : g % 2, .count = size.copies});
  return *Market::Make(std::move(agents), groups);
}

// The least of all rounds, in microseconds: what others do on the machine only adds to it. Each
// round has new utilities; lists are given.
Result<double> LeastRound(const OverheadSize& size, const std::string& spec, int rounds) {
  const Market market = MarketOfSize(size);
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(spec));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(market));
  RandomStream random(1, "sharing overhead");
  Reports reports;
  reports.utilities.resize(static_cast<std::size_t>(size.agents * size.groups));
  reports.thresholds.assign(static_cast<std::size_t>(size.agents), 0.3);
  Allocation allocation;
  double least = 1e18;
  for (int r = 0; r < rounds; ++r) {
    for (double& utility : reports.utilities) utility = std::max(0.0, 1.2 * random.Uniform() - 0.2);
    PreferByUtility(market, reports, reports.preferences);
    const Stopwatch watch;
    mechanism->Allocate(reports, allocation);
    least = std::min(least, static_cast<double>(watch.ElapsedNanoseconds()) * 1e-3);
  }
  return least;
}

struct OverheadCase {
  const char* name;
  const char* spec;
  int most_agents;  // beyond which it is left out
  int rounds;
};

constexpr OverheadCase kOverheadCases[] = {{"mtf", "most-token-first", 10'000, 300},
                                           {"mtf-plus", "most-token-first-plus", 10'000, 300},
                                           {"gandiva-fair", "gandiva-fair", 1000, 300},
                                           {"themis", "themis", 60, 20}};

}  // namespace

Result<ExperimentResults> RunOverheadExperiment(const ExperimentPlan& plan) {
  ExperimentResults results;
  std::vector<OverheadSize> sizes = {{20, 40, 1}, {40, 40, 1}, {60, 40, 1},
                                     {20, 20, 1}, {20, 60, 1}, {1000, 4, 2500}};
  if (!plan.quick) sizes.push_back({10'000, 4, 25'000});
  for (const OverheadSize& size : sizes) {
    const std::string name = fmt::format("{}x{}", size.agents, size.groups * size.copies);
    double tokens = 0;
    for (const OverheadCase& a_case : kOverheadCases) {
      if (size.agents > a_case.most_agents) continue;
      const int rounds = size.agents >= 1000 ? 5 : a_case.rounds;
      ASSIGN_OR_RETURN(const double least, LeastRound(size, a_case.spec, rounds));
      AddNumber(results, fmt::format("us/{}/{}", name, a_case.name), std::vector{least});
      if (tokens == 0) tokens = least;
      results.findings.push_back(fmt::format("{} {}: {:.1f} us", name, a_case.name, least));
      if (std::string_view(a_case.name) == "gandiva-fair")
        AddNumber(results, fmt::format("mtf-over-gandiva-fair/{}", name),
                  std::vector{tokens / least});
    }
    if (plan.stop.stop_requested()) return Fail("interrupted");
  }
  return results;
}

}  // namespace fairlead
