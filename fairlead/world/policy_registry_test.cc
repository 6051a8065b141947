#include "fairlead/world/policy_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PolicyRegistry, NamesAreTheirOwnCanonicalForm) {
  for (const PolicyEntry& policy : Policies())
    EXPECT_EQ(CanonicalPolicy(policy.name).value(), policy.name);
}

TEST(PolicyRegistry, DefaultsAreLeftOut) {
  EXPECT_EQ(CanonicalPolicy("edf-h:wait=allowed;drop=early").value(), "edf-h:drop=early");
}

TEST(PolicyRegistry, OptionsStandInTheTablesOrder) {
  EXPECT_EQ(CanonicalPolicy("edf-h:wait=never;drop=early").value(), "edf-h:drop=early;wait=never");
}

TEST(PolicyRegistry, APolicyIsCalledByItsCanonicalForm) {
  EXPECT_EQ(MakePolicy("sjf:wait=never;drop=none", {}).value()->Name(), "sjf:wait=never");
}

TEST(PolicyRegistry, AnUnknownPolicyBringsTheNearestName) {
  EXPECT_THAT(CanonicalPolicy("edf").error().message, HasSubstr("did you mean 'edf-h'?"));
}

TEST(PolicyRegistry, AnUnknownPolicyFarFromAllBringsTheWholeList) {
  const std::string message = CanonicalPolicy("bogus").error().message;
  for (const PolicyEntry& policy : Policies()) EXPECT_THAT(message, HasSubstr(policy.name));
}

TEST(PolicyRegistry, AnUnknownOptionBringsTheNearestKey) {
  EXPECT_THAT(CanonicalPolicy("edf-h:drp=early").error().message,
              HasSubstr("did you mean 'drop'?"));
}

TEST(PolicyRegistry, AnUnknownValueBringsThePossibleOnes) {
  EXPECT_THAT(CanonicalPolicy("edf-h:drop=sometimes").error().message,
              HasSubstr("expected one of none, early"));
}

TEST(PolicyRegistry, AnOptionMayStandOnce) {
  EXPECT_THAT(CanonicalPolicy("edf-h:drop=early;drop=none").error().message,
              HasSubstr("stands twice"));
}

TEST(PolicyRegistry, AListMayHoldEverything) {
  const std::vector<std::string> all = ParsePolicyList("all").value();
  const auto has = [&](std::string_view spec) { return std::ranges::find(all, spec) != all.end(); };
  for (const PolicyEntry& policy : Policies()) EXPECT_EQ(has(policy.name), !policy.needs.plan);
  EXPECT_TRUE(has("edf-h:drop=early"));
  EXPECT_FALSE(has("edf-share:drop=early"));  // it always does
}

TEST(PolicyRegistry, AListHoldsAPolicyOnce) {
  EXPECT_FALSE(ParsePolicyList("edf-h,edf-h:drop=none").has_value());
}

TEST(PolicyRegistry, SamplesAreThePolicyAsItIsAndEachOtherValueOnce) {
  const auto clockwork = std::ranges::find(Policies(), "clockwork", &PolicyEntry::name);
  EXPECT_THAT(SampleSpecs(*clockwork), ElementsAre("clockwork", "clockwork:ahead=10ms",
                                                   "clockwork:margin=5ms", "clockwork:memory=any"));
}

TEST(PolicyRegistry, EverySampleIsItsOwnCanonicalForm) {
  for (const PolicyEntry& policy : Policies()) {
    for (const std::string& spec : SampleSpecs(policy))
      EXPECT_EQ(CanonicalPolicy(spec).value(), spec);
  }
}

TEST(PolicyRegistry, NumbersAreNotTiedToTheSamples) {
  EXPECT_EQ(CanonicalPolicy("clockwork:ahead=1500us").value(), "clockwork:ahead=1500us");
  EXPECT_EQ(CanonicalPolicy("ai-mt:lookahead=7").value(), "ai-mt:lookahead=7");
  EXPECT_EQ(CanonicalPolicy("herald:imbalance=2.25").value(), "herald:imbalance=2.25");
  EXPECT_EQ(CanonicalPolicy("alpaserve:overhead=11000us").value(), "alpaserve:overhead=11ms");
}

TEST(PolicyRegistry, AColonWithoutOptionsIsAnError) {
  EXPECT_FALSE(CanonicalPolicy("edf-h:").has_value());
}

TEST(PolicyRegistry, AFixedPlanNeedsAPlan) {
  EXPECT_THAT(MakePolicy("fixed-plan", {}).error().message, HasSubstr("--plan"));
}

// What becomes of fixed-plan when its file holds this text.
Result<std::unique_ptr<SchedulingPolicy>> WithPlan(const Result<std::string>& text) {
  Platform platform;
  platform.AddKind("x", 1);
  return MakePolicy("fixed-plan", {.seed = 1,
                                   .platform = &platform,
                                   .plan = "p.csv",
                                   .read = [&](const std::string& path) -> Result<std::string> {
                                     EXPECT_EQ(path, "p.csv");
                                     return text;
                                   }});
}

TEST(PolicyRegistry, FilesAreReadThroughTheContext) {
  EXPECT_TRUE(WithPlan(std::string("request,layer,accelerator,order\n0,0,x,0\n")).has_value());
}

TEST(PolicyRegistry, ComplaintsAboutAFileNameIt) {
  EXPECT_THAT(WithPlan(std::string("request,layer,accelerator,order\n0,0,y,0\n")).error().message,
              StartsWith("p.csv:2:5: "));
  EXPECT_EQ(WithPlan(Fail("p.csv: cannot be read")).error().message, "p.csv: cannot be read");
  const PolicyContext missing{.seed = 1, .plan = "no/such/plan.csv"};
  EXPECT_THAT(MakePolicy("fixed-plan", missing).error().message, StartsWith("no/such/plan.csv: "));
}

}  // namespace
}  // namespace fairlead
