#include "fairlead/report/load_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::Not;

LoadFigures Sample() {
  LoadFigures figures{.scenario = "demo", .url = "http://h:1", .seed = 7, .seconds = 10};
  figures.rows.push_back(
      {.tenant = "ada",
       .network = "net",
       .target = 0.9,
       .live = {.requests = 1100, .hits = 990, .late = 10, .uncovered = 100, .p50_ms = 1.5},
       .reasons = {{"deadline-passed", 10}, {"over-contract", 100}}});
  figures.rows.push_back(
      {.tenant = "cleo", .network = "net", .target = std::nullopt, .live = {}, .reasons = {}});
  return figures;
}

TEST(LoadReport, CountsHitsAmongWhatTheContractCovers) {
  const std::string text = FormatLoad(Sample());
  EXPECT_THAT(text, HasSubstr("demo at http://h:1: 10.0 s with seed 7\n"));
  EXPECT_THAT(text, HasSubstr("ada, net            1100   99.0"));
  EXPECT_THAT(text, HasSubstr("kept\n"));
  EXPECT_THAT(text, HasSubstr("deadline-passed 10, over-contract 100\n"));
  EXPECT_THAT(text, HasSubstr("cleo, net              0      -"));
  EXPECT_THAT(text, Not(HasSubstr("simulat")));
  EXPECT_THAT(text, Not(HasSubstr("too slow")));
}

TEST(LoadReport, SaysHowFarOffTheSimulationIs) {
  LoadFigures figures = Sample();
  figures.policy = "fairlead";
  figures.rows[0].beside = LoadOutcome{.requests = 1100, .hits = 960, .uncovered = 100};
  figures.rows[0].beside_least = 0.951;
  figures.rows[0].beside_most = 0.995;
  figures.rows[1].beside = LoadOutcome{};
  const std::string text = FormatLoad(figures);
  EXPECT_THAT(text, HasSubstr("simulated (fairlead)"));
  EXPECT_THAT(text, HasSubstr("  96.0    +3.0 points"));
  EXPECT_THAT(text, HasSubstr("off by 3.0 points at most (ada on net)"));
  EXPECT_THAT(text, HasSubstr("it says 95.1 to 99.5 there"));
}

TEST(LoadReport, HasRowsOfEightyColumnsAtMost) {
  LoadFigures figures = Sample();
  figures.policy = "fairlead";
  figures.rows[0].tenant = "a tenant with a name that is rather long";
  figures.rows[0].live.requests = 10'000'000;
  figures.rows[0].live.p99_ms = 1234.5;
  figures.rows[0].beside = figures.rows[0].live;
  std::istringstream lines(FormatLoad(figures));
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.find("   ") != std::string::npos;
    EXPECT_TRUE(!row || line.size() <= 80) << line;
  }
}

TEST(LoadReport, OwnsUpToASlowSender) {
  LoadFigures figures = Sample();
  figures.lag_p99_ms = 6;
  EXPECT_THAT(FormatLoad(figures), HasSubstr("The sender was too slow"));
}

TEST(LoadReport, IsForProgramsToo) {
  LoadFigures figures = Sample();
  figures.rows[0].beside = LoadOutcome{.requests = 1100, .hits = 960, .uncovered = 100};
  const auto json = nlohmann::json::parse(LoadJson(figures));
  EXPECT_EQ(json["seed"], 7);
  const auto& ada = json["agreements"][0];
  EXPECT_EQ(ada["hit_rate"], 0.99);
  EXPECT_EQ(ada["verdict"], "kept");
  EXPECT_EQ(ada["reasons"]["over-contract"], 100);
  EXPECT_NEAR(ada["difference_points"].get<double>(), 3, 1e-9);
  EXPECT_LT(ada["hit_rate_interval"][0], 0.99);
  EXPECT_GT(ada["hit_rate_interval"][1], 0.99);
  EXPECT_TRUE(json["agreements"][1]["hit_rate"].is_null());
  EXPECT_TRUE(json["agreements"][1]["verdict"].is_null());
}

}  // namespace
}  // namespace fairlead
