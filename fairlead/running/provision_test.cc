#include "fairlead/running/provision.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/report/quote_report.h"

namespace fairlead {
namespace {

// 130 jobs a second, of which 95 % in time: an x does 100 of them, a y 50.
constexpr const char* kWorld = R"(
name: jobs
horizon: 20s
warm_up: 1s
networks: {profile: profile}
platform: {accelerators: [{kind: x}, {kind: y}]}
arrivals: {process: poisson}
tenants:
  - {name: ann, networks: [job], rate: 130/s, deadline: 400ms, target: 95%}
)";
constexpr const char* kJobs =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
    "job,0,x,10000000,0,0\njob,0,y,20000000,0,0\n";

Result<std::string> Read(const std::string& /*path*/) { return kJobs; }

Result<ProvisionResults> ProvisionJobs(std::vector<double> costs, int most,
                                       const std::string& text = kWorld) {
  return Provision(
      ParseScenario("jobs.yaml", text).value(),
      {.policy = "edf-share", .costs = std::move(costs), .most = most, .trials = 5, .read = &Read});
}

TEST(Provision, TakesTwoOfTheFastWhenAllCostTheSame) {
  const auto results = ProvisionJobs({1, 1}, 4);
  ASSERT_TRUE(results.has_value());
  ASSERT_TRUE(results->smallest.has_value());
  EXPECT_EQ(results->tried[*results->smallest].counts, (std::vector{2, 0}));
  EXPECT_EQ(results->tried[*results->smallest].cost, 2);
}

TEST(Provision, TakesThreeOfTheSlowWhenTheFastAreDear) {
  const auto results = ProvisionJobs({3, 1}, 4);
  ASSERT_TRUE(results->smallest.has_value());
  EXPECT_EQ(results->tried[*results->smallest].counts, (std::vector{0, 3}));
}

// 95 % of 130 a second are 123.5: none, one x, and one or two y cannot do it, whatever the policy.
TEST(Provision, WhatTheBoundExcludesIsNotSimulated) {
  const auto results = ProvisionJobs({1, 1}, 2);
  EXPECT_EQ(results->excluded, 4U);
  for (const TriedPlatform& tried : results->tried)
    EXPECT_GE(100 * tried.counts[0] + 50 * tried.counts[1], 123);
}

TEST(Provision, SaysWhatOneMoreBuys) {
  std::string text = kWorld;
  text.replace(text.find("130/s"), 5, "198/s");  // one of each does 150, one x and two y 200
  const auto results = ProvisionJobs({1, 1}, 4, text);
  ASSERT_EQ(results->next.size(), 2U);
  EXPECT_EQ(results->current.counts, (std::vector{1, 1}));
  EXPECT_EQ(results->current.kept, 0);
  EXPECT_EQ(results->current.weakest, "ann job");
  EXPECT_EQ(results->next[0].counts, (std::vector{2, 1}));
  EXPECT_EQ(results->next[0].kept, 1);
  EXPECT_GT(*results->next[0].worst, *results->next[1].worst);
  EXPECT_GT(*results->next[1].worst, *results->current.worst);
}

TEST(Provision, SaysSoWhenNothingIsEnough) {
  std::string text = kWorld;
  text.replace(text.find("130/s"), 5, "400/s");
  const auto none = ProvisionJobs({1, 1}, 1, text);
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->smallest.has_value());
  EXPECT_EQ(none->reason,
            "no platform with up to 1 of each kind keeps all promises with 99 % confidence");
}

TEST(Provision, RefusesWhatNamesAccelerators) {
  std::string text = kWorld;
  text += "changes: [{at: 1s, accelerator: x, state: away}]\n";
  const auto results = ProvisionJobs({1, 1}, 2, text);
  ASSERT_FALSE(results.has_value());
  EXPECT_TRUE(results.error().message.starts_with("jobs.yaml:10:"));
}

TEST(Provision, ReportsInAllForms) {
  const auto results = ProvisionJobs({3, 1}, 3);
  const QuoteHeading heading{.command = "fairlead provision", .version = "1", .scenario = "jobs"};
  EXPECT_NE(FormatProvisionTable(heading, *results).find("jobs: 3 y (cost 3)"), std::string::npos);
  EXPECT_NE(FormatProvisionJson(heading, *results).find("\"adds\": \"x\""), std::string::npos);
  EXPECT_NE(FormatProvisionPage(heading, *results).find("one more x"), std::string::npos);
}

}  // namespace
}  // namespace fairlead
