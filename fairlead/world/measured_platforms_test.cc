#include "fairlead/world/measured_platforms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "fairlead/world/world.h"

namespace fairlead {
namespace {

std::unique_ptr<const World> WorldOn(const std::string& platform, const std::string& network) {
  const std::string text = "platform: " + platform + "\nhorizon: 1s\ntenants: [{networks: [" +
                           network + "], rate: 1/s}]\nnetworks: {segments: whole}\n";
  auto scenario = ParseScenario("s.yaml", text);
  if (!scenario.has_value()) throw std::runtime_error(scenario.error().message);
  auto world = BuildWorld(std::move(*scenario), &ReadFile);
  if (!world.has_value()) throw std::runtime_error(world.error().message);
  return std::move(*world);
}

std::int64_t WholeOn(const World& world, const std::string& network, const std::string& kind,
                     int units) {
  const auto found = std::ranges::find(world.networks, network, &NetworkGraph::name);
  const NetworkId id{static_cast<std::size_t>(found - world.networks.begin())};
  return Nanoseconds(
      world.truth
          ->Find(id, SegmentId{std::size_t{0}}, world.platform.FindKind(kind), {.units = units})
          ->latency);
}

TEST(ReadyPlatforms, WholeNetworksTakeWhatWasMeasured) {
  const auto h200 = WorldOn("h200-partitions", "alexnet");
  EXPECT_NEAR(static_cast<double>(WholeOn(*h200, "alexnet", "p0", 1)), 222'980, 10);
  EXPECT_NEAR(static_cast<double>(WholeOn(*h200, "alexnet", "p3", 1)), 364'880, 10);
  EXPECT_NEAR(static_cast<double>(WholeOn(*h200, "mobilenet-v2", "p0", 1)), 523'000, 100'000);
}

TEST(ReadyPlatforms, CoresAreUnits) {
  const auto xeon = WorldOn("xeon-16", "vgg16");
  EXPECT_NEAR(static_cast<double>(WholeOn(*xeon, "vgg16", "cores", 1)), 464'233'100, 100);
  EXPECT_NEAR(static_cast<double>(WholeOn(*xeon, "vgg16", "cores", 16)), 44'540'100, 100);
}

TEST(ReadyPlatforms, WhatADlaCannotRunIsLeftToTheGpu) {
  const std::string text =
      "platform: xavier\nhorizon: 1s\ntenants: [{networks: [shufflenet-v2-x1-0], rate: 1/s}]\n";
  auto scenario = ParseScenario("s.yaml", text);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world = BuildWorld(std::move(*scenario), &ReadFile);
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const KindId gpu = (*world)->platform.FindKind("xavier-gpu");
  const KindId dla = (*world)->platform.FindKind("xavier-dla");
  int only_gpu = 0;
  const NetworkId network{std::size_t{0}};
  for (std::size_t s = 0; s < (*world)->networks[0].size(); ++s) {
    EXPECT_NE((*world)->truth->Alone(network, SegmentId{s}, gpu), nullptr);
    if ((*world)->truth->Alone(network, SegmentId{s}, dla) == nullptr) ++only_gpu;
  }
  EXPECT_EQ(only_gpu, 16);  // its channel shuffles
}

TEST(ReadyPlatforms, AKindMayBeAFileOfItsOwn) {
  const std::string text =
      "platform: {accelerators: [{kind: mine.yaml}, {kind: simba}]}\nhorizon: 1s\n"
      "tenants: [{networks: [alexnet], rate: 1/s}]\n";
  auto scenario = ParseScenario("folder/s.yaml", text);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world =
      BuildWorld(std::move(*scenario), [](const std::string& path) -> Result<std::string> {
        if (path != "folder/mine.yaml") return Fail("{}: not there", path);
        return std::string("name: big\nlike: gemmini\narray: {clock_ghz: 4}\n");
      });
  ASSERT_TRUE(world.has_value()) << world.error().message;
  EXPECT_EQ((*world)->platform.accelerators[0].name, "big");
}

// Quotes build worlds anew from the scenario of one.
TEST(ReadyPlatforms, AKindFromAFileIsFoundAgain) {
  const auto read = [](const std::string& path) -> Result<std::string> {
    if (path != "folder/mine.yaml") return Fail("{}: not there", path);
    return std::string("name: big\nlike: gemmini\narray: {clock_ghz: 4}\n");
  };
  auto scenario = ParseScenario("folder/s.yaml",
                                "platform: {accelerators: [{kind: mine.yaml}]}\nhorizon: 1s\n"
                                "tenants: [{networks: [alexnet], rate: 1/s}]\n");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world = BuildWorld(std::move(*scenario), read);
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto again = BuildWorld(Scenario((*world)->scenario), read);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ((*again)->platform.accelerators[0].name, "big");
}

}  // namespace
}  // namespace fairlead
