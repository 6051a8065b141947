#include "fairlead/running/quote.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fairlead/report/quote_report.h"
#include "fairlead/running/quote_world.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

// 100 jobs a second on the one accelerator; the resident asks for 30.
constexpr const char* kWorld = R"(
name: small
horizon: 30s
warm_up: 1s
networks: {profile: profile}
platform: {accelerators: [{kind: x}]}
arrivals: {process: poisson}
tenants:
  - {name: resident, networks: [job], rate: 30/s, deadline: 100ms, target: 90%}
)";
constexpr const char* kJobs =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\njob,0,x,10000000,0,0\n";

Result<std::string> Read(const std::string& /*path*/) { return kJobs; }

Scenario Small(const std::string& text = kWorld) {
  return ParseScenario("small.yaml", text).value();
}

Result<QuoteResults> QuoteSmall(const std::vector<std::string>& agreements,
                                const std::string& text = kWorld) {
  std::vector<TenantsConfig> added;
  for (const std::string& agreement : agreements)
    added.push_back(ParseAgreement(agreement).value());
  return Quote(Small(text), added, {.policy = "edf-share", .trials = 8, .read = &Read});
}

std::vector<std::string> HurtBy(const QuoteResults& results) {
  std::vector<std::string> names;
  for (const QuotedAgreement& agreement : results.agreements) {
    if (agreement.hurt) names.push_back(agreement.tenant);
  }
  return names;
}

TEST(Quote, SaysYesWhereThereIsRoom) {
  const auto results =
      QuoteSmall({"{name: acme, networks: [job], rate: 20/s, deadline: 100ms, target: 90%}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kYes);
  EXPECT_DOUBLE_EQ(results->rate.value(), 20);
  EXPECT_DOUBLE_EQ(results->target.value(), 0.9);
  EXPECT_GT(results->worst_margin.value(), 0);
  EXPECT_TRUE(HurtBy(*results).empty());
  EXPECT_EQ(results->trials.size(), 8U);
  EXPECT_TRUE(results->trials.front().heavy);
}

TEST(Quote, JudgesTheScenarioItselfWithoutAnAgreement) {
  const auto results = QuoteSmall({});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kYes);
  EXPECT_TRUE(results->agreements.front().asked);
}

// 30 and 200 a second of which 90 % must be served take two accelerators.
TEST(Quote, ProvesThatItCannotBe) {
  const auto results =
      QuoteSmall({"{name: acme, networks: [job], rate: 200/s, deadline: 100ms, target: 90%}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_TRUE(results->proven);
  EXPECT_NE(results->answer, QuoteAnswer::kYes);
  EXPECT_NE(results->reason.find("no schedule whatever"), std::string::npos);
}

TEST(Quote, OffersALowerRateAndALowerTarget) {
  const auto results =
      QuoteSmall({"{name: acme, networks: [job], rate: 120/s, deadline: 100ms, target: 90%}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kAtMost);
  ASSERT_TRUE(results->rate.has_value());
  EXPECT_GT(*results->rate, 30);
  EXPECT_LT(*results->rate, 80);  // with the resident's, more than there is
  ASSERT_TRUE(results->target.has_value());
  EXPECT_LT(*results->target, 0.65);
  EXPECT_EQ(HurtBy(*results), std::vector<std::string>{"resident"});
}

// Of the whole run the resident has far more than it is promised; its periods of two seconds are
// 14 chances to break in each traffic.
constexpr const char* kPeriods = R"(
name: small
horizon: 30s
warm_up: 2s
networks: {profile: profile}
platform: {accelerators: [{kind: x}]}
arrivals: {process: poisson}
tenants:
  - {name: resident, networks: [job], rate: 95/s, deadline: 100ms, target: 80%, period: 2s}
  - {name: other, networks: [job], rate: 2/s, deadline: 100ms, target: 50%}
)";

TEST(Quote, JudgesEachPeriod) {
  const auto results = QuoteSmall({}, kPeriods);
  ASSERT_TRUE(results.has_value());
  EXPECT_NE(results->answer, QuoteAnswer::kYes);
  const QuotedAgreement& resident = results->agreements[0];
  EXPECT_GT(resident.low.value(), 0.9);
  EXPECT_TRUE(resident.breaks);
  EXPECT_FALSE(results->agreements[1].breaks);
  EXPECT_NE(results->reason.find("resident job"), std::string::npos);
  EXPECT_NE(FormatQuoteJson({}, *results).find("\"breaks\": [\n"), std::string::npos);
}

TEST(Quote, SaysYesToPeriodsWithRoom) {
  std::string text = kPeriods;
  text.replace(text.find("95/s"), 4, "84/s");
  const auto results = QuoteSmall({}, text);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kYes) << results->reason;
  EXPECT_FALSE(results->agreements[0].breaks);
}

QuoteAnswer Asked(double rate, double target) {
  const auto results = QuoteSmall({fmt::format(
      "{{name: acme, networks: [job], rate: {}/s, deadline: 100ms, target: {}}}", rate, target)});
  return results->answer;
}

// Whoever asks for what was offered is told yes; much more is not kept.
TEST(Quote, WhatIsOfferedHoldsAndIsNearlyAll) {
  const auto offered =
      QuoteSmall({"{name: acme, networks: [job], rate: 90/s, deadline: 100ms, target: 90%}"});
  ASSERT_TRUE(offered.has_value());
  ASSERT_EQ(offered->answer, QuoteAnswer::kAtMost);
  EXPECT_EQ(Asked(offered->rate.value(), 0.9), QuoteAnswer::kYes);
  EXPECT_NE(Asked(offered->rate.value() + 0.1 * 90, 0.9), QuoteAnswer::kYes);
  EXPECT_EQ(Asked(90, offered->target.value()), QuoteAnswer::kYes);
  EXPECT_NE(Asked(90, offered->target.value() + 0.1), QuoteAnswer::kYes);
}

TEST(Quote, HearsOfItsProgressUpToTheEnd) {
  double last = 0;
  int heard = 0;
  const auto added =
      ParseAgreement("{name: acme, networks: [job], rate: 90/s, deadline: 100ms, target: 90%}")
          .value();
  const auto results =
      Quote(Small(), {added},
            {.policy = "edf-share", .trials = 4, .read = &Read, .progressed = [&](double share) {
               EXPECT_GE(share, 0);
               EXPECT_LE(share, 1);
               last = share;
               ++heard;
             }});
  ASSERT_TRUE(results.has_value());
  EXPECT_GT(heard, 10);
  EXPECT_GT(last, 0.2);
}

TEST(Quote, SaysNoWhereNothingLessHelps) {
  const auto results =
      QuoteSmall({"{name: acme, networks: [job], rate: 1/s, deadline: 5ms, target: 90%}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kNo);
  EXPECT_TRUE(results->proven);
  EXPECT_TRUE(results->reason.ends_with("; not even acme job alone"));
  EXPECT_FALSE(results->rate.has_value());
  EXPECT_FALSE(results->target.has_value());
}

TEST(Quote, SaysNoWhereOthersAreNotKeptAlready) {
  std::string text = kWorld;
  text.replace(text.find("30/s"), 4, "150/s");
  const auto results = QuoteSmall({"{name: acme, networks: [job], rate: 1/s, target: 50%}"}, text);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kNo);
  EXPECT_TRUE(results->reason.starts_with("not even what is there is kept"));
  EXPECT_TRUE(HurtBy(*results).empty());
}

// Best effort is promised nothing, and takes from nobody under a policy that knows better; but it
// may be asked whether it would hurt.
TEST(Quote, BestEffortCanBeAskedFor) {
  const auto results = QuoteSmall({"{name: free, networks: [job], rate: 5/s, deadline: 100ms}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kYes);
  EXPECT_FALSE(results->target.has_value());
}

// Nothing is known better than to a request, so nobody can promise every one of them.
TEST(Quote, NobodyPromisesEveryRequest) {
  const auto results =
      QuoteSmall({"{name: acme, networks: [job], rate: 10/s, deadline: 900ms, target: 100%}"});
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->answer, QuoteAnswer::kAtMost);
  EXPECT_GT(results->target.value(), 0.98);
}

TEST(Quote, IsTheSameHoweverManyThreads) {
  const auto alone = Quote(Small(), {}, {.policy = "edf-share", .trials = 5, .read = &Read});
  const auto together =
      Quote(Small(), {}, {.policy = "edf-share", .trials = 5, .threads = 4, .read = &Read});
  EXPECT_EQ(FormatQuoteJson({}, *alone), FormatQuoteJson({}, *together));
}

TEST(Quote, PromisesNobodyMadeAreAnError) {
  std::string text = kWorld;
  text.erase(text.find(", target: 90%"), 13);
  const auto results = QuoteSmall({}, text);
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().message,
            "small.yaml: nobody is promised anything: give tenants a target, for example target: "
            "90%");
}

constexpr const char* kByLoad = R"(
horizon: 10s
networks: {profile: profile}
platform: {accelerators: [{kind: x}]}
load: 0.6
tenants: [{count: 3, networks: [job], target: {zipf: [70%, 90%]}}]
)";

TEST(WithAgreements, AddsToTheLoadAndDilutesNobody) {
  const World settled = SettledWorld(Small(kByLoad), 1, &Read).value();
  const auto extended =
      WithAgreements(settled, {ParseAgreement("{networks: [job], share: 2}").value()}, 1, &Read);
  ASSERT_TRUE(extended.has_value());
  ASSERT_EQ(extended->added.size(), 1U);
  for (std::size_t a : extended->before) {
    EXPECT_NEAR(RateOf(extended->world.agreements[a]), 20, 1e-3);
    EXPECT_EQ(extended->world.agreements[a].agreement.target,
              settled.agreements[a].agreement.target);
  }
  EXPECT_NEAR(RateOf(extended->world.agreements[extended->added.front()]), 40, 1e-3);
  EXPECT_EQ(extended->world.tenants.back().name, "new");
}

TEST(OnPlatform, KeepsRatesDeadlinesAndTargets) {
  const World settled = SettledWorld(Small(kByLoad), 1, &Read).value();
  const World larger = OnPlatform(settled, std::vector{4}, &Read).value();
  EXPECT_EQ(larger.platform.accelerators.size(), 4U);
  for (std::size_t a = 0; a < settled.agreements.size(); ++a) {
    EXPECT_NEAR(RateOf(larger.agreements[a]), 20, 1e-3);
    EXPECT_EQ(larger.agreements[a].agreement.deadline, settled.agreements[a].agreement.deadline);
    EXPECT_EQ(larger.agreements[a].agreement.target, settled.agreements[a].agreement.target);
  }
}

TEST(PolicyToQuote, IsTheScenariosIfItNamesOne) {
  Scenario scenario = Small();
  EXPECT_EQ(PolicyToQuote(scenario), "fairlead");
  scenario.policies = {{"sjf"}};
  EXPECT_EQ(PolicyToQuote(scenario), "sjf");
  scenario.policies = {{"sjf"}, {"edf-h"}};
  EXPECT_EQ(PolicyToQuote(scenario), "fairlead");
}

}  // namespace
}  // namespace fairlead
