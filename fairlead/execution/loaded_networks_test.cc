#include "fairlead/execution/loaded_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "fairlead/domain/network_graph.h"
#include "fairlead/execution/testing/fake_processor.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr AcceleratorId kFirst{0};
constexpr AcceleratorId kSecond{1};
constexpr NetworkId kShort{0};
constexpr NetworkId kLong{1};

class LoadedNetworksTest : public testing::Test {
 protected:
  // Both networks on both processors, but for the long one on the second.
  LoadSpec Spec() {
    LoadSpec spec;
    spec.processors.push_back(std::make_unique<FakeProcessor>("first", behaviour_[0]));
    spec.processors.push_back(std::make_unique<FakeProcessor>("second", behaviour_[1]));
    spec.networks = {{FakeGraph("short", 2), {0, 1, 2}}, {FakeGraph("long", 6), {0, 6}}};
    spec.batches = {{{1, 4}, {1}}, {{1, 2}, {}}};
    spec.runs = 3;
    return spec;
  }

  FakeBehaviour behaviour_[2];
};

TEST_F(LoadedNetworksTest, MakesAsManyRunsAsAskedFor) {
  const auto networks = LoadedNetworks::Load(Spec());
  ASSERT_TRUE(networks.has_value());
  ASSERT_EQ((*networks)->pools().size(), 5);
  for (const RunPool& pool : (*networks)->pools()) EXPECT_EQ(pool.runs.size(), 3);
  EXPECT_EQ(behaviour_[0].entered, 1);
  EXPECT_EQ(behaviour_[1].entered, 1);
}

TEST_F(LoadedNetworksTest, FindsTheSmallestBatchThatIsLargeEnough) {
  const auto loaded = LoadedNetworks::Load(Spec());
  const LoadedNetworks& networks = **loaded;
  const auto batch_for = [&](AcceleratorId accelerator, NetworkId network, std::size_t jobs) {
    const RunPool& pool = networks.pools()[networks.PoolFor(accelerator, network, jobs)];
    EXPECT_THAT(pool.accelerators, ElementsAre(accelerator));
    EXPECT_EQ(pool.network, network);
    return pool.loaded->batch();
  };
  EXPECT_EQ(batch_for(kFirst, kShort, 1), 1);
  EXPECT_EQ(batch_for(kFirst, kShort, 2), 4);
  EXPECT_EQ(batch_for(kFirst, kLong, 1), 1);
  EXPECT_EQ(batch_for(kSecond, kShort, 2), 2);
}

TEST_F(LoadedNetworksTest, ProcessorsThatShareRunsLoadTogether) {
  behaviour_[0].shares = true;
  behaviour_[1].shares = true;
  const auto loaded = LoadedNetworks::Load(Spec());
  const LoadedNetworks& networks = **loaded;
  ASSERT_EQ(networks.pools().size(), 4);
  const std::size_t shared = networks.PoolFor(kFirst, kShort, 1);
  EXPECT_EQ(networks.PoolFor(kSecond, kShort, 1), shared);
  EXPECT_THAT(networks.pools()[shared].accelerators, ElementsAre(kFirst, kSecond));
  EXPECT_EQ(networks.pools()[shared].runs.size(), 6);
  // A batch of two runs on the second alone.
  EXPECT_EQ(networks.pools()[networks.PoolFor(kFirst, kShort, 2)].batch, 4);
  EXPECT_EQ(networks.pools()[networks.PoolFor(kSecond, kShort, 2)].batch, 2);
}

TEST_F(LoadedNetworksTest, AllSamplesHaveTheSameInputEverywhere) {
  const auto networks = LoadedNetworks::Load(Spec());
  const auto input_of = [&](AcceleratorId accelerator, NetworkId network, std::size_t batch,
                            std::size_t run) {
    const std::size_t pool = (*networks)->PoolFor(accelerator, network, batch);
    const std::span<float> input = (*networks)->pools()[pool].runs[run]->Input(0);
    return std::vector<float>(input.begin(), input.end());
  };
  const std::vector<float> one = input_of(kFirst, kShort, 1, 0);
  EXPECT_NE(one[0], one[1]);
  for (std::size_t sample = 0; sample < 4; ++sample) {
    const std::vector<float> four = input_of(kFirst, kShort, 4, 2);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(four[sample * 3 + i], one[i]);
  }
  EXPECT_EQ(input_of(kSecond, kShort, 1, 1), one);
  EXPECT_NE(input_of(kFirst, kLong, 1, 0), one);  // of the other network
}

TEST_F(LoadedNetworksTest, KnowsHowMuchIsAlive) {
  const auto networks = LoadedNetworks::Load(Spec());
  EXPECT_EQ((*networks)->LiveNumbers(kLong, 0), 3);
  EXPECT_EQ((*networks)->LiveNumbers(kLong, 3), 6);
  EXPECT_EQ((*networks)->MostLiveNumbers(kLong), 6);
}

TEST_F(LoadedNetworksTest, TellsWhichProcessorCannotBeEntered) {
  behaviour_[1].enter = Fail("second: no such core");
  const auto networks = LoadedNetworks::Load(Spec());
  ASSERT_FALSE(networks.has_value());
  EXPECT_EQ(networks.error().message, "second: no such core");
}

TEST_F(LoadedNetworksTest, TellsWhatCannotBeLoaded) {
  LoadSpec spec = Spec();
  spec.networks[1].graph.operators[3].body = Softmax{};
  const auto networks = LoadedNetworks::Load(std::move(spec));
  ASSERT_FALSE(networks.has_value());
  EXPECT_EQ(networks.error().message, "first: 3: Softmax is not for fakes");
}

TEST(BatchSizes, AreThoseOfTheCosts) {
  Platform platform;
  platform.AddKind("both", 2);
  platform.AddKind("one", 1);
  const std::vector<NetworkGraph> networks = {NetworkGraph::Chain("a", 2),
                                              NetworkGraph::Chain("b", 1)};
  CostTable costs(networks, platform);
  const auto set = [&](std::size_t network, std::size_t segment, std::size_t kind, int batch) {
    costs.Set(NetworkId{network}, SegmentId{segment}, KindId{kind}, {1, batch},
              {.latency = Duration{1}});
  };
  for (const std::size_t segment : {0, 1}) {
    set(0, segment, 0, 4);
    set(0, segment, 0, 1);
    set(0, segment, 1, 1);
  }
  set(1, 0, 0, 1);
  const BatchSizes sizes = BatchSizesOf(platform, 2, costs);
  EXPECT_THAT(sizes, ElementsAre(ElementsAre(ElementsAre(1, 4), ElementsAre(1)),
                                 ElementsAre(ElementsAre(1, 4), ElementsAre(1)),
                                 ElementsAre(ElementsAre(1), IsEmpty())));
}

}  // namespace
}  // namespace fairlead
