#include "fairlead/report/experiment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

JudgedExperiment Sample() {
  JudgedExperiment experiment;
  experiment.heading = {.name = "welfare",
                        .question = "Who <leads>?",
                        .paper = "figure 5.2",
                        .refuted_by = "a ratio below 1",
                        .command = "fairlead experiment welfare",
                        .version = "0.1.0"};
  experiment.results.numbers = {
      {.name = "ratio/a", .estimate = {.count = 10, .mean = 1.25, .half_width = 0.01}},
      {.name = "ratio/b", .estimate = {.count = 1, .mean = 0.5, .half_width = {}}}};
  experiment.expected = {{.name = "ratio/a", .value = 1.24, .tolerance = 0.02}};
  experiment.claims = {{.number = "ratio/a", .paper = 1.5, .none = 1},
                       {.number = "ratio/*", .at_least = 0.75}};
  return experiment;
}

TEST(ExperimentReportTest, JudgesByTolerance) {
  JudgedExperiment experiment = Sample();
  EXPECT_TRUE(Surprises(experiment).empty());
  experiment.expected[0].tolerance = 0.005;
  experiment.expected.push_back({.name = "ratio/c", .value = 1, .tolerance = 1});
  EXPECT_THAT(Surprises(experiment), ElementsAre("ratio/a: 1.2500 is not within 0.0050 of 1.2400",
                                                 "ratio/c: expected, and not measured"));
  EXPECT_THAT(FormatExperimentTable(experiment), HasSubstr("As before: 0 of 2 numbers."));
}

Estimate Around(double mean) { return {.count = 10, .mean = mean, .half_width = 0.1}; }

TEST(ExperimentReportTest, ClaimsAreJudgedByTheInterval) {
  const PaperClaim more{.number = "a", .paper = 1.4, .none = 1};
  EXPECT_EQ(JudgeClaim(Around(1.5), more), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(1.31), more), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(1.29), more), ClaimVerdict::kFallsShort);
  EXPECT_EQ(JudgeClaim(Around(1.09), more), ClaimVerdict::kRefuted);
  EXPECT_EQ(JudgeClaim({.count = 2, .mean = 1.3, .half_width = 0.4}, more), ClaimVerdict::kOpen);
  const PaperClaim less{.number = "a", .paper = 0.5, .none = 1};
  EXPECT_EQ(JudgeClaim(Around(0.4), less), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(0.8), less), ClaimVerdict::kFallsShort);
  EXPECT_EQ(JudgeClaim(Around(0.95), less), ClaimVerdict::kRefuted);
  const PaperClaim same{.number = "a", .paper = 10};
  EXPECT_EQ(JudgeClaim(Around(10.4), same), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(10.6), same), ClaimVerdict::kRefuted);
  const PaperClaim least{.number = "a", .at_least = 1};
  EXPECT_EQ(JudgeClaim(Around(0.95), least), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(0.85), least), ClaimVerdict::kRefuted);
  const PaperClaim none{.number = "a", .at_most = 0, .interval = false};
  EXPECT_EQ(JudgeClaim(Around(0.05), none), ClaimVerdict::kRefuted);
  const PaperClaim most{.number = "a", .paper = 3, .at_most = 1};
  EXPECT_EQ(JudgeClaim(Around(1.05), most), ClaimVerdict::kHolds);
  EXPECT_EQ(JudgeClaim(Around(1.15), most), ClaimVerdict::kRefuted);
}

TEST(ExperimentReportTest, TheLastLineSpeaksOfClaims) {
  JudgedExperiment experiment = Sample();
  EXPECT_THAT(
      FormatExperimentTable(experiment),
      EndsWith("Refuted: of 2 claims hold 0, open 0, fall short 1, refuted 1. As before: 1 of 1 "
               "numbers.\n"));
  experiment.claims.pop_back();
  EXPECT_THAT(FormatExperimentTable(experiment), HasSubstr("\nFalls short: of 1 claims"));
  experiment.claims.push_back({.number = "no-such/*", .paper = 1});
  EXPECT_THAT(Surprises(experiment), ElementsAre("no-such/*: claimed, and not measured"));
}

TEST(ExperimentReportTest, JsonHasEveryNumber) {
  const auto json = nlohmann::json::parse(FormatExperimentJson(Sample()));
  EXPECT_EQ(json["as_expected"], true);
  EXPECT_EQ(json["numbers"].size(), 2u);
  EXPECT_EQ(json["numbers"][0]["expected"], 1.24);
  EXPECT_TRUE(json["numbers"][1]["half_width"].is_null());
  EXPECT_TRUE(json["numbers"][1]["as_expected"].is_null());
  EXPECT_EQ(json["numbers"][0]["paper"], 1.5);
  EXPECT_EQ(json["numbers"][0]["ratio"], 1.25 / 1.5);
  EXPECT_EQ(json["numbers"][0]["verdict"], "falls short");
  EXPECT_EQ(json["numbers"][1]["verdict"], "refuted");
  EXPECT_EQ(json["verdicts"]["refuted"], 1);
}

TEST(ExperimentReportTest, PageHasAllOfIt) {
  const std::string page = FormatExperimentPage(Sample());
  for (const char* text : {"Who &lt;leads&gt;?", "figure 5.2", "a ratio below 1", "ratio/b"})
    EXPECT_THAT(page, HasSubstr(text));
}

}  // namespace
}  // namespace fairlead
