#include "fairlead/config/world.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/config/testing/npu_world.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

double RateOf(const World& world, std::size_t agreement) {
  return MeanRate(world.agreements[agreement].arrivals);
}

TEST(World, IsolatedLatencyIsThatOfOneJobAlone) {
  const auto world = BuildOnNpu("tenants: [{networks: [small], rate: 1/s}]").value();
  EXPECT_EQ(world->isolated[1], Duration{30'000});
}

TEST(World, DeadlinesAreFactorsOfIsolatedLatency) {
  const auto world =
      BuildOnNpu("deadlines: {factor: 2.5}\ntenants: [{networks: [large], rate: 1/s}]");
  EXPECT_EQ((*world)->agreements[0].agreement.deadline, Duration{75'000});
}

// Together the two tenants take 40 us of the npu per round: 25,000 rounds a second.
TEST(World, LoadOneIsWhatTheFluidBoundCarries) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small, large]}]").value();
  EXPECT_NEAR(RateOf(*world, 0), 25'000, 1);
}

TEST(World, SharesDivideTheLoad) {
  const auto world = BuildOnNpu(
                         "load: 0.5\ntenants:\n"
                         "  - {name: a, networks: [small], share: 3}\n"
                         "  - {name: b, networks: [small], share: 1}\n")
                         .value();
  EXPECT_NEAR(RateOf(*world, 0), 0.5 * 0.75 * 100'000, 1);
}

TEST(World, SaysWhatLoadGivenRatesAre) {
  const auto world = BuildOnNpu("tenants: [{networks: [small], rate: 30000/s}]").value();
  EXPECT_NEAR(world->offered_load, 0.3, 1e-4);
}

TEST(World, ItsMemoryLimitsNobodyWithoutSharing) {
  Scenario scenario = *ParseScenario("test.yaml",
                                     "platform: {bandwidth: 1GB/s, sharing: none, "
                                     "accelerators: [{kind: npu}]}\n"
                                     "networks: {profile: profile}\nhorizon: 1s\n"
                                     "tenants: [{networks: [small], rate: 1/s}]");
  const auto world = BuildWorld(std::move(scenario),
                                [](const std::string&) -> Result<std::string> { return kProfile; });
  EXPECT_EQ((*world)->platform.bandwidth, 0);
}

// The layer of `small` takes 10 us, those of `large` 30 us together.
TEST(World, HandOversCostTimeAlone) {
  const auto world = BuildOnNpu(
                         "hand_overs: {hand_over: 1us, take_over: 5us}\n"
                         "tenants: [{networks: [small], rate: 1/s}]")
                         .value();
  EXPECT_EQ(world->isolated[0], Duration{16'000});
  EXPECT_EQ(world->truth->hand_overs().TakeOver(KindId{0}), Duration{5'000});
  EXPECT_TRUE(world->notes.empty());
}

TEST(World, SaysThatAProfileSaysNothingOfHandOvers) {
  const auto world = BuildOnNpu("tenants: [{networks: [small], rate: 1/s}]").value();
  ASSERT_EQ(world->notes.size(), 1U);
  EXPECT_EQ(world->notes[0],
            "Nothing is said of hand_overs beside profile: going on with a job costs nothing.");
}

TEST(World, SaysThatNothingIsKnownOfWhatIsAlive) {
  const auto world = BuildOnNpu(
                         "hand_overs: {move: {bandwidth: 1GB/s}}\n"
                         "tenants: [{networks: [small], rate: 1/s}]")
                         .value();
  ASSERT_EQ(world->notes.size(), 1U);
  EXPECT_EQ(world->notes[0], "profile has no alive_bytes: a move costs its fixed part alone.");
}

TEST(World, DealsNetworksInTurnByName) {
  for (const char* const networks : {"small, large", "large, small"}) {
    const auto world =
        BuildOnNpu(fmt::format("load: 1\ntenants: [{{count: 3, networks: [{}], networks_each: 1}}]",
                               networks))
            .value();
    std::vector<std::string> dealt;
    for (const PlannedAgreement& planned : world->agreements)
      dealt.push_back(world->networks[planned.agreement.network.index()].name());
    EXPECT_EQ(dealt, (std::vector<std::string>{"large", "small", "large"}));
  }
}

TEST(World, NumbersTenantsInOrderOfJoining) {
  const auto world = BuildOnNpu(
                         "load: 1\ntenants:\n"
                         "  - {name: late, networks: [small], joins: 5ms}\n"
                         "  - {name: early, networks: [small]}\n")
                         .value();
  EXPECT_EQ(world->tenants[0].name, "early");
}

TEST(World, RefusesTenantsOfOneName) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small]}, {networks: [large]}]");
  EXPECT_THAT(world.error().message, HasSubstr("tenant 'tenant' stands twice"));
}

TEST(World, NamesTheNearestNetwork) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [smal]}]");
  EXPECT_THAT(world.error().message, HasSubstr("did you mean 'small'?"));
}

}  // namespace
}  // namespace fairlead
