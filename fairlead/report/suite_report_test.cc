#include "fairlead/report/suite_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace fairlead {
namespace {

using Json = nlohmann::json;

const SuiteHeading kHeading{.command = "fairlead suite --seed 3 '<&>'",
                            .version = "1.2.3",
                            .seed = 3,
                            .purpose = "reporting",
                            .seeds = 1};

SuiteRun RunOf(std::string policy, double hit_rate) {
  SuiteRun run;
  run.figures.policy = std::move(policy);
  run.figures.hit_rate = hit_rate;
  run.figures.agreements.rates = {.count = 2, .min = hit_rate / 2};
  run.stakes = {.least = -10, .most = 40};
  return run;
}

// Nobody was promised anything.
SuiteResults Results() {
  SuiteResults results{.policies = {"ann", "bob:drop=early", "eve"}, .scenarios = {}};
  for (double lead : {0.002, -0.3}) {
    results.scenarios.push_back({.name = lead > 0 ? "suite-3-1" : "suite-3-2",
                                 .config = R"({"load": 1})",
                                 .traits = {{"load", lead > 0 ? "0.5-0.8" : "1.1-1.4"}},
                                 .runs = {RunOf("ann", 0.6 + lead), RunOf("bob:drop=early", 0.6)},
                                 .refusals = {{"eve", "needs a plan"}}});
  }
  return results;
}

TEST(SuiteJson, SaysHowOftenEachLedAndWasNear) {
  const Json json = Json::parse(FormatSuiteJson(kHeading, Results()));
  const Json& ann = json["policies"]["ann"];
  EXPECT_EQ(ann["led"]["hit_rate"], 0.5);
  EXPECT_EQ(ann["within_1_point"]["worst_agreement"], 0.5);
  EXPECT_EQ(ann["within_50_points"]["hit_rate"], 1);
  EXPECT_NEAR(ann["mean_behind"]["hit_rate"], 0.15, 1e-12);
  EXPECT_TRUE(ann["led"]["met_share"].is_null());
  EXPECT_EQ(ann["losses"]["hit_rate"][0]["scenario"], "suite-3-2");
  EXPECT_EQ(ann["losses"]["hit_rate"][0]["leader"], "bob:drop=early");
  EXPECT_EQ(ann["rivals"]["hit_rate"][0]["scenarios"], 1);
  EXPECT_EQ(ann["where"]["hit_rate"][1]["value"], "1.1-1.4");
}

TEST(SuiteJson, HasEveryScenarioWithItsRuns) {
  const Json json = Json::parse(FormatSuiteJson(kHeading, Results()));
  ASSERT_EQ(json["scenarios"].size(), 2U);
  const Json& scenario = json["scenarios"][0];
  EXPECT_EQ(scenario["config"]["load"], 1);
  EXPECT_EQ(scenario["runs"].size(), 2U);
  EXPECT_EQ(scenario["runs"][1]["policy"], "bob:drop=early");
  EXPECT_EQ(scenario["runs"][1]["stakes"]["most"], 40);
  EXPECT_FALSE(scenario["runs"][1].contains("per_agreement"));
}

TEST(SuiteJson, SaysWhoCouldNotRun) {
  const Json json = Json::parse(FormatSuiteJson(kHeading, Results()));
  EXPECT_EQ(json["scenarios"][0]["could_not_run"][0]["policy"], "eve");
  EXPECT_EQ(json["policies"]["eve"]["could_not_run"].size(), 2U);
  EXPECT_EQ(json["policies"]["eve"]["could_not_run"][0]["reason"], "needs a plan");
  EXPECT_EQ(json["policies"]["eve"]["within_50_points"]["hit_rate"], 0);
  EXPECT_TRUE(json["policies"]["eve"]["mean_behind"]["hit_rate"].is_null());
}

TEST(SuiteTable, HasThoseLeastBehindFirst) {
  const std::string table = FormatSuiteTable(kHeading, Results());
  EXPECT_LT(table.find("bob:drop=early  "), table.find("ann  ")) << table;
  EXPECT_NE(table.find("eve could not run in 2 of 2 scenarios: needs a plan"), std::string::npos)
      << table;
  EXPECT_NE(table.find("overall rate     30.0 in suite-3-2 to bob:drop=early;\n"
                       "                    most often to bob:drop=early (1)"),
            std::string::npos)
      << table;
}

TEST(SuitePage, HasAFigureForEachMeasureThatIsDefined) {
  const std::string page = FormatSuitePage(kHeading, Results());
  EXPECT_NE(page.find("data-save=\"profile-hit_rate\""), std::string::npos);
  EXPECT_NE(page.find("data-save=\"led-revenue\""), std::string::npos);
  EXPECT_EQ(page.find("data-save=\"profile-met_share\""), std::string::npos);
  EXPECT_NE(page.find("needs a plan"), std::string::npos);
  EXPECT_NE(page.find("&lt;&amp;&gt;"), std::string::npos);
}

TEST(SuitePage, CanBeWrittenWithoutAnyScenario) {
  const SuiteResults nothing{.policies = {"ann"}, .scenarios = {}};
  EXPECT_NE(FormatSuitePage(kHeading, nothing).find("0 scenarios"), std::string::npos);
}

}  // namespace
}  // namespace fairlead
