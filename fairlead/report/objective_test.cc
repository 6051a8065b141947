#include "fairlead/report/objective.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

RunFigures FiguresOf(std::string policy, std::uint64_t seed, double hit_rate) {
  RunFigures run;
  run.policy = std::move(policy);
  run.seed = seed;
  run.hit_rate = hit_rate;
  return run;
}

Objective HitRate(Comparison comparison, double bound) {
  return {.text = "hit_rate?",
          .figure = "hit_rate",
          .unit = FigureUnit::kShare,
          .comparison = comparison,
          .bound = bound};
}

std::optional<bool> MetBy(const Objective& objective, const RunFigures& run) {
  return Judge({&objective, 1}, {&run, 1}).at(0).met;
}

TEST(Objective, ComparesWithItsBound) {
  const RunFigures run = FiguresOf("edf-h", 1, 0.5);
  EXPECT_EQ(MetBy(HitRate(Comparison::kAtLeast, 0.5), run), true);
  EXPECT_EQ(MetBy(HitRate(Comparison::kAtMost, 0.5), run), true);
  EXPECT_EQ(MetBy(HitRate(Comparison::kEqual, 0.5), run), true);
  EXPECT_EQ(MetBy(HitRate(Comparison::kAbove, 0.5), run), false);
  EXPECT_EQ(MetBy(HitRate(Comparison::kBelow, 0.5), run), false);
  EXPECT_EQ(MetBy(HitRate(Comparison::kAtLeast, 0.51), run), false);
}

TEST(Objective, IsNotMetByWhatHasNoValue) {
  RunFigures nothing;
  nothing.policy = "edf-h";
  EXPECT_EQ(MetBy(HitRate(Comparison::kAtLeast, 0), nothing), false);
}

TEST(Objective, GoesByTheMeanOverSeeds) {
  const RunFigures runs[] = {FiguresOf("edf-h", 1, 0.2), FiguresOf("edf-h", 2, 0.8)};
  const Objective enough = HitRate(Comparison::kAtLeast, 0.5);
  const auto verdicts = Judge({&enough, 1}, runs);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].met, true);
  EXPECT_EQ(verdicts[0].seeds, (std::vector<std::uint64_t>{1, 2}));
}

// Ten times 0.1 add up to a little less than 1.
TEST(Objective, IsNotMissedByRounding) {
  std::vector<RunFigures> runs;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) runs.push_back(FiguresOf("edf-h", seed, 0.1));
  const Objective objective = HitRate(Comparison::kEqual, 0.1);
  EXPECT_EQ(Judge({&objective, 1}, runs)[0].met, true);
}

TEST(Objective, IsAskedOfItsPolicyAlone) {
  Objective objective = HitRate(Comparison::kAtLeast, 0.5);
  objective.policy = "fairlead";
  const RunFigures runs[] = {FiguresOf("edf-h", 1, 0.2), FiguresOf("fairlead", 1, 0.8)};
  const auto verdicts = Judge({&objective, 1}, runs);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].policy, "fairlead");
}

TEST(Objective, ComparesWithARivalOnCommonSeeds) {
  Objective objective = HitRate(Comparison::kAbove, 0);
  objective.rival = "edf-h";
  const RunFigures runs[] = {FiguresOf("edf-h", 1, 0.3), FiguresOf("fairlead", 1, 0.4),
                             FiguresOf("fairlead", 2, 0.1)};
  const auto verdicts = Judge({&objective, 1}, runs);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].policy, "fairlead");
  EXPECT_EQ(verdicts[0].seeds, std::vector<std::uint64_t>{1});
  EXPECT_EQ(verdicts[0].bound, 0.3);
  EXPECT_EQ(verdicts[0].met, true);
}

TEST(Objective, IsNotJudgedWithoutItsRival) {
  Objective objective = HitRate(Comparison::kAbove, 0);
  objective.rival = "edf-h";
  const RunFigures run = FiguresOf("fairlead", 1, 0.4);
  const auto verdicts = Judge({&objective, 1}, {&run, 1});
  EXPECT_EQ(verdicts.at(0).met, std::nullopt);
  EXPECT_EQ(Explain(verdicts[0]), "hit_rate?: not judged, since edf-h did not run");
}

// Three of four covered requests of the two, and one of two agreements that has its 60 %.
TEST(Objective, MayBeAboutSomeTenants) {
  RunFigures run;
  run.per_agreement = {{.tenant = "ann", .target = 0.6, .counts = {{2, 0, 0, 0}}, .hit_rate = 1},
                       {.tenant = "bob", .target = 0.6, .counts = {{1, 1, 0, 0}}, .hit_rate = 0.5},
                       {.tenant = "eve", .target = 0.6, .counts = {{0, 9, 0, 0}}, .hit_rate = 0}};
  const std::string tenants[] = {"ann", "bob"};
  const auto figures = FiguresFor(tenants, run);
  EXPECT_EQ(FindFigure(figures, "hit_rate")->Number(), 0.75);
  EXPECT_EQ(FindFigure(figures, "worst")->Number(), 0.5);
  EXPECT_EQ(FindFigure(figures, "promises_kept")->Number(), 0.5);
  EXPECT_EQ(FindFigure(figures, "requests")->Number(), 4);
}

TEST(Objective, ValuesAreWrittenAsBoundsAre) {
  EXPECT_EQ(FormatFigure(FigureUnit::kShare, 0.975), "97.5%");
  EXPECT_EQ(FormatFigure(FigureUnit::kNanoseconds, 20'400'000), "20.4ms");
  EXPECT_EQ(FormatFigure(FigureUnit::kMicroseconds, 3), "3us");
  EXPECT_EQ(FormatFigure(FigureUnit::kSeconds, 2.5), "2.5s");
  EXPECT_EQ(FormatFigure(FigureUnit::kNumber, 31200), "31200");
}

TEST(Objective, VerdictsStandUnderTheirPolicy) {
  const Objective objectives[] = {HitRate(Comparison::kAtLeast, 0.5),
                                  HitRate(Comparison::kAtLeast, 0.3)};
  const RunFigures run = FiguresOf("edf-h", 1, 0.4);
  EXPECT_EQ(FormatObjectives(Judge(objectives, {&run, 1})),
            "Asked of edf-h:\n"
            "  NOT MET  hit_rate?: it is 40%\n"
            "  met      hit_rate?: it is 40%\n");
}

}  // namespace
}  // namespace fairlead
