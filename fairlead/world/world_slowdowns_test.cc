#include "fairlead/world/world_slowdowns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/world/arrangement.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

Result<std::unique_ptr<const World>> BuildFrom(const std::string& platform,
                                               const std::string& interference) {
  const std::string text = "horizon: 1s\nplatform: " + platform +
                           "\nnetworks: {segments: whole}\n" + interference +
                           "\ntenants:\n  - {networks: [resnet50, vgg16], rate: 10/s}\n";
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario("s.yaml", text));
  return BuildWorld(std::move(scenario), [](const std::string& path) -> Result<std::string> {
    if (path == "other.slowdown") return std::string("fairlead slowdown 1\npartitions 2\n");
    return Fail("{}: there is no such file", path);
  });
}

std::unique_ptr<const World> Built(const std::string& interference,
                                   const std::string& platform = "h200-partitions") {
  auto world = BuildFrom(platform, interference);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  return std::move(*world);
}

std::string ErrorOf(const std::string& platform, const std::string& interference) {
  const auto world = BuildFrom(platform, interference);
  return world.has_value() ? "" : world.error().message;
}

NetworkId Find(const World& world, std::string_view name) {
  const auto found = std::ranges::find(world.networks, name, &NetworkGraph::name);
  return NetworkId{static_cast<std::size_t>(found - world.networks.begin())};
}

AcceleratorId Partition(const World& world, std::string_view name) {
  return world.platform.FindAccelerator(std::string(name));
}

// The slowdowns of VGG16 on p0 and ResNet50 on p1, side by side.
std::pair<double, double> SideBySide(const World& world) {
  const std::vector<RunningSegment> running = {{.accelerator = Partition(world, "p0"),
                                                .network = Find(world, "vgg16"),
                                                .segment = SegmentId{0U}},
                                               {.accelerator = Partition(world, "p1"),
                                                .network = Find(world, "resnet50"),
                                                .segment = SegmentId{0U}}};
  std::vector<Rate> rates(2);
  TrueInterference(world)->Rates(running, rates);
  return {static_cast<double>(kFullRate) / static_cast<double>(rates[0]),
          static_cast<double>(kFullRate) / static_cast<double>(rates[1])};
}

TEST(WorldSlowdowns, OfAMeasuredTruthAreAboutWhatWasMeasured) {
  const auto [vgg, resnet] = SideBySide(*Built("interference: {truth: measured}"));
  // Networks in mixes are slowed by 1.22 in the median, by 1.33 at the 90th percentile.
  EXPECT_GT(vgg, 1.05);
  EXPECT_LT(vgg, 1.5);
  EXPECT_GT(resnet, 1.05);
  EXPECT_LT(resnet, 1.5);
}

TEST(WorldSlowdowns, DoNotDependOnTheOrderInWhichThingsAreListed) {
  const auto world = Built("interference: {truth: measured, belief: measured}");
  const World arranged = Arranged(*world, ByName(*world));
  const World drawn = Arranged(*world, ByDraw(*world, *world->truth, 7));
  EXPECT_EQ(SideBySide(arranged), SideBySide(drawn));
  const auto believed = [](const World& one) {
    return BesideOthers(one, *one.truth).FastestTotal(Find(one, "vgg16"));
  };
  EXPECT_EQ(believed(arranged), believed(drawn));
  EXPECT_GT(believed(arranged), arranged.truth->FastestTotal(Find(arranged, "vgg16")));
}

// That of VGG16 on p0 beside ResNet50 on p1, and on p2 too.
std::pair<double, double> BelievedBeside(const World& world) {
  const CostTable beliefs = BesideOthers(world, *world.truth);
  const BesideSlowdowns::Placed one{Find(world, "vgg16"), Partition(world, "p0")};
  const NetworkId other = Find(world, "resnet50");
  const std::array<BesideSlowdowns::Placed, 2> others = {
      {{other, Partition(world, "p1")}, {other, Partition(world, "p2")}}};
  const BesideSlowdowns& slowdowns = *beliefs.slowdowns();
  return {BesideSlowdowns::FactorOf(slowdowns.Beside(one, std::span(others).first(1))),
          BesideSlowdowns::FactorOf(slowdowns.Beside(one, others))};
}

TEST(WorldSlowdowns, ThatAreBelievedAreThoseBesideGivenNetworksToo) {
  const auto [one, two] = BelievedBeside(*Built("interference: {belief: constant:1.5}"));
  EXPECT_NEAR(one, 1.5, 1e-4);
  EXPECT_NEAR(two, 1.5, 1e-4);
  const auto world = Built("interference: {truth: measured, belief: measured}");
  EXPECT_NEAR(BelievedBeside(*world).first, SideBySide(*world).first, 1e-4);
  EXPECT_GT(BelievedBeside(*world).second, BelievedBeside(*world).first);
}

TEST(WorldSlowdowns, BesideGivenNetworksDoNotDependOnTheOrderInWhichThingsAreListed) {
  const auto world = Built("interference: {belief: measured}");
  EXPECT_EQ(BelievedBeside(Arranged(*world, ByName(*world))),
            BelievedBeside(Arranged(*world, ByDraw(*world, *world->truth, 7))));
}

TEST(WorldSlowdowns, AreNoneUnlessNamed) {
  const auto [vgg, resnet] = SideBySide(*Built(""));
  EXPECT_EQ(vgg, 1);
  EXPECT_EQ(resnet, 1);
}

TEST(WorldSlowdowns, ThatAreBelievedMakeLatenciesLonger) {
  const auto world = Built("interference: {belief: constant:1.5}");
  const CostTable beliefs = BesideOthers(*world, *world->truth);
  const NetworkId vgg = Find(*world, "vgg16");
  EXPECT_NEAR(Seconds(beliefs.FastestTotal(vgg)) / Seconds(world->truth->FastestTotal(vgg)), 1.5,
              1e-4);
  const auto [true_vgg, true_resnet] = SideBySide(*world);
  EXPECT_EQ(true_vgg, 1);
  EXPECT_EQ(true_resnet, 1);
}

TEST(WorldSlowdowns, ThatAreMeasuredAreForTheMachineThatWasMeasured) {
  EXPECT_THAT(ErrorOf("xavier", "interference: {truth: measured}"),
              HasSubstr("s.yaml:4:23: interference: 'measured' is for platform: h200-partitions"));
}

// How much longer a segment takes that a press slows twice, beside one that touches so much.
double BesideTouched(const World& world, Demand bytes_per_s) {
  const RunningSegment pressed{.network = Find(world, "vgg16"), .pressed = 2};
  RunningSegment other = pressed;
  other.demand = bytes_per_s << kDemandBits;
  std::array<Rate, 2> rates{};
  TrueInterference(world)->Rates(std::array{pressed, other}, rates);
  return static_cast<double>(kFullRate) / static_cast<double>(rates[0]);
}

TEST(WorldSlowdowns, ThatAreMeasuredOnCoresGrowWithWhatOthersTouch) {
  for (const char* platform : {"cores-16", "xeon-16"}) {
    const auto world = Built("interference: {truth: measured}", platform);
    EXPECT_GT(BesideTouched(*world, 100'000'000'000), BesideTouched(*world, 1'000)) << platform;
  }
}

TEST(WorldSlowdowns, OfSeveralUnitsAreRefused) {
  EXPECT_THAT(ErrorOf("xeon-16", "interference: {truth: constant:1.2}"),
              HasSubstr("'cores' has 16 units"));
}

TEST(WorldSlowdowns, OfFilesThatAreNotThereOrOfOtherMachinesAreRefused) {
  EXPECT_THAT(ErrorOf("h200-partitions", "interference: {belief: mine.slowdown}"),
              HasSubstr("mine.slowdown: there is no such file"));
  EXPECT_THAT(ErrorOf("h200-partitions", "interference: {belief: other.slowdown}"),
              HasSubstr("a model of 2 partitions; the platform has 4"));
  EXPECT_THAT(ErrorOf("xavier", "interference: {belief: other.slowdown}"),
              HasSubstr("a model of 2 partitions; the platform has 3"));
}

TEST(WorldSlowdowns, HaveKeysThatAreKnown) {
  EXPECT_THAT(ErrorOf("h200-partitions", "interference: {trust: none}"),
              HasSubstr("did you mean 'truth'"));
}

}  // namespace
}  // namespace fairlead
