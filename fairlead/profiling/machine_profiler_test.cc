#include "fairlead/profiling/machine_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

// Two partitions, the second half as fast, with networks of three and two layers; a layer takes
// 1000 ns times its number (from 1) times the batch.
class ProfilerTest : public ::testing::Test {
 protected:
  static PretendTime Times(int factor) {
    return [factor](const PretendLayer& layer) {
      return Duration{1000 * factor * static_cast<int>((layer.layer + 1) * layer.batch)};
    };
  }

  ProfilerSetup MakeSetup() {
    return {.networks = {&three_, &two_},
            .partitions = {{&fast_, {0}}, {&slow_, {0}}},
            .clock = &clock_,
            .options = {.rounds = 2,
                        .coruns = 10,
                        .mixes = 4,
                        .burst = Duration{20'000},
                        .layer_burst = Duration{5'000},
                        .pause = Duration{1'000},
                        .read_bytes = 4096},
            .progressed = {}};
  }
  MachineProfile Profile() { return ProfileMachine(MakeSetup()).value(); }

  static std::vector<double> LayersOf(const ProfiledNetwork& network) {
    std::vector<double> times;
    for (const ProfiledLayer& layer : network.layers) times.push_back(layer.nanoseconds);
    return times;
  }

  PretendClock clock_;
  OperatorGraph three_ = PretendGraph("three", 3);
  OperatorGraph two_ = PretendGraph("two", 2);
  PretendProcessor fast_{"p0", Times(1)};
  PretendProcessor slow_{"p1", Times(2)};
};

TEST_F(ProfilerTest, TimesNetworksAlone) {
  const MachineProfile profile = Profile();
  EXPECT_EQ(profile.Alone(0, 0, 0).nanoseconds, 6000);
  EXPECT_EQ(profile.Alone(0, 0, 1).nanoseconds, 12000);
  EXPECT_EQ(profile.Alone(1, 0, 0).nanoseconds, 3000);
}

TEST_F(ProfilerTest, TimesLayersInTheirNetwork) {
  EXPECT_THAT(LayersOf(Profile().Alone(0, 0, 1)), ElementsAre(2000, 4000, 6000));
}

TEST_F(ProfilerTest, CountsWhatIsAliveAfterLayers) {
  EXPECT_THAT(Profile().alive_bytes,
              ElementsAre(ElementsAre(4 * 2 * 16, 4 * 3 * 16, 0), ElementsAre(4 * 2 * 16, 0)));
}

TEST_F(ProfilerTest, LetsLayersAddUpToTheWhole) {
  // Timed one by one, layers take 50 ns longer: the clock's turn.
  class SlowClock final : public LiveClock {
   public:
    Instant Now() const override {
      PretendClock::Advance(Duration{50});
      return PretendClock().Now();
    }
    void WaitUntil(std::condition_variable&, std::unique_lock<std::mutex>&,
                   Instant) const override {}
  } clock;
  ProfilerSetup setup = MakeSetup();
  setup.clock = &clock;
  const MachineProfile profile = ProfileMachine(setup).value();
  const ProfiledNetwork& network = profile.Alone(0, 0, 0);
  // Of a whole pass the clock is read twice, so it turns once in it.
  EXPECT_DOUBLE_EQ(network.nanoseconds, 6050);
  EXPECT_DOUBLE_EQ(network.burst, 6050);
  EXPECT_DOUBLE_EQ(network.layers_sum, 6150.0 / 6050);
  const std::vector<double> layers = LayersOf(network);
  EXPECT_NEAR(layers[0] + layers[1] + layers[2], 6050, 1e-9);
}

TEST_F(ProfilerTest, SaysHowLayersAreCarriedOut) {
  EXPECT_EQ(Profile().Alone(0, 0, 0).layers[2].implementation, "pretended 2");
}

TEST_F(ProfilerTest, TimesAllBatchSizes) {
  ProfilerSetup setup = MakeSetup();
  setup.options.batches = {1, 4};
  const MachineProfile profile = ProfileMachine(setup).value();
  EXPECT_EQ(profile.Alone(1, 1, 0).batch, 4);
  EXPECT_EQ(profile.Alone(1, 1, 0).nanoseconds, 12000);
}

TEST_F(ProfilerTest, ListsDistinctLayersOnce) {
  const MachineProfile profile = Profile();
  EXPECT_THAT(profile.layers, SizeIs(3));  // those of the shorter network are among them
  EXPECT_THAT(profile.network_layers, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1)));
}

TEST_F(ProfilerTest, TellsBatchSizesOfALayerApart) {
  ProfilerSetup setup = MakeSetup();
  setup.options.batches = {1, 4};
  const MachineProfile profile = ProfileMachine(setup).value();
  EXPECT_THAT(profile.layers, SizeIs(6));
  EXPECT_THAT(profile.network_layers[1], ElementsAre(0, 1));
}

TEST_F(ProfilerTest, TimesDistinctLayersAloneOnEachPartition) {
  EXPECT_THAT(Profile().layers[1].nanoseconds, ElementsAre(2000, 4000));
}

TEST_F(ProfilerTest, TimesCoRuns) {
  for (const LayerCoRun& corun : Profile().coruns)
    EXPECT_EQ(corun.nanoseconds,
              1000.0 * static_cast<double>((corun.layer + 1) * (corun.partition + 1)));
}

TEST_F(ProfilerTest, TimesAsManyCoRunsAsAskedFor) {
  EXPECT_THAT(Profile().coruns, SizeIs(11));  // one twice
}

// Layers that were drawn, and a press that takes a second.
class DrawnTest : public ProfilerTest {
 protected:
  DrawnTest() {
    drawn_.operators[0].name = "feed0";
    for (std::size_t i : {1U, 4U}) drawn_.operators[i].name = "drawn" + std::to_string(i);
    drawn_.operators[5].name = "press";
  }
  ProfilerSetup WithDrawn() {
    ProfilerSetup setup = MakeSetup();
    setup.drawn = &drawn_;
    return setup;
  }
  OperatorGraph drawn_ = PretendGraph("random layers", 6);
};

TEST_F(DrawnTest, AddsDrawnLayersThatNoNetworkHas) {
  const MachineProfile profile = ProfileMachine(WithDrawn()).value();
  ASSERT_THAT(profile.layers, SizeIs(4));  // the second is one of a network
  EXPECT_TRUE(profile.layers[3].drawn);
  EXPECT_THAT(profile.layers[3].nanoseconds, ElementsAre(5000, 10000));
}

TEST_F(DrawnTest, MeasuresDrawnLayersBesideOthers) {
  const MachineProfile profile = ProfileMachine(WithDrawn()).value();
  const auto drawn = std::ranges::count_if(
      profile.coruns, [&](const LayerCoRun& corun) { return profile.layers[corun.layer].drawn; });
  EXPECT_GT(drawn, 0);
  EXPECT_LT(drawn, std::ssize(profile.coruns));  // some of networks, to judge by
}

TEST_F(DrawnTest, VisitsNoDrawnLayersAsANetwork) {
  EXPECT_THAT(ProfileMachine(WithDrawn()).value().networks, ElementsAre("three", "two"));
}

TEST_F(DrawnTest, TimesLayersBesideThePress) {
  const MachineProfile profile = ProfileMachine(WithDrawn()).value();
  EXPECT_EQ(profile.Alone(0, 0, 0).layers[2].pressed, 1);  // nobody is slowed on these clocks
}

TEST_F(ProfilerTest, SaysNothingOfAPressWithoutOne) {
  EXPECT_EQ(Profile().Alone(0, 0, 0).layers[0].pressed, 0);
}

TEST_F(ProfilerTest, TimesNetworksSideBySide) {
  const MachineProfile profile = Profile();
  ASSERT_THAT(profile.mixes, SizeIs(5));  // all pairs, one twice
  for (const NetworkMix& mix : profile.mixes) {
    EXPECT_EQ(mix.nanoseconds[0], mix.networks[0] == 0 ? 6000 : 3000);
    EXPECT_EQ(mix.nanoseconds[1], mix.networks[1] == 0 ? 12000 : 6000);
  }
}

TEST_F(ProfilerTest, MeasuresTheFirstOfAlikePartitionsForAll) {
  PretendProcessor alike{"p1", Times(7)};
  fast_.shares = true;
  alike.shares = true;
  ProfilerSetup setup = MakeSetup();
  setup.partitions[1].processor = &alike;
  setup.options.first_of_alike = true;
  const MachineProfile profile = ProfileMachine(setup).value();
  EXPECT_EQ(profile.Alone(0, 0, 1).nanoseconds, 6000);
  EXPECT_EQ(profile.Alone(0, 0, 1).burst, 6000);
  EXPECT_THAT(profile.layers[1].nanoseconds, ElementsAre(2000, 2000));
}

TEST_F(ProfilerTest, VisitsInRounds) { EXPECT_EQ(Profile().rounds, 2); }

TEST_F(ProfilerTest, BeginsNoRoundThatWouldEndTooLate) {
  ProfilerSetup setup = MakeSetup();
  setup.options.rounds = 50;
  setup.options.coruns = 1000;
  setup.options.time = std::chrono::seconds{25};
  double last = -1;  // ten seconds a round
  setup.progressed = [&](double share) {
    if (std::floor(share * 50) > std::floor(last * 50))
      PretendClock::Advance(std::chrono::seconds{10});
    last = share;
  };
  const MachineProfile profile = ProfileMachine(setup).value();
  EXPECT_EQ(profile.rounds, 2);
  EXPECT_LT(profile.coruns.size(), 100);  // the others were not measured
  EXPECT_THAT(profile.coruns, Each(Field(&LayerCoRun::nanoseconds, Gt(0))));
}

TEST_F(ProfilerTest, HearsHowFarItIs) {
  std::vector<double> shares;
  ProfilerSetup setup = MakeSetup();
  setup.progressed = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(ProfileMachine(setup).has_value());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_THAT(shares, Each(Le(1)));
  ASSERT_THAT(shares, Not(IsEmpty()));
  EXPECT_GT(shares.back(), 0.9);
}

TEST_F(ProfilerTest, CountsNoMoreTrafficThanThePartitionCanRead) {
  const MachineProfile profile = Profile();
  if (profile.no_counters.empty()) GTEST_SKIP() << "this processor counts the traffic";
  // On this clock reading takes no time, so nothing is known to be readable.
  const auto& layers = profile.Alone(0, 0, 0).layers;
  EXPECT_THAT(layers, Not(IsEmpty()));
  for (const ProfiledLayer& layer : layers) EXPECT_EQ(layer.dram_bytes, 0);
}

TEST_F(ProfilerTest, SaysWhatCannotBeLoadedWhere) {
  const OperatorGraph impossible = PretendGraph("impossible", 1);
  ProfilerSetup setup = MakeSetup();
  setup.networks.push_back(&impossible);
  EXPECT_EQ(ProfileMachine(setup).error().message, "impossible on p0: conv0 cannot be carried out");
}

TEST_F(ProfilerTest, HasNothingSideBySideOnOnePartition) {
  ProfilerSetup setup = MakeSetup();
  setup.partitions.resize(1);
  const MachineProfile profile = ProfileMachine(setup).value();
  EXPECT_TRUE(profile.coruns.empty() && profile.mixes.empty());
  EXPECT_EQ(profile.Alone(1, 0, 0).nanoseconds, 3000);
}

}  // namespace
}  // namespace fairlead
