#include <fmt/format.h>

#include <algorithm>

#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/running/share_grid.h"
#include "fairlead/running/sharing_experiments.h"
#include "fairlead/world/mechanism_registry.h"

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

// In microseconds.
struct RoundTime {
  double allocation = 0;  // lists are given
  double whole = 0;       // lists are made of utilities before
};

// The least of all rounds: what others do on the machine only adds to it. Each round has new
// utilities.
Result<RoundTime> LeastRound(const OverheadSize& size, const std::string& spec, int rounds) {
  const Market market = MarketOfSize(size);
  ASSIGN_OR_RETURN(const MechanismChoice choice, ChooseMechanism(spec));
  ASSIGN_OR_RETURN(const auto mechanism, choice.make(market));
  RandomStream random(1, "sharing overhead");
  Reports reports;
  reports.utilities.resize(static_cast<std::size_t>(size.agents * size.groups));
  reports.thresholds.assign(static_cast<std::size_t>(size.agents), 0.3);
  Allocation allocation;
  RoundTime least{.allocation = 1e18, .whole = 1e18};
  for (int r = 0; r < rounds; ++r) {
    for (double& utility : reports.utilities) utility = std::max(0.0, 1.2 * random.Uniform() - 0.2);
    const Stopwatch whole;
    PreferByUtility(market, reports, reports.preferences);
    const Stopwatch watch;
    mechanism->Allocate(reports, allocation);
    least.allocation =
        std::min(least.allocation, static_cast<double>(watch.ElapsedNanoseconds()) * 1e-3);
    least.whole = std::min(least.whole, static_cast<double>(whole.ElapsedNanoseconds()) * 1e-3);
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

// A line for each mechanism over 20, 40 and 60 of something.
std::string PlotTimes(const ExperimentResults& results, const std::string& what,
                      const std::vector<std::string>& sizes) {
  XyPlot plot{.label = "Time of a round by " + what,
              .x = {.label = what},
              .y = {.label = "microseconds", .kind = ScaleKind::kLog},
              .series = {}};
  std::size_t c = 0;
  for (const OverheadCase& a_case : kOverheadCases) {
    XySeries series{.name = a_case.name, .style = StyleOf(c++), .points = {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string name = fmt::format("us/{}/{}", sizes[i], a_case.name);
      const auto found = std::ranges::find(results.numbers, name, &ExperimentNumber::name);
      if (found == results.numbers.end()) continue;
      const double us = found->estimate.mean;
      series.points.push_back({.x = 20.0 * static_cast<double>(i + 1),
                               .y = us,
                               .title = fmt::format("{}: {:.1f} us", a_case.name, us)});
    }
    plot.series.push_back(std::move(series));
  }
  return DrawXyPlot(plot);
}

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
      ASSIGN_OR_RETURN(const RoundTime time, LeastRound(size, a_case.spec, rounds));
      const double least = time.allocation;
      AddNumber(results, fmt::format("us/{}/{}", name, a_case.name), std::vector{least});
      AddNumber(results, fmt::format("us-whole/{}/{}", name, a_case.name), std::vector{time.whole});
      if (tokens == 0) tokens = least;
      results.findings.push_back(fmt::format("{} {}: {:.1f} us, with making lists {:.1f} us", name,
                                             a_case.name, least, time.whole));
      if (std::string_view(a_case.name) == "gandiva-fair")
        AddNumber(results, fmt::format("mtf-over-gandiva-fair/{}", name),
                  std::vector{tokens / least});
    }
    if (plan.stop.stop_requested()) return Fail("interrupted");
  }
  results.figures.push_back({.name = "agents",
                             .title = "A round by agents, 40 accelerators (figure 5.16)",
                             .svg = PlotTimes(results, "agents", {"20x40", "40x40", "60x40"}),
                             .caption = "The least of all rounds, lists given."});
  results.figures.push_back({.name = "accelerators",
                             .title = "A round by accelerators, 20 agents (figure 5.17)",
                             .svg = PlotTimes(results, "accelerators", {"20x20", "20x40", "20x60"}),
                             .caption = "The least of all rounds, lists given."});
  return results;
}

}  // namespace fairlead
