// What shipped scenarios say must come out under a policy comes out: briefly with one seed, and as
// they are with ten, on their platform and on the one of fairness.yaml.
//
// What is known to fall short is listed here by name: a bar stays where it is until it is met, and
// a test fails when something on the list is met after all.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/report/objective.h"
#include "fairlead/running/run.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/objective_text.h"

namespace fairlead {
namespace {

constexpr const char* kStating[] = {"noisy-neighbour", "noisy-neighbour-contract",
                                    "mixed",           "portfolio",
                                    "burst",           "churn",
                                    "failure",         "impossible"};

enum class On { kItsOwn, kTheOther };

struct KnownMiss {
  std::string_view scenario;
  std::string_view objective;
  enum class Where { kBrief, kTenSeeds, kOtherPlatform } where;
};

using Where = KnownMiss::Where;
// Where not all can be kept fairlead gives up more promises than it must: edf-share keeps all here.
const std::vector<KnownMiss> kKnownMisses = {
    {"portfolio", "tenants.met_share>=97%", Where::kBrief},
    {"noisy-neighbour-contract", "neighbour.worst>=97%", Where::kBrief},  // 29 of 30
    {"portfolio", "tenants.met_share>=97%", Where::kTenSeeds},
    {"portfolio", "promises_kept>=97%", Where::kOtherPlatform},
    {"portfolio", "tenants.met_share>=97%", Where::kOtherPlatform},
    {"burst", "promises_kept>=97%", Where::kOtherPlatform},  // 96.8
    // Half a minute with two accelerators less: five of sixty are given up (edf-share keeps none).
    {"failure", "promises_kept>=97%", Where::kOtherPlatform},
};

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

Scenario Read(const std::string& name, On platform) {
  const std::string file = "scenarios/" + name + ".yaml";
  std::string text = *ReadFile(file);
  if (platform == On::kTheOther) {
    ReplaceAll(text, "eyeriss", "eyeriss-v2-64gb");
    ReplaceAll(text, "simba", "systolic-64gb");
    ReplaceAll(text, "bandwidth: 16GB/s", "bandwidth: 64GB/s");
  }
  return *ParseScenario(file, text);
}

// The same in a part of the time.
Scenario Shortened(Scenario scenario, int divisor) {
  scenario.horizon /= divisor;
  scenario.warm_up /= divisor;
  const auto shorten = [divisor](Instant& at) {
    if (at != kNever) at = Instant{} + (at - Instant{}) / divisor;
  };
  for (TenantsConfig& group : scenario.tenants) {
    shorten(group.joins);
    shorten(group.leaves);
  }
  for (ChangeConfig& change : scenario.changes) shorten(change.at);
  return scenario;
}

// Runs whom the scenario demands something of, and whom they are compared with.
std::vector<RunSpec> SpecsFor(const std::vector<Objective>& objectives, int seeds) {
  std::set<std::string> policies;
  for (const Objective& objective : objectives) {
    policies.insert(objective.policy);
    if (!objective.rival.empty()) policies.insert(objective.rival);
  }
  std::vector<RunSpec> specs;
  for (const std::string& policy : policies) {
    for (int seed = 1; seed <= seeds; ++seed)
      specs.push_back(
          {.policy = policy, .seed = static_cast<std::uint64_t>(seed), .bounds = false});
  }
  return specs;
}

void ExpectStated(const std::string& name, Scenario scenario, int seeds, Where where) {
  const auto world = BuildWorld(std::move(scenario), &ReadFile);
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto objectives = ResolveRequirements(**world);
  ASSERT_TRUE(objectives.has_value());
  ASSERT_FALSE(objectives->empty());
  const auto runs = RunAll(**world, {.specs = SpecsFor(*objectives, seeds), .threads = 2});
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  for (const ObjectiveVerdict& verdict : Judge(*objectives, *runs)) {
    const bool expected = std::ranges::none_of(kKnownMisses, [&](const KnownMiss& miss) {
      return miss.scenario == name && miss.objective == verdict.objective->text &&
             miss.where == where;
    });
    EXPECT_EQ(verdict.met, expected) << verdict.policy << ": " << Explain(verdict);
  }
}

class StatedOutcomes : public testing::TestWithParam<const char*> {};

TEST_P(StatedOutcomes, ComeOutBriefly) {
  ExpectStated(GetParam(), Shortened(Read(GetParam(), On::kItsOwn), 2), 1, Where::kBrief);
}

TEST_P(StatedOutcomes, ComeOutOnTenSeeds_slow) {
  ExpectStated(GetParam(), Read(GetParam(), On::kItsOwn), 10, Where::kTenSeeds);
}

TEST_P(StatedOutcomes, ComeOutOnTheOtherPlatform_slow) {
  ExpectStated(GetParam(), Shortened(Read(GetParam(), On::kTheOther), 2), 10,
               Where::kOtherPlatform);
}

INSTANTIATE_TEST_SUITE_P(Shipped, StatedOutcomes, testing::ValuesIn(kStating),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace fairlead
