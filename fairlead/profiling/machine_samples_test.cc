#include "fairlead/profiling/machine_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// One network of two layers on one partition: the first has 2 weights, the second 6.
class ConcludeTest : public ::testing::Test {
 protected:
  ConcludeTest() {
    profile_.networks = {"two"};
    profile_.batches = {1};
    profile_.partitions = {{.name = "p0", .cores = {0}, .cache_bytes = 16}};
    samples_.alone = {{.visits = {400, 100, 300, 200, 500},
                       .passes = {100, 310, 500},
                       .turns = {150, 160, 200, 240, 700},
                       .layers = {{60, 50, 70}, {150, 140, 500}},
                       .counts = {}}};
    samples_.read_alone = {{1e9, 3e9, 2e9}};
    samples_.read_together = {{1e9, 1e9, 1e9}};
  }

  const ProfiledNetwork& Network() {
    PartitionThread* const threads[] = {thread_.get()};
    const OperatorGraph* const graphs[] = {&graph_};
    const auto resident = ResidentNetworks::Load(graphs, profile_.batches, threads).value();
    Conclude(samples_, *resident, profile_);
    return profile_.alone.front();
  }

  OperatorGraph graph_ = PretendGraph("two", 2);
  PretendProcessor processor_{"p0", [](const PretendLayer&) { return Duration{1}; }};
  std::unique_ptr<PartitionThread> thread_ = PartitionThread::Start(processor_).value();
  MachineProfile profile_;
  MachineSamples samples_;
};

TEST_F(ConcludeTest, ReportsTheMedianOfTurns) { EXPECT_EQ(Network().nanoseconds, 200); }

TEST_F(ConcludeTest, ReportsTheLowerQuartileOfVisits) {
  samples_.alone[0].visits = {410, 110, 310, 210, 510};
  EXPECT_EQ(Network().burst, 210);
}

TEST_F(ConcludeTest, ReportsTheMedianOfPasses) { EXPECT_EQ(Network().median, 310); }

TEST_F(ConcludeTest, ReportsTheSpreadOfTurns) { EXPECT_DOUBLE_EQ(Network().spread, 80.0 / 200); }

TEST_F(ConcludeTest, TakesVisitsWhereAllPassesWereDisturbed) {
  samples_.alone[0].passes.clear();
  EXPECT_EQ(Network().median, 300);
}

TEST_F(ConcludeTest, ScalesMediansOfLayersToTheWhole) {
  const ProfiledNetwork& network = Network();
  EXPECT_DOUBLE_EQ(network.layers_sum, 210.0 / 200);
  EXPECT_DOUBLE_EQ(network.layers[0].nanoseconds, 60 / 1.05);
  EXPECT_DOUBLE_EQ(network.layers[1].nanoseconds, 150 / 1.05);
}

TEST_F(ConcludeTest, ComparesMediansOfPressedLayersWithThoseAloneAtOnce) {
  samples_.alone[0].unpressed = {{10, 20, 30}, {100, 100, 100}};
  samples_.alone[0].pressed = {{25, 30, 1000}, {90, 90, 90}};
  const ProfiledNetwork& network = Network();
  EXPECT_DOUBLE_EQ(network.layers[0].pressed, 1.5);
  EXPECT_DOUBLE_EQ(network.layers[1].pressed, 1);  // faster than alone is chance
}

TEST_F(ConcludeTest, ReportsTheMedianBandwidth) {
  Network();
  EXPECT_EQ(profile_.partitions[0].read_alone, 2e9);
}

TEST_F(ConcludeTest, CountsTrafficBeyondTheCache) {
  // Inputs and outputs of 4 x 4 pixels, weights: all of it, for a cache of 16 bytes.
  samples_.read_alone = {{1e12}};
  const ProfiledNetwork& network = Network();
  EXPECT_EQ(network.layers[0].dram_bytes, 4 * (16 + 32 + 2));
  EXPECT_EQ(network.layers[1].dram_bytes, 4 * (32 + 48 + 6));
}

TEST_F(ConcludeTest, CountsNoMoreThanThePartitionCanRead) {
  // 60 / 1.05 ns at 2 GB/s.
  EXPECT_EQ(Network().layers[0].dram_bytes, 114);
}

TEST_F(ConcludeTest, TakesMissesWhereTheProcessorCountsThem) {
  samples_.alone[0].counts = {{1, 2, 3, 10}, {1, 2, 3, 20}};
  const ProfiledNetwork& network = Network();
  EXPECT_EQ(network.layers[0].dram_bytes, 640);
  EXPECT_EQ(network.layers[1].dram_bytes, 1280);
}

TEST_F(ConcludeTest, ReportsTheLowerQuartileOfMixes) {
  profile_.mixes = {{.networks = {0}, .nanoseconds = {}}};
  samples_.mixes = {{{500, 400, 300, 200, 100}}};
  Network();
  EXPECT_THAT(profile_.mixes[0].nanoseconds, ElementsAre(200));
}

TEST_F(ConcludeTest, KnowsTheShareThatWasDisturbed) {
  samples_.passes = 40;
  samples_.disturbed = 10;
  Network();
  EXPECT_EQ(profile_.disturbed_share, 0.25);
}

// Two partitions with a network of one layer each.
class AlikeTest : public ::testing::Test {
 protected:
  AlikeTest() {
    profile_.networks = {"one"};
    profile_.batches = {1};
    profile_.partitions = {{.name = "p0", .cores = {0}, .alike = 0},
                           {.name = "p1", .cores = {1}, .alike = 0}};
    for (const double time : {100.0, 130.0})
      samples_.alone.push_back(
          {.visits = {time}, .passes = {}, .turns = {time}, .layers = {{time}}, .counts = {}});
    samples_.read_alone = {{1e9}, {1e9}};
    samples_.read_together = {{1e9}, {1e9}};
  }

  std::vector<double> Times() {
    PartitionThread* const threads[] = {thread_.get(), thread_.get()};
    const OperatorGraph* const graphs[] = {&graph_};
    const auto resident = ResidentNetworks::Load(graphs, profile_.batches, threads).value();
    Conclude(samples_, *resident, profile_);
    return {profile_.alone[0].nanoseconds, profile_.alone[1].nanoseconds};
  }

  OperatorGraph graph_ = PretendGraph("one", 1);
  PretendProcessor processor_{"p0", [](const PretendLayer&) { return Duration{1}; }};
  std::unique_ptr<PartitionThread> thread_ = PartitionThread::Start(processor_).value();
  MachineProfile profile_;
  MachineSamples samples_;
};

TEST_F(AlikeTest, TakeTheSameTime) { EXPECT_THAT(Times(), ElementsAre(115, 115)); }

TEST_F(AlikeTest, HaveTheirOwnBursts) {
  Times();
  EXPECT_EQ(profile_.alone[1].burst, 130);
}

TEST_F(AlikeTest, ShareTheirLayers) {
  Times();
  EXPECT_EQ(profile_.alone[0].layers[0].nanoseconds, 115);
}

TEST_F(AlikeTest, ButNotOnCoresOfTwoKinds) {
  samples_.alone[1].turns = {150};
  EXPECT_THAT(Times(), ElementsAre(100, 150));
}

TEST_F(AlikeTest, UnlikeOnesTakeTheirOwnTime) {
  profile_.partitions[1].alike = 1;
  EXPECT_THAT(Times(), ElementsAre(100, 130));
}

}  // namespace
}  // namespace fairlead
