#include "fairlead/running/live_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/running/run.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,batch\n"
    "gate,0,core,1000,0,0,1\n"
    "gate,1,core,1000,0,0,1\n"
    "gate,2,core,1000,0,0,1\n"
    "gate,3,core,1000,0,0,1\n"
    "gate,0,core,3000,0,0,4\n"
    "gate,1,core,3000,0,0,4\n"
    "gate,2,core,3000,0,0,4\n"
    "gate,3,core,3000,0,0,4\n"
    "unused,0,core,1000,0,0,1\n";

Result<std::unique_ptr<const World>> WorldWith(const std::string& networks,
                                               const std::string& accelerator) {
  auto scenario = ParseScenario("test.yaml",
                                "horizon: 10ms\n"
                                "platform: {accelerators: [{" +
                                    accelerator +
                                    "}]}\n"
                                    "networks: {profile: p.csv, onnx: [tests/fuzz/corpus/"
                                    "onnx/gate.onnx], " +
                                    networks +
                                    "}\n"
                                    "tenants: [{networks: [gate], rate: 100/s}]\n");
  if (!scenario.has_value()) return tl::unexpected(scenario.error());
  return BuildWorld(std::move(*scenario), [](const std::string& path) -> Result<std::string> {
    return path == "p.csv" ? Result<std::string>(kProfile) : ReadFile(path);
  });
}

// A core that this process may use.
std::string ACore() { return std::to_string(Machine::This().UsableCores().front()); }

TEST(LiveNetworks, LoadsWhatIsAskedForAtEachBatch) {
  const auto world =
      WorldWith("segments: blocks, layers_per_block: 3", "kind: core, cores: " + ACore());
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto networks = LoadLiveNetworks(**world, &ReadFile);
  ASSERT_TRUE(networks.has_value()) << networks.error().message;
  ASSERT_EQ((*networks)->pools().size(), 2);
  EXPECT_EQ((*networks)->pools()[0].loaded->batch(), 1);
  EXPECT_EQ((*networks)->pools()[1].loaded->batch(), 4);
  EXPECT_THAT((*networks)->network(NetworkId{0}).bounds, ElementsAre(0, 3, 4));
  EXPECT_EQ((*networks)->processor(AcceleratorId{0}).name(), "core");
}

TEST(LiveNetworks, RefusesANetworkThatWasMeasuredOtherwise) {
  auto world = WorldWith("segments: whole", "kind: core, cores: " + ACore());
  ASSERT_TRUE(world.has_value()) << world.error().message;
  World changed = **world;
  changed.bounds[0] = {0, 5};
  const auto networks = LoadLiveNetworks(changed, &ReadFile);
  ASSERT_FALSE(networks.has_value());
  EXPECT_THAT(networks.error().message,
              HasSubstr("'gate' has 4 layers to run, and costs for 5: measure it again"));
}

TEST(LiveNetworks, RefusesACoreThatIsNotThere) {
  const auto world = WorldWith("segments: whole", "kind: core, cores: [4095]");
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto networks = LoadLiveNetworks(**world, &ReadFile);
  ASSERT_FALSE(networks.has_value());
  EXPECT_THAT(networks.error().message, HasSubstr("test.yaml:2:27: "));
  EXPECT_THAT(networks.error().message, HasSubstr("4095"));
}

TEST(LiveNetworks, RefusesToDivideUnits) {
  const auto world = WorldWith("segments: whole", "kind: core, units: 2, cores: " + ACore());
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto networks = LoadLiveNetworks(**world, &ReadFile);
  ASSERT_FALSE(networks.has_value());
  EXPECT_THAT(networks.error().message,
              HasSubstr("'core' has 2 units, and its cores run one segment at a time"));
}

// A world whose costs are modelled, with branches in its network: it runs live all the same.
Result<std::unique_ptr<const World>> ModelledWorld(const std::string& segments,
                                                   const std::string& file) {
  auto scenario = ParseScenario(
      "test.yaml",
      fmt::format("horizon: 20ms\n"
                  "platform: {{accelerators: [{{kind: simba, cores: {}}}]}}\n"
                  "networks: {{segments: {}, onnx: [{}]}}\n"
                  "tenants: [{{networks: [{}], rate: 200/s}}]\n",
                  ACore(), segments, file, std::filesystem::path(file).stem().string()));
  if (!scenario.has_value()) return tl::unexpected(scenario.error());
  return BuildWorld(std::move(*scenario), &ReadFile, SegmentOrder::kOneAfterAnother);
}

TEST(LiveNetworks, RunsWhatIsModelled) {
  for (const char* segments : {"layers", "blocks, layers_per_block: 2", "whole"}) {
    const auto world = ModelledWorld(segments, "tests/fuzz/corpus/onnx/gate.onnx");
    ASSERT_TRUE(world.has_value()) << world.error().message;
    const auto networks = LoadLiveNetworks(**world, &ReadFile);
    ASSERT_TRUE(networks.has_value()) << networks.error().message;
    const RunSpec spec{.policy = "fcfs-h", .pace = Pace::kRun, .networks = networks->get()};
    std::ostringstream file;
    const auto figures = RunOnce(**world, spec, {.recording = &file});
    ASSERT_TRUE(figures.has_value()) << figures.error().message;
    const OutcomeCounts& counts = figures->counts;
    EXPECT_GT(counts.ended(), 0) << segments;
    EXPECT_EQ(counts.hits() + counts.Of(Outcome::kMiss), counts.ended()) << segments;
    const auto recording = ReadRecording("live.rec", file.str());
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    const auto report = Replay(*recording, &RecordedPolicy);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->identical()) << segments;
  }
}

TEST(LiveNetworks, NamesTheOperatorThatNoExecutorCarriesOut) {
  const auto world = ModelledWorld("layers", "tests/fuzz/corpus/onnx/unknown.onnx");
  ASSERT_TRUE(world.has_value()) << world.error().message;
  const auto networks = LoadLiveNetworks(**world, &ReadFile);
  ASSERT_FALSE(networks.has_value());
  EXPECT_THAT(networks.error().message, HasSubstr("no executor carries out this operator"));
}

}  // namespace
}  // namespace fairlead
