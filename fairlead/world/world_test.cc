#include "fairlead/world/world.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/world/testing/npu_world.h"

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

// ---- Settings ------------------------------------------------------------------------------

Result<Scenario> ParsedWith(const std::vector<Setting>& settings) {
  return ParseScenario("test.yaml",
                       "platform: {bandwidth: 1GB/s, accelerators: [{kind: npu}, {kind: gpu}]}\n"
                       "networks: {profile: profile}\nhorizon: 1s\n"
                       "tenants: [{name: a, networks: [small], rate: 1/s},\n"
                       "          {name: b, networks: [small], rate: 2/s}]",
                       settings);
}

TEST(Settings, TakeThePlaceOfWhatIsWritten) {
  const Scenario scenario = ParsedWith({{"platform.bandwidth", "8GB/s"},
                                        {"platform.accelerators.gpu.count", "3"},
                                        {"tenants.b.rate", "5/s"},
                                        {"deadlines.factor", "7"},
                                        {"tenants.0.target", "90%"}})
                                .value();
  EXPECT_EQ(scenario.platform.bandwidth, 8'000'000'000);
  EXPECT_EQ(scenario.platform.accelerators[1].count, 3);
  EXPECT_EQ(scenario.platform.accelerators[0].count, 1);
  EXPECT_EQ(scenario.tenants[1].rate, 5);
  EXPECT_EQ(scenario.qos_factor, 7);
  EXPECT_EQ(scenario.tenants[0].terms.promise.target, 0.9);
}

TEST(Settings, MeanAllEntriesByAStar) {
  const Scenario scenario = ParsedWith({{"tenants.*.target", "80%"}}).value();
  EXPECT_EQ(scenario.tenants[0].terms.promise.target, 0.8);
  EXPECT_EQ(scenario.tenants[1].terms.promise.target, 0.8);
}

TEST(Settings, AreReadAsStrictlyAsTheFile) {
  for (const Setting& wrong :
       {Setting{"platform.bandwith", "8GB/s"}, Setting{"tenants.c.rate", "1/s"},
        Setting{"platform.bandwidth", "8"}, Setting{"horizon.x", "1"}, Setting{"load", ""},
        Setting{"tenants.a", "x"}, Setting{"", "1"}, Setting{"load", "[1"}})
    EXPECT_FALSE(ParsedWith({wrong}).has_value()) << wrong.key;
}

// ---- Promises beside requests --------------------------------------------------------------

Result<std::unique_ptr<const World>> BuildWithRequests(const std::string& agreements) {
  auto scenario = ParseScenario("test.yaml",
                                "platform: {accelerators: [{kind: npu}]}\n"
                                "networks: {profile: profile}\nrequests: r.csv\n" +
                                    agreements);
  if (!scenario.has_value()) return tl::unexpected(scenario.error());
  return BuildWorld(std::move(*scenario), [](const std::string& path) -> Result<std::string> {
    if (path == "r.csv")
      return "request,arrival_ns,tenant,network,deadline_ns\n1,0,a,small,5\n2,9,a,large,\n"
             "3,9,b,small,6\n";
    if (path == "p.yaml") return "[{tenant: b, target: 70%}, {deadline: 2ms}]";
    return kProfile;
  });
}

TEST(Promises, StandBesideRequests) {
  const auto world = BuildWithRequests(
                         "agreements: [{tenant: a, network: large, target: 90%, deadline: 3ms},\n"
                         "  {tenant: '*', window: 10, max_misses: 2}]")
                         .value();
  ASSERT_EQ(world->agreements.size(), 3U);
  EXPECT_EQ(world->agreements[0].agreement.target, std::nullopt);
  EXPECT_EQ(world->agreements[0].agreement.window, 10);
  EXPECT_EQ(world->agreements[1].agreement.target, 0.9);
  EXPECT_EQ(world->agreements[1].agreement.window, 0);
  EXPECT_EQ(world->requests[1].deadline, Duration{3'000'000});
  EXPECT_EQ(world->agreements[2].agreement.max_misses, 2);
}

TEST(Promises, MayStandInAFile) {
  const auto world = BuildWithRequests("agreements: p.yaml").value();
  EXPECT_EQ(world->agreements[2].agreement.target, 0.7);
  EXPECT_EQ(world->requests[1].deadline, Duration{2'000'000});
}

TEST(Promises, AreOfThoseWhoAsk) {
  const auto nobody = BuildWithRequests("agreements: [{tenant: c, deadline: 1s}, {deadline: 1s}]");
  ASSERT_FALSE(nobody.has_value());
  EXPECT_THAT(nobody.error().message, HasSubstr("no request is about 'c'"));
  const auto no_deadline = BuildWithRequests("");
  ASSERT_FALSE(no_deadline.has_value());
  EXPECT_THAT(no_deadline.error().message, HasSubstr("request 2 has no deadline_ns"));
}

TEST(Promises, StayWhereRequestsAreReplaced) {
  Scenario scenario = *ParseScenario("test.yaml",
                                     "platform: {accelerators: [{kind: npu}]}\n"
                                     "networks: {profile: profile}\nhorizon: 1s\n"
                                     "tenants: [{name: t, count: 2, networks: [small], rate: 1/s, "
                                     "target: 80%}]");
  ASSERT_TRUE(ReplaceRequests(scenario, "/r.csv").has_value());
  const auto world =
      BuildWorld(std::move(scenario), [](const std::string& path) -> Result<std::string> {
        if (path == "/r.csv")
          return "request,arrival_ns,tenant,network,deadline_ns\n1,0,t-2,small,5\n2,9,x,small,5\n";
        return kProfile;
      }).value();
  EXPECT_EQ(world->agreements[0].agreement.target, 0.8);
  EXPECT_EQ(world->agreements[1].agreement.target, std::nullopt);
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
  EXPECT_EQ(world->notes[0], "No hand_overs beside profile: going on with a job costs nothing.");
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
