#include "fairlead/config/policy_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

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
  std::vector<std::string> without_plans;
  for (const PolicyEntry& policy : Policies()) {
    if (policy.name != "fixed-plan") without_plans.emplace_back(policy.name);
  }
  EXPECT_EQ(ParsePolicyList("all").value(), without_plans);
}

TEST(PolicyRegistry, AListHoldsAPolicyOnce) {
  EXPECT_FALSE(ParsePolicyList("edf-h,edf-h:drop=none").has_value());
}

TEST(PolicyRegistry, AFixedPlanNeedsAPlan) {
  EXPECT_THAT(MakePolicy("fixed-plan", {}).error().message, HasSubstr("--plan"));
}

}  // namespace
}  // namespace fairlead
