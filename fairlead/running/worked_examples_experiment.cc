#include <fmt/format.h>

#include <array>

#include "fairlead/fairness/pareto.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/running/share_grid.h"
#include "fairlead/running/sharing_experiments.h"

namespace fairlead {
namespace {

constexpr std::size_t kTableRounds = 3;
constexpr std::size_t kTableThings = 4;
using TableRow = std::array<double, kTableThings>;
using TableSchedule = std::array<std::array<int, kTableThings>, kTableRounds>;

// Table 3.1: agents, rounds, accelerators.
constexpr std::array<std::array<TableRow, kTableRounds>, 2> kTable31 = {{
    {{{0.1, 0.9, 0.1, 0.2}, {0.9, 0.9, 0.9, 0.6}, {0.8, 0.3, 0.9, 0.1}}},
    {{{0.5, 0.6, 0.5, 0.7}, {0.4, 0.5, 0.6, 0.6}, {0.6, 0.5, 0.1, 0.5}}},
}};

struct TableExample {
  const char* name;
  TableSchedule schedule;  // Table 3.2: whose each accelerator is
};

constexpr std::array<TableExample, 3> kTable32 = {{
    {"dynamic", {{{1, 0, 1, 0}, {0, 0, 1, 1}, {0, 1, 0, 1}}}},
    {"fixed", {{{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}}}},
    {"mtf", {{{1, 0, 1, 1}, {0, 0, 0, 1}, {0, 1, 0, 1}}}},
}};

}  // namespace

Result<ExperimentResults> RunWorkedExamplesExperiment(const ExperimentPlan& /*plan*/) {
  ExperimentResults results;
  const auto number = [&results](const std::string& name, double value) {
    AddNumber(results, name, std::vector{value});
  };
  for (const TableExample& example : kTable32) {
    std::array<double, 4> swapped{};  // u_i(X_j)
    std::array<double, 2> half{};
    int efficient = 0;
    for (std::size_t r = 0; r < kTableRounds; ++r) {
      std::vector<double> utilities;
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t c = 0; c < kTableThings; ++c) {
          const double utility = kTable31[i][r][c];
          utilities.push_back(utility);
          swapped[i * 2 + static_cast<std::size_t>(example.schedule[r][c])] += utility;
          half[i] += utility / 2;
        }
      }
      if (JudgePareto({.agents = 2, .utilities = utilities, .holders = example.schedule[r]}) ==
          ParetoVerdict::kEfficient)
        ++efficient;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      number(fmt::format("utility/{}/A{}", example.name, i + 1), swapped[i * 3]);
      number(fmt::format("phi/{}/A{}", example.name, i + 1),
             SharingIncentive(swapped[i * 3], half[i]));
      number(fmt::format("swapped/{}/A{}", example.name, i + 1), swapped[i == 0 ? 1 : 2]);
    }
    number(fmt::format("efficient-rounds/{}", example.name), efficient);
    results.findings.push_back(fmt::format(
        "{}: u1 {:.2f}, u2 {:.2f}; with the other's accelerators {:.2f} and {:.2f}; {} of 3 rounds "
        "are Pareto efficient.",
        example.name, swapped[0], swapped[3], swapped[1], swapped[2], efficient));
  }
  return results;
}

}  // namespace fairlead
