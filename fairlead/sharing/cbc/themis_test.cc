#include <gtest/gtest.h>

#include "fairlead/base/random.h"
#include "fairlead/sharing/cbc/count_program.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

using Options = ThemisOptions;

CountSolution SolveCounts(const CountProgram& program, bool lexicographic, double limit) {
  return (*MakeCbcSolver(lexicographic, limit))(program);
}

MechanismUnderTest Themis(const std::string& name, const ThemisOptions& options,
                          const CountSolver& solver) {
  return {.name = name,
          .make = [options, solver](const Market& m) { return MakeThemis(m, options, solver); },
          .worlds = 2};
}

TEST(ThemisTest, KeepsTheLawsOfAll) {
  for (const auto& themis : {Themis("themis", {}, SearchCounts),
                             Themis("themis, weighted, lexicographic",
                                    {.rho = Options::Rho::kWeighted}, *MakeCbcSolver(true, 1))}) {
    ExpectSoundAndDeterministic(themis);
    ExpectZeroUtilitiesToDo(themis);
  }
}

// By hand: two kinds of two. The first place has 0.5 of either, the second 0.1 of the first kind
// and 0.4 of the second: best is 1.0 for the first of kind 0, 0.8 for the second of kind 1.
TEST(CountProgramTest, RaisesTheWorst) {
  const CountProgram program{.kinds = 2, .available = {2, 2}, .worth = {0.5, 0.5, 0.1, 0.4}};
  const CountSolution solution = SolveCounts(program, false, 10);
  EXPECT_EQ(solution.counts, (std::vector<int>{2, 0, 0, 2}));
  EXPECT_EQ(solution.gap, 0);
}

// Three places, one of which can have nothing better than one of kind 0 that all want: the others
// still have as much as they can.
TEST(CountProgramTest, LexicographicRaisesTheOthersToo) {
  const CountProgram program{
      .kinds = 2, .available = {1, 5}, .worth = {0.2, 0.0, 0.0, 0.5, 0.0, 0.5}};
  const CountSolution solution = SolveCounts(program, true, 10);
  EXPECT_EQ(solution.counts[0], 1);
  EXPECT_EQ(solution.counts[3] + solution.counts[5], 5);
  EXPECT_GE(std::min(solution.counts[3], solution.counts[5]), 2);
}

double WorstWorth(const CountProgram& program, const CountSolution& solution) {
  double worst = 1e9;
  for (std::size_t i = 0; i < program.worth.size(); i += static_cast<std::size_t>(program.kinds)) {
    double worth = 0;
    for (int k = 0; k < program.kinds; ++k) {
      const std::size_t at = i + static_cast<std::size_t>(k);
      worth += program.worth[at] * solution.counts[at];
    }
    worst = std::min(worst, worth);
  }
  return worst;
}

TEST(CountSearchTest, FindsWhatIntegerProgramsFind) {
  RandomStream random(1, "count search");
  for (int i = 0; i < 40; ++i) {
    CountProgram program{
        .kinds = 1 + static_cast<int>(random.Below(3)), .available = {}, .worth = {}};
    for (int k = 0; k < program.kinds; ++k)
      program.available.push_back(1 + static_cast<int>(random.Below(6)));
    const std::uint64_t places = 1 + random.Below(4);
    for (std::uint64_t j = 0; j < places * static_cast<std::uint64_t>(program.kinds); ++j)
      program.worth.push_back(random.Below(8) == 0 ? 0 : 0.1 + random.Uniform());
    EXPECT_NEAR(WorstWorth(program, SearchCounts(program)),
                WorstWorth(program, SolveCounts(program, false, 10)), 1e-6)
        << i;
  }
}

TEST(ThemisTest, TheTextsRhoIsBlindToWeights) {
  const Market market = MarketOf({1, 3}, 8);
  Reports reports;
  reports.utilities.assign(16, 0.5);
  const auto equal = MakeThemis(market, {}, SearchCounts);
  EXPECT_EQ(CountHeld(*equal, market, reports, 10), (std::vector<std::int64_t>{40, 40}));
  const auto weighted = MakeThemis(market, {.rho = Options::Rho::kWeighted}, SearchCounts);
  EXPECT_EQ(CountHeld(*weighted, market, reports, 10), (std::vector<std::int64_t>{20, 60}));
}

TEST(ThemisTest, AlikeAgentsTakeTurns) {
  const Market market = MarketOf({1, 1, 1}, 1);
  const auto mechanism = MakeThemis(market, {}, SearchCounts);
  Reports reports;
  reports.utilities.assign(3, 0.5);
  const auto held = CountHeld(*mechanism, market, reports, 30);
  // Nobody can raise the worst above 0, so the one accelerator goes where it is of use.
  EXPECT_EQ(held[0] + held[1] + held[2], 30);
}

}  // namespace
}  // namespace fairlead
