// Networks that are unloaded and loaded, and processors that come back, while others run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "fairlead/execution/network_work.h"
#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

constexpr std::size_t kLayersBefore = 4;

class NetworkChangesTest : public testing::Test {
 protected:
  NetworkChangesTest() {
    LoadSpec spec;
    spec.processors.push_back(std::make_unique<FakeProcessor>("p", behaviour_));
    spec.batches = {{{1}, {1}}};
    spec.networks.push_back({FakeGraph("g", kLayersBefore), {0, 2, 4}});
    spec.networks.push_back({FakeGraph("h", kLayersBefore), {0, 2, 4}});
    networks_ = std::move(*LoadedNetworks::Load(std::move(spec)));
    work_ = std::make_unique<NetworkWork>(
        *networks_,
        NetworkHooks{
            .input = [](const JobSample&,
                        std::span<float> numbers) { std::ranges::fill(numbers, 1.0F); },
            .output = [this](const JobSample&,
                             std::span<const float> numbers) { outputs_.push_back(numbers[0]); }});
  }

  void Run(std::size_t network, std::size_t segment, std::uint64_t serial) {
    Assignment assignment;
    assignment.accelerator = AcceleratorId{0};
    assignment.network = NetworkId{network};
    assignment.segment = SegmentId{segment};
    assignment.jobs = {JobId{serial}};
    assignment.serials = {serial};
    SegmentRun run(assignment, Duration{1}, clock_);
    EXPECT_EQ(work_->CarryOut(run), WorkResult::kDone);
  }

  const ManualClock clock_;
  FakeBehaviour behaviour_;
  FakeBehaviour other_;
  std::unique_ptr<LoadedNetworks> networks_;
  std::unique_ptr<NetworkWork> work_;
  std::vector<float> outputs_;
};

TEST_F(NetworkChangesTest, WhatIsUnloadedDoesNotRunUntilItIsLoaded) {
  Run(1, 0, 1);  // of the other network: it stays where it is
  work_->Unload(*networks_, NetworkId{0});
  EXPECT_THROW(Run(0, 0, 2), std::runtime_error);
  Run(1, 1, 1);
  EXPECT_THAT(outputs_, testing::ElementsAre(FakeFactor(kLayersBefore)));
  ASSERT_TRUE(work_->Load(*networks_, NetworkId{0}).has_value());
  Run(0, 0, 3);
  Run(0, 1, 3);
  EXPECT_EQ(outputs_.size(), 2U);
}

TEST_F(NetworkChangesTest, AJobWhoseTensorsWereExchangedBeginsAnew) {
  Run(0, 0, 1);
  ASSERT_TRUE(work_->Load(*networks_, NetworkId{0}).has_value());
  Run(0, 1, 1);
  EXPECT_THAT(outputs_, testing::ElementsAre(FakeFactor(kLayersBefore)));
  EXPECT_EQ(behaviour_.carried, 2 + kLayersBefore);
}

TEST_F(NetworkChangesTest, WhatWaitedInMemoryIsKeptUntilItIsGivenBack) {
  EXPECT_EQ(work_->SpareBytes(), 0U);
  for (const std::uint64_t serial : {1, 2, 3, 4, 5}) Run(0, 0, serial);
  for (const std::uint64_t serial : {1, 2, 3, 4}) work_->Forget({JobId{serial}, serial});
  EXPECT_GT(work_->SpareBytes(), 0U);
  work_->GiveBackSpares();
  EXPECT_EQ(work_->SpareBytes(), 0U);
  for (const std::uint64_t serial : {6, 7, 8}) Run(0, 0, serial);  // some wait in fresh memory
  for (const std::uint64_t serial : {5, 6, 7, 8}) Run(0, 1, serial);
  EXPECT_THAT(outputs_, testing::Each(FakeFactor(kLayersBefore)));
  EXPECT_EQ(outputs_.size(), 4U);
}

TEST_F(NetworkChangesTest, AllIsLoadedOnAProcessorThatComesBack) {
  behaviour_.before_layer = [](std::size_t) { throw ProcessorLost("it melted"); };
  EXPECT_THROW(Run(0, 0, 1), ProcessorLost);
  ASSERT_TRUE(
      work_->LoadAgain(*networks_, AcceleratorId{0}, std::make_unique<FakeProcessor>("new", other_))
          .has_value());
  EXPECT_EQ(other_.entered, 1);
  Run(0, 0, 1);
  Run(0, 1, 1);
  Run(1, 0, 2);
  EXPECT_EQ(other_.carried, kLayersBefore + 2);
  EXPECT_THAT(outputs_, testing::ElementsAre(FakeFactor(kLayersBefore)));
}

TEST_F(NetworkChangesTest, SaysWhyAProcessorCannotBeUsed) {
  other_.enter = Fail("it is not there");
  const Status status = work_->LoadAgain(*networks_, AcceleratorId{0},
                                         std::make_unique<FakeProcessor>("new", other_));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "it is not there");
  EXPECT_THROW(Run(0, 0, 1), std::runtime_error);
}

TEST_F(NetworkChangesTest, ANetworkThatComesRunsBesideTheOthers) {
  Run(0, 0, 1);
  const auto added = work_->Add(*networks_, {FakeGraph("new", 6), {0, 3, 6}});
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(*added, NetworkId{2});
  EXPECT_EQ(networks_->pools()[2].measured.size(), 2U);
  Run(2, 0, 2);
  Run(0, 1, 1);
  Run(2, 1, 2);
  EXPECT_THAT(outputs_, testing::ElementsAre(FakeFactor(kLayersBefore), FakeFactor(6)));
}

TEST_F(NetworkChangesTest, ANetworkThatCannotBeLoadedIsGoneAgain) {
  behaviour_.before_layer = [](std::size_t) { throw std::runtime_error("too large"); };
  EXPECT_FALSE(work_->Add(*networks_, {FakeGraph("new", 6), {0, 6}}).has_value());
  EXPECT_EQ(networks_->networks(), 2U);
  EXPECT_EQ(networks_->pools().size(), 2U);
  behaviour_.before_layer = nullptr;
  const auto added = work_->Add(*networks_, {FakeGraph("other", 2), {0, 2}});
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(*added, NetworkId{2});
  Run(2, 0, 1);
  EXPECT_THAT(outputs_, testing::ElementsAre(FakeFactor(2)));
}

}  // namespace
}  // namespace fairlead
