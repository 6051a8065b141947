#include "fairlead/running/suite_draft.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fairlead/networks/zoo.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/measured_platforms.h"

namespace fairlead {
namespace {

constexpr int kMany = 400;

std::string TextOf(const SuiteDraw& draw) { return ScenarioText(DrawScenario(draw), {}); }

bool Within(double value, const SuiteRange& range) {
  return value >= range.low && value <= range.high;
}

TEST(DrawScenario, DependsOnSeedAndNumberAlone) {
  EXPECT_EQ(TextOf({.seed = 5, .number = 17}), TextOf({.seed = 5, .number = 17}));
  EXPECT_NE(TextOf({.seed = 5, .number = 17}), TextOf({.seed = 5, .number = 18}));
  EXPECT_NE(TextOf({.seed = 5, .number = 17}), TextOf({.seed = 6, .number = 17}));
}

// The drawing itself: a change here makes all published results those of another suite.
TEST(DrawScenario, IsTheOneThatWasPublished) {
  const SuiteDraft draft = DrawScenario({.seed = 5, .number = 17});
  EXPECT_EQ(draft.name, "suite-5-17");
  EXPECT_EQ(draft.seed, 837963487U);
  EXPECT_EQ(draft.platform.accelerators(), 4);
  EXPECT_EQ(draft.tenant_count(), 1666);
  EXPECT_NEAR(draft.load, 0.605, 0.0005);
  const SuiteDraft arrays = DrawScenario({.seed = 5, .number = 5});
  ASSERT_EQ(arrays.platform.kinds.size(), 5U);
  EXPECT_EQ(arrays.platform.kinds[0].name, "eyeriss-v2-64gb");
  EXPECT_EQ(arrays.platform.kinds[0].count, 2);
  EXPECT_EQ(arrays.platform.kinds[1].name, "eyeriss16");
}

TEST(DrawScenario, TuningSharesNoScenarioWithReporting) {
  std::set<std::uint64_t> seeds;
  for (int number = 1; number <= kMany; ++number) {
    for (const SuitePurpose purpose : {SuitePurpose::kReporting, SuitePurpose::kTuning})
      seeds.insert(DrawScenario({.seed = 1, .number = number, .purpose = purpose}).seed);
  }
  EXPECT_EQ(seeds.size(), 2U * kMany);
}

TEST(DrawScenario, StaysWithinTheRanges) {
  for (int number = 1; number <= kMany; ++number) {
    const SuiteDraft draft = DrawScenario({.seed = 1, .number = number});
    SCOPED_TRACE(draft.name);
    EXPECT_TRUE(Within(draft.load, kSuiteLoad));
    EXPECT_TRUE(Within(draft.factor, kSuiteFactor));
    EXPECT_TRUE(Within(draft.tenant_count(), kSuiteTenants));
    EXPECT_TRUE(Within(draft.platform.accelerators(), kSuiteAccelerators));
    EXPECT_LE(draft.platform.kinds.size(), static_cast<std::size_t>(kSuiteMostKinds));
    EXPECT_LE(draft.tenants.size(), static_cast<std::size_t>(kSuiteMostGroups));
    for (const DraftTenants& group : draft.tenants) {
      EXPECT_TRUE(Within(group.factor.value_or(draft.factor), kSuiteFactor));
      EXPECT_LE(group.networks_each, static_cast<int>(group.networks.size()));
      EXPECT_LE(group.networks.size(), static_cast<std::size_t>(kSuiteMostNetworks));
    }
  }
}

TEST(DrawScenario, ReachesEveryClassOfEveryTrait) {
  std::set<std::string> seen;
  for (int number = 1; number <= kMany; ++number) {
    for (const SuiteTrait& trait : TraitsOf(DrawScenario({.seed = 1, .number = number})))
      seen.insert(trait.name + ": " + trait.value);
  }
  for (const char* trait : {"platform: arrays",
                            "platform: processors",
                            "platform: measured",
                            "accelerators: 1-4",
                            "accelerators: 5-16",
                            "accelerators: 17-64",
                            "sharing: proportional",
                            "sharing: max-min",
                            "sharing: none",
                            "segments: layers",
                            "segments: blocks",
                            "segments: whole",
                            "tenants: 2-20",
                            "tenants: 21-200",
                            "tenants: 201-2000",
                            "load: 0.4-0.8",
                            "load: 0.8-1.1",
                            "load: 1.1-2.0",
                            "tightest deadline: 1.2-2",
                            "tightest deadline: 2-4",
                            "tightest deadline: 4-10",
                            "arrivals: pareto",
                            "arrivals: poisson",
                            "arrivals: bursty",
                            "arrivals: periodic",
                            "arrivals: mixed",
                            "promises: all",
                            "promises: some",
                            "promises: none",
                            "beliefs: exact",
                            "beliefs: wrong per layer",
                            "beliefs: wrong per network or kind",
                            "beliefs: wrong per layer and shared"})
    EXPECT_TRUE(seen.contains(trait)) << trait;
}

TEST(ScenarioText, IsReadByTheOrdinaryReader) {
  for (int number = 1; number <= kMany; ++number) {
    const SuiteDraft draft = DrawScenario({.seed = 2, .number = number});
    const auto scenario = ParseScenario(
        draft.name, ScenarioText(draft, {.horizon_s = 12.3456, .shortest_gap_s = 0.01}));
    ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
    EXPECT_EQ(scenario->name, draft.name);
    EXPECT_EQ(scenario->seed, draft.seed);
    EXPECT_EQ(scenario->tenants.size(), draft.tenants.size());
    EXPECT_EQ(scenario->horizon, std::chrono::milliseconds{12'400});  // three digits, upwards
  }
}

TEST(SuiteRanges, NamesAreKnown) {
  for (std::string_view name : kSuiteArrays)
    EXPECT_TRUE(FindAcceleratorModel(name, &ReadFile).has_value()) << name;
  for (const SuiteProcessor& processor : kSuiteProcessorKinds)
    EXPECT_TRUE(FindAcceleratorModel(processor.kind, &ReadFile).has_value()) << processor.kind;
  EXPECT_NE(FindInZoo(kSuiteModelledNetwork), nullptr);
  for (const char* platform : {"xeon-16", "h200-partitions"}) {
    const Profile profile = MeasuredProfileOf(platform);
    for (std::string_view name : kSuiteNetworks) {
      EXPECT_NE(FindInZoo(name), nullptr) << name;
      EXPECT_NE(std::ranges::find(profile.networks, name, &NetworkGraph::name),
                profile.networks.end())
          << name;
    }
  }
}

// A draft knows how many accelerators a ready platform has.
TEST(DraftPlatform, CountsThoseOfReadyPlatforms) {
  for (const ReadyPlatform& ready : ReadyPlatforms()) {
    int count = 0;
    for (const AcceleratorsConfig& kind : ready.accelerators) count += kind.count;
    EXPECT_EQ((DraftPlatform{.ready = ready.name}.accelerators()), count) << ready.name;
  }
}

}  // namespace
}  // namespace fairlead
