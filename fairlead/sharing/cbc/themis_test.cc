#include "fairlead/sharing/cbc/themis.h"

#include <gtest/gtest.h>

#include "fairlead/sharing/cbc/count_program.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

using Options = ThemisOptions;

MechanismUnderTest Themis(const std::string& name, const ThemisOptions& options) {
  return {.name = name,
          .make = [options](const Market& m) { return *MakeThemis(m, options); },
          .worlds = 2};
}

TEST(ThemisTest, KeepsTheLawsOfAll) {
  for (const auto& themis : {Themis("themis", {}), Themis("themis, weighted, lexicographic",
                                                          {.rho = Options::Rho::kWeighted,
                                                          .tie = Options::Tie::kLexicographic})}) {
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

TEST(ThemisTest, TheTextsRhoIsBlindToWeights) {
  const Market market = MarketOf({1, 3}, 8);
  Reports reports;
  reports.utilities.assign(16, 0.5);
  const auto equal = *MakeThemis(market, {});
  EXPECT_EQ(CountHeld(*equal, market, reports, 10), (std::vector<std::int64_t>{40, 40}));
  const auto weighted = *MakeThemis(market, {.rho = Options::Rho::kWeighted});
  EXPECT_EQ(CountHeld(*weighted, market, reports, 10), (std::vector<std::int64_t>{20, 60}));
}

TEST(ThemisTest, AlikeAgentsTakeTurns) {
  const Market market = MarketOf({1, 1, 1}, 1);
  const auto mechanism = *MakeThemis(market, {});
  Reports reports;
  reports.utilities.assign(3, 0.5);
  const auto held = CountHeld(*mechanism, market, reports, 30);
  // Nobody can raise the worst above 0, so the one accelerator goes where it is of use.
  EXPECT_EQ(held[0] + held[1] + held[2], 30);
}

}  // namespace
}  // namespace fairlead
