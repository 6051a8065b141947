#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/report/run_json.h"
#include "fairlead/report/table.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::Not;

LiveFigures Some() {
  LiveFigures live{
      .pace = "run", .passages = {70, 20, 10}, .others_share = 0.25, .stolen_share = 0};
  live.comparison = LiveComparison{
      .segments = {{.network = "n", .kind = "p0", .passage = Passage::kMoves, .segments = 10}},
      .tenants = {{.tenant = "t", .network = "n", .requests = 5, .live = {.hit_rate = 0.5}}},
      .simulated_moves = 12};
  return live;
}

TEST(LiveFigures, SayInATableThatARunWasLive) {
  std::vector<RunFigures> runs(2);
  runs[1].policy = "edf-h";
  runs[1].live = Some();
  const std::string text = FormatLive(runs);
  EXPECT_THAT(text,
              HasSubstr("edf-h with seed 0 was live (run): 70 segments went on, 20 took over, "
                        "10 moved (simulated: 12)"));
  EXPECT_THAT(text, HasSubstr("other programs took 25.0 % of its cores"));
  EXPECT_THAT(text, HasSubstr("not quiet"));
  EXPECT_THAT(text, HasSubstr("0.0 50.0 0.0"));
  runs.pop_back();
  EXPECT_EQ(FormatLive(runs), "");
}

TEST(LiveFigures, AreQuietWhereNobodyElseRan) {
  std::vector<RunFigures> runs(1);
  runs[0].live = LiveFigures{.pace = "run", .others_share = 0.002, .stolen_share = 0};
  EXPECT_THAT(FormatLive(runs), Not(HasSubstr("not quiet")));
}

nlohmann::ordered_json JsonOf(const LiveFigures& live) {
  std::vector<RunFigures> runs(1);
  runs[0].live = live;
  return nlohmann::ordered_json::parse(FormatJson({}, runs))["runs"][0]["live"];
}

TEST(LiveFigures, AreThereInJson) {
  const nlohmann::ordered_json json = JsonOf(Some());
  EXPECT_EQ(json["pace"], "run");
  EXPECT_EQ(json["segments"]["moves"], 10);
  EXPECT_EQ(json["others_share"], 0.25);
  EXPECT_EQ(json["comparison"]["tenants"][0]["live"]["hit_rate"], 0.5);
  EXPECT_EQ(json["comparison"]["segments"][0]["passage"], "moves");
  EXPECT_TRUE(JsonOf({.pace = "sleep"})["others_share"].is_null());
}

}  // namespace
}  // namespace fairlead
