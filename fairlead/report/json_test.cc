#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "fairlead/report/run_json.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

RunFigures SomeRun(std::uint64_t seed) {
  RunFigures run;
  run.policy = "edf-h";
  run.seed = seed;
  run.counts = {{3, 1, 0, 0}};
  run.hit_rate = 0.75;
  run.agreements.rates = {.count = 1, .min = 0.75};
  run.per_agreement = {{.tenant = "ada",
                        .network = "vgg16",
                        .target = 0.9,
                        .counts = {{3, 1, 0, 0}},
                        .hit_rate = 0.75,
                        .claim = Claim::kOpen,
                        .requests_needed = 64}};
  run.latency = Percentiles{.p50 = 10, .p95 = 20, .p99 = 30};
  run.busy = {{"simba.0", "simba", 0.5}, {"simba.1", "simba", 0.25}};
  return run;
}

Json Parsed(const std::vector<RunFigures>& runs) {
  return Json::parse(FormatJson({"fairness", "0.1.0", R"({"z": 1, "a": 2})"}, runs));
}

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(FormatJson, HasTheKeysOfTheContract) {
  EXPECT_EQ(Keys(Parsed({SomeRun(1)})),
            (std::vector<std::string>{"scenario", "version", "config", "runs"}));
}

TEST(FormatJson, RunsHaveTheKeysOfTheContract) {
  const std::vector<std::string> expected = {"policy",
                                             "seed",
                                             "requests",
                                             "hits",
                                             "misses",
                                             "dropped",
                                             "rejected",
                                             "hit_rate",
                                             "agreements",
                                             "tenants",
                                             "per_agreement",
                                             "window_violations",
                                             "latency",
                                             "antt",
                                             "stp",
                                             "goodput_per_s",
                                             "revenue",
                                             "energy_j",
                                             "policy_energy_j",
                                             "deferrals_per_segment",
                                             "makespan_ns",
                                             "busy",
                                             "busy_by_kind",
                                             "hand_overs",
                                             "work_prefers",
                                             "work_undecided",
                                             "bandwidth_utilisation",
                                             "decision_us",
                                             "segments",
                                             "wall_s",
                                             "segments_per_s",
                                             "bounds"};
  EXPECT_EQ(Keys(Parsed({SomeRun(1)})["runs"][0]), expected);
}

TEST(FormatJson, DistributionsHaveTheKeysOfTheContract) {
  const std::vector<std::string> expected = {
      "count", "min",  "q1",        "median",         "q3",          "max", "mean",
      "std",   "jain", "met_share", "mean_shortfall", "worst_window"};
  EXPECT_EQ(Keys(Parsed({SomeRun(1)})["runs"][0]["tenants"]), expected);
}

TEST(FormatJson, BoundsHaveTheKeysOfTheContract) {
  EXPECT_EQ(Keys(Parsed({SomeRun(1)})["runs"][0]["bounds"]),
            (std::vector<std::string>{"hit_rate", "worst_tenant"}));
}

TEST(FormatJson, KeepsTheConfigAsItStands) {
  EXPECT_EQ(Keys(Parsed({})["config"]), (std::vector<std::string>{"z", "a"}));
}

TEST(FormatJson, CountsAreWhole) {
  EXPECT_TRUE(Parsed({SomeRun(1)})["runs"][0]["requests"].is_number_integer());
}

TEST(FormatJson, LatenciesAreWholeNanoseconds) {
  EXPECT_EQ(Parsed({SomeRun(1)})["runs"][0]["latency"]["p95"].dump(), "20");
}

TEST(FormatJson, WhatIsUnknownIsNull) {
  EXPECT_TRUE(Parsed({SomeRun(1)})["runs"][0]["stp"].is_null());
}

TEST(FormatJson, WhatIsNotANumberIsNull) {
  RunFigures run = SomeRun(1);
  run.revenue = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Parsed({run})["runs"][0]["revenue"].is_null());
}

TEST(FormatJson, BusyIsByAccelerator) {
  EXPECT_EQ(Parsed({SomeRun(1)})["runs"][0]["busy"]["simba.1"], 0.25);
}

TEST(FormatJson, AgreementsCarryTheirClaim) {
  EXPECT_EQ(Parsed({SomeRun(1)})["runs"][0]["per_agreement"][0]["claim"], "open");
}

TEST(FormatJson, AgreementsSayHowManyRequestsTheirClaimTakes) {
  EXPECT_EQ(Parsed({SomeRun(1)})["runs"][0]["per_agreement"][0]["requests_needed"], 64);
}

TEST(FormatJson, AgreementsTellCoveredRequestsFromOthers) {
  RunFigures run = SomeRun(1);
  run.per_agreement[0].uncovered = {{2, 0, 0, 5}};
  const Json agreement = Parsed({run})["runs"][0]["per_agreement"][0];
  EXPECT_EQ(agreement["requests"], 11);
  EXPECT_EQ(agreement["hits"], 5);
  EXPECT_EQ(agreement["rejected"], 5);
  EXPECT_EQ(agreement["covered"], 4);
  EXPECT_EQ(agreement["uncovered"], 7);
  EXPECT_EQ(agreement["uncovered_hits"], 2);
  EXPECT_EQ(agreement["hit_rate"], 0.75);
}

TEST(FormatJson, AgreementsCountTheirPeriods) {
  RunFigures run = SomeRun(1);
  EXPECT_TRUE(Parsed({run})["runs"][0]["per_agreement"][0]["periods"].is_null());
  run.per_agreement[0].periods = PeriodVerdicts{.periods = 7, .kept = 5, .worst = 0.25};
  const Json agreement = Parsed({run})["runs"][0]["per_agreement"][0];
  EXPECT_EQ(agreement["periods"], 7);
  EXPECT_EQ(agreement["periods_kept"], 5);
}

TEST(FormatJson, AgreementsSayHowLongTheyWereGivenUp) {
  RunFigures run = SomeRun(1);
  EXPECT_EQ(Parsed({run})["runs"][0]["per_agreement"][0]["sacrificed_times"], 0);
  run.per_agreement[0].sacrificed = {.times = 2, .share = 0.25, .counts = {{1, 2, 0, 0}}};
  const Json agreement = Parsed({run})["runs"][0]["per_agreement"][0];
  EXPECT_EQ(agreement["sacrificed_times"], 2);
  EXPECT_EQ(agreement["sacrificed_share"], 0.25);
  EXPECT_EQ(agreement["sacrificed_requests"], 3);
  EXPECT_EQ(agreement["sacrificed_hits"], 1);
}

TEST(FormatJson, BestEffortHasNoTarget) {
  RunFigures run = SomeRun(1);
  run.per_agreement[0].target.reset();
  EXPECT_TRUE(Parsed({run})["runs"][0]["per_agreement"][0]["target"].is_null());
}

TEST(FormatJson, ReplacesWhatIsNotUtf8) {
  RunFigures run = SomeRun(1);
  run.per_agreement[0].tenant = "\xff";
  EXPECT_EQ(Parsed({run})["runs"][0]["per_agreement"][0]["tenant"], "\xef\xbf\xbd");
}

TEST(FormatJson, EndsItsLine) { EXPECT_TRUE(FormatJson({}, {}).ends_with("}\n")); }

TEST(FormatJson, OneSeedHasNoSummary) { EXPECT_FALSE(Parsed({SomeRun(1)}).contains("summary")); }

TEST(FormatJson, SeveralSeedsAreSummedUp) {
  const Json json = Parsed({SomeRun(1), SomeRun(2)});
  const Json expected = {{"mean", 0.75}, {"interval", {0.75, 0.75}}, {"count", 2}};
  EXPECT_EQ(json["summary"]["policies"][0]["figures"]["hit_rate"], expected);
}

TEST(FormatJson, SummariesHaveTheShapeOfRuns) {
  const Json json = Parsed({SomeRun(1), SomeRun(2)});
  std::vector<std::string> keys = Keys(json["runs"][0]);
  std::erase_if(keys, [](const std::string& key) {
    return key == "policy" || key == "seed" || key == "per_agreement";
  });
  EXPECT_EQ(Keys(json["summary"]["policies"][0]["figures"]), keys);
}

TEST(FormatJson, SummariesOfTheUnknownAreNull) {
  const Json json = Parsed({SomeRun(1), SomeRun(2)});
  EXPECT_TRUE(json["summary"]["policies"][0]["figures"]["stp"].is_null());
}

TEST(FormatJson, PoliciesAreCompared) {
  RunFigures other = SomeRun(2);
  other.policy = "sjf";
  const Json json = Parsed({SomeRun(1), SomeRun(2), other});
  EXPECT_EQ(json["summary"]["differences"][0]["seeds"], Json::array({2}));
}

}  // namespace
}  // namespace fairlead
