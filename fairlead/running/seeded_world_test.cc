#include "fairlead/running/seeded_world.h"

#include <gtest/gtest.h>

#include <variant>

#include "fairlead/config/testing/npu_world.h"

namespace fairlead {
namespace {

TEST(SeededWorld, TenantsThatJoinLaterAreInTheTimeline) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small], joins: 5ms, leaves: 6ms}]");
  const SimulationSetup setup = SeededWorld(**world, 1).Setup();
  ASSERT_EQ(setup.timeline.size(), 3U);  // joins, its agreement, leaves
  EXPECT_TRUE(std::holds_alternative<TenantLeave>(setup.timeline[2].input));
  EXPECT_EQ(setup.timeline[2].at, AtNanoseconds(6'000'000));
}

TEST(SeededWorld, TargetsAreDealtByZipfInExactNumbers) {
  const auto world = BuildOnNpu(
      "load: 1\ntenants: [{count: 11, networks: [small], target: {zipf: [70%, 80%, 90%]}}]");
  int most_frequent = 0;
  for (const ServiceAgreement& agreement : SeededWorld(**world, 1).Setup().world.agreements) {
    if (agreement.target == 0.7) ++most_frequent;
  }
  EXPECT_EQ(most_frequent, 6);  // shares 6 : 3 : 2
}

TEST(SeededWorld, BeliefsAreTheTruthUnlessTheScenarioSaysSo) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small]}]");
  const SeededWorld seeded(**world, 1);
  const NetworkId small{std::size_t{0}};
  EXPECT_EQ(seeded.beliefs().FastestTotal(small), (*world)->truth->FastestTotal(small));
}

TEST(SeededWorld, BeliefsMayBeWrong) {
  const auto world = BuildOnNpu("beliefs: {bias: 0.5}\nload: 1\ntenants: [{networks: [small]}]");
  const SeededWorld seeded(**world, 1);
  EXPECT_EQ(seeded.beliefs().FastestTotal(NetworkId{std::size_t{0}}), Duration{15'000});
}

}  // namespace
}  // namespace fairlead
