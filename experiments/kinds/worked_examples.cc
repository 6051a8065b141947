// The examples of chapters 1 to 3 of Omidi (2024), computed from their own tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/kinds/kinds.h"
#include "fairlead/fairness/sharing_measures.h"

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

// A number, "backlog/halves-text/r1/A1", is a figure of its own.
void AddOne(ExperimentRow& results, std::string name, double value) {
  results.Add(std::move(name), value);
}

// Tables 2.1 and 2.2: what arrives for two agents in two rounds, and what four accelerators do for
// them in one. The text reckons with 225 for half of the second agent's, its table's own row gives
// 275: the last of it was meant to be 100.
constexpr std::array<std::array<double, 2>, 2> kTable21 = {{{150, 275}, {370, 280}}};
constexpr std::array<TableRow, 2> kTable22 = {{{100, 120, 150, 200}, {200, 100, 50, 200}}};
constexpr std::array<TableRow, 2> kTable22AsTold = {{{100, 120, 150, 200}, {200, 100, 50, 100}}};
// The text's own division: whose each accelerator is, round by round.
constexpr std::array<std::array<int, kTableThings>, 2> kSuited = {{{1, 1, 0, 1}, {1, 1, 0, 0}}};

// What waits at the end of each round; everybody has half of everything where nothing is suited.
using TableBacklogs = std::array<std::array<double, 2>, 2>;  // by round and agent
TableBacklogs BacklogsOf(const std::array<TableRow, 2>& rates, bool suited) {
  TableBacklogs backlogs{};
  for (std::size_t a = 0; a < 2; ++a) {
    double waiting = 0;
    for (std::size_t r = 0; r < 2; ++r) {
      double done = 0;
      for (std::size_t c = 0; c < kTableThings; ++c) {
        const double share = kSuited[r][c] == static_cast<int>(a) ? 1 : 0;
        done += rates[a][c] * (suited ? share : 0.5);
      }
      waiting = std::max(0.0, waiting + kTable21[r][a] - done);
      backlogs[r][a] = waiting;
    }
  }
  return backlogs;
}

void AddChapter2(ExperimentRow& results) {
  struct Row {
    const char* name;
    const std::array<TableRow, 2>& rates;
    bool suited;
  };
  for (const Row& row :
       {Row{"halves-table", kTable22, false}, Row{"halves-text", kTable22AsTold, false},
        Row{"suited-table", kTable22, true}, Row{"suited-text", kTable22AsTold, true}}) {
    const TableBacklogs backlogs = BacklogsOf(row.rates, row.suited);
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t a = 0; a < 2; ++a)
        AddOne(results, fmt::format("backlog/{}/r{}/A{}", row.name, r + 1, a + 1), backlogs[r][a]);
    }
  }
}

// Chapter 1: two jobs of an hour, one after the other or both at half speed.
void AddChapter1(ExperimentRow& results) {
  struct Order {
    const char* name;
    std::array<double, 2> hours;
  };
  constexpr Order kInTurn{"first-come", {1, 2}};
  constexpr Order kAtOnce{"round-robin", {2, 2}};
  for (const Order& order : {kInTurn, kAtOnce}) {
    // Whoever would have finished earlier in the other's place envies.
    AddOne(results, fmt::format("envious/{}", order.name),
           order.hours[0] == order.hours[1] ? 0 : 1);
    for (std::size_t j = 0; j < 2; ++j)
      AddOne(results, fmt::format("hours/{}/J{}", order.name, j + 1), order.hours[j]);
  }
  const bool dominated =
      kInTurn.hours[0] <= kAtOnce.hours[0] && kInTurn.hours[1] <= kAtOnce.hours[1];
  AddOne(results, "dominated/round-robin", dominated ? 1 : 0);
}

// Chapter 3.4: both are better off in the first round with the tokens' row than with the fixed one.
void AddFirstRounds(ExperimentRow& results) {
  for (const TableExample& example : kTable32) {
    for (std::size_t i = 0; i < 2; ++i) {
      double utility = 0;
      for (std::size_t c = 0; c < kTableThings; ++c) {
        if (example.schedule[0][c] == static_cast<int>(i)) utility += kTable31[i][0][c];
      }
      AddOne(results, fmt::format("first-round/{}/A{}", example.name, i + 1), utility);
    }
  }
}

// Tables 3.1 to 3.3.
void AddChapter3(ExperimentRow& results) {
  const auto number = [&results](std::string name, double value) {
    AddOne(results, std::move(name), value);
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
  }
}

}  // namespace

Tasks WorkedExamplesTasks(const ExperimentGrid& /*grid*/, const ExperimentPlan& /*plan*/) {
  const auto run = []() -> Result<std::vector<ExperimentRow>> {
    ExperimentRow row;
    AddChapter3(row);
    AddFirstRounds(row);
    AddChapter2(row);
    AddChapter1(row);
    return std::vector{std::move(row)};
  };
  return std::vector<ExperimentTask>{{"examples", run}};
}

}  // namespace fairlead
