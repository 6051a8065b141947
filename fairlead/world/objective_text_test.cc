#include "fairlead/world/objective_text.h"

#include <gtest/gtest.h>

#include "fairlead/world/testing/npu_world.h"

namespace fairlead {
namespace {

std::unique_ptr<const World> SomeWorld() {
  return BuildOnNpu(
             "tenants:\n"
             "  - {name: quiet, networks: [small], rate: 1/s}\n"
             "  - {name: many, count: 3, networks: [small, large], rate: 1/s}\n"
             "  - {name: latency, networks: [small], rate: 1/s}\n")
      .value();
}

Objective Resolved(std::string_view text) { return ResolveObjective(text, *SomeWorld()).value(); }
std::string ErrorOf(std::string_view text) {
  return ResolveObjective(text, *SomeWorld()).error().message;
}

TEST(ObjectiveText, ReadsSharesTimesAndNumbers) {
  EXPECT_EQ(Resolved("hit_rate>=97%").bound, 0.97);
  EXPECT_EQ(Resolved("hit_rate >= 0.97").bound, 0.97);
  EXPECT_EQ(Resolved("latency.p99<=20ms").bound, 20'000'000);
  EXPECT_EQ(Resolved("decision_us.p99<100us").bound, 100);
  EXPECT_EQ(Resolved("wall_s<2s").bound, 2);
  EXPECT_EQ(Resolved("revenue>-3").bound, -3);
}

TEST(ObjectiveText, ReadsComparisons) {
  EXPECT_EQ(Resolved("hits>=1").comparison, Comparison::kAtLeast);
  EXPECT_EQ(Resolved("hits<=1").comparison, Comparison::kAtMost);
  EXPECT_EQ(Resolved("hits>1").comparison, Comparison::kAbove);
  EXPECT_EQ(Resolved("hits<1").comparison, Comparison::kBelow);
  EXPECT_EQ(Resolved("hits=1").comparison, Comparison::kEqual);
  EXPECT_EQ(Resolved("hits==1").comparison, Comparison::kEqual);
}

TEST(ObjectiveText, FiguresOfTheRunNameNobody) {
  EXPECT_TRUE(Resolved("agreements.jain>=0.95").tenants.empty());
  EXPECT_EQ(Resolved("busy.npu>=50%").figure, "busy.npu");
}

TEST(ObjectiveText, WorstAndPromisesKeptAreOfAll) {
  EXPECT_EQ(Resolved("worst>=50%").tenants.size(), 5u);
  EXPECT_EQ(Resolved("promises_kept>=50%").tenants.size(), 5u);
}

TEST(ObjectiveText, NamesATenantOrAGroup) {
  EXPECT_EQ(Resolved("quiet.hit_rate>=99%").tenants, std::vector<std::string>{"quiet"});
  EXPECT_EQ(Resolved("tenant.quiet.worst>=99%").tenants, std::vector<std::string>{"quiet"});
  EXPECT_EQ(Resolved("many.worst>=97%").tenants,
            (std::vector<std::string>{"many-1", "many-2", "many-3"}));
  EXPECT_EQ(Resolved("many-2.jain>=97%").tenants, std::vector<std::string>{"many-2"});
}

TEST(ObjectiveText, APrefixTellsTenantsFromFigures) {
  EXPECT_TRUE(Resolved("latency.p99<=1s").tenants.empty());
  EXPECT_EQ(Resolved("tenant.latency.hit_rate>=1%").tenants, std::vector<std::string>{"latency"});
}

TEST(ObjectiveText, AGroupMayBeCalledTenant) {
  const auto world = BuildOnNpu("tenants: [{count: 2, networks: [small], rate: 1/s}]").value();
  EXPECT_EQ(ResolveObjective("tenant.worst>=1%", *world)->tenants,
            (std::vector<std::string>{"tenant-1", "tenant-2"}));
  EXPECT_EQ(ResolveObjective("tenant.tenant-2.worst>=1%", *world)->tenants,
            std::vector<std::string>{"tenant-2"});
}

TEST(ObjectiveText, ABoundMayBeAPolicy) {
  const Objective objective = Resolved("revenue>edf-h:drop=early");
  EXPECT_EQ(objective.rival, "edf-h:drop=early");
  EXPECT_EQ(objective.comparison, Comparison::kAbove);
}

TEST(ObjectiveText, ErrorsSayWhatToWrite) {
  EXPECT_EQ(ErrorOf("nonsense"),
            "'nonsense' is not an objective; expected for example hit_rate>=80%");
  EXPECT_EQ(ErrorOf("hit_rate>="),
            "'hit_rate>=' is not an objective; expected for example hit_rate>=80%");
  EXPECT_EQ(ErrorOf("hit_rate=>80%"),
            "'hit_rate=>80%' is not an objective: comparisons are >= <= > < =; expected for "
            "example hit_rate>=80%");
  EXPECT_EQ(ErrorOf("hitrate>=80%"), "no figure 'hitrate'; did you mean 'hit_rate'?");
  EXPECT_EQ(ErrorOf("busy.npv>=80%"), "'busy' has the figures npu");
  EXPECT_EQ(ErrorOf("quite.worst>=80%"),
            "no tenant and no group of tenants is called 'quite'; did you mean 'quiet'?");
  EXPECT_EQ(ErrorOf("quiet.wurst>=80%"), "tenants have no figure 'wurst'; did you mean 'worst'?");
  EXPECT_EQ(ErrorOf("hit_rate>=80"),
            "hit_rate is a share of 0% to 100%; expected for example 97% or 0.97, not '80'");
  EXPECT_EQ(ErrorOf("latency.p99<=20"), "'20' lacks its unit; expected for example 5ms");
  EXPECT_EQ(ErrorOf("hits>=20ms"),
            "hits is a number without a unit; expected for example 100, not '20ms'");
}

TEST(ObjectiveText, AScenarioStatesItsOwn) {
  const auto world = BuildOnNpu(
                         "tenants: [{name: quiet, networks: [small], rate: 1/s}]\n"
                         "require:\n"
                         "  fairlead: ['quiet.hit_rate>=99%', 'worst>=90%']\n"
                         "  edf-h: hit_rate>=50%\n")
                         .value();
  const auto objectives = ResolveRequirements(*world).value();
  ASSERT_EQ(objectives.size(), 3u);
  EXPECT_EQ(objectives[0].policy, "fairlead");
  EXPECT_EQ(objectives[0].asked_by, AskedBy::kScenario);
  EXPECT_EQ(objectives[2].policy, "edf-h");
}

}  // namespace
}  // namespace fairlead
