#include "fairlead/profiling/machine_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "fairlead/costs/measured.h"
#include "fairlead/profiling/testing/sample_machine.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string WrittenProfile() { return FormatProfile(ProfileOfMachine(TestMachine())); }

TEST(MachineTables, TheProfileHasARowForEachLayerAndPartition) {
  const Profile profile = ParseProfile("profile.csv", WrittenProfile()).value();
  EXPECT_THAT(profile.kinds, ElementsAre("p0", "p1"));
  EXPECT_THAT(profile.rows, SizeIs(2 * 3 + 2 * 1));
}

TEST(MachineTables, TheProfileHasChains) {
  const Profile profile = ParseProfile("profile.csv", WrittenProfile()).value();
  EXPECT_EQ(profile.networks[0].name(), "mobile_net");
  EXPECT_THAT(profile.networks[0].Predecessors(SegmentId{2}), ElementsAre(SegmentId{1}));
}

TEST(MachineTables, TheProfileHasLatencyAndTraffic) {
  EXPECT_THAT(WrittenProfile(), HasSubstr("\nmobile_net,0,p1,400000,1000000,0,,1,1\n"));
}

TEST(MachineTables, TheProfileHasNoTrafficInNoTime) {
  EXPECT_THAT(WrittenProfile(), HasSubstr("\nmobile_net,2,p0,0,0,0,1,1,1\n"));
}

TEST(MachineTables, TheProfileKnowsBatchSizes) {
  MachineProfile machine = TestMachine();
  for (ProfiledNetwork& network : machine.alone) network.batch = 4;
  EXPECT_EQ(ProfileOfMachine(machine).rows.front().configuration.batch, 4);
}

TEST(MachineTables, TheProfileKnowsWhatIsAliveAndWhatHandOversCost) {
  MachineProfile machine = TestMachine();
  machine.alive_bytes = {{64, 32, 0}, {0}};
  machine.hand_overs = HandOverCosts(2);
  machine.hand_overs.SetTakeOver(KindId{1}, Duration{9});
  const Profile profile = ProfileOfMachine(machine);
  EXPECT_THAT(FormatProfile(profile), HasSubstr("\nmobile_net,1,p1,800000,0,0,0,1,1,32\n"));
  EXPECT_EQ(profile.hand_overs, machine.hand_overs);
}

TEST(MachineTables, LayersHaveTheColumnsOfTheH200) {
  EXPECT_EQ(LayersTable(TestMachine()),
            "id,kind,n,cin,cout,kh,kw,stride,pad_h,pad_w,groups,h,w,macs,in_bytes,weight_bytes,"
            "out_bytes,us_p0,us_p1,from_network\n"
            "0,conv,1,3,8,3,3,2,1,1,1,32,32,55296,12288,864,8192,150.000,310.001,1\n"
            "1,linear,1,64,10,,,,,,,,,640,256,2560,40,390.000,800.000,1\n");
}

TEST(MachineTables, ModelsAreSequencesOfLayers) {
  EXPECT_EQ(ModelsTable(TestMachine()),
            "model,position,layer_id\nmobile_net,0,0\nmobile_net,1,1\ntiny,0,0\n");
}

TEST(MachineTables, NetworksHaveTheirLatencyOnEachPartition) {
  EXPECT_EQ(NetworksTable(TestMachine()),
            "model,us_p0,us_p1\nmobile_net,600.000,1200.000\ntiny,200.000,400.000\n");
}

TEST(MachineTables, NetworksWithoutKnownLayersAreLeftOut) {
  MachineProfile machine = TestMachine();
  machine.network_layers[1].clear();
  EXPECT_EQ(NetworksTable(machine), "model,us_p0,us_p1\nmobile_net,600.000,1200.000\n");
}

TEST(MachineTables, CoRunsNameWhatRepeatsElsewhere) {
  EXPECT_EQ(CoRunsTable(TestMachine(), Measured::kOfNetworks),
            "layer_id,partition,on_p0,on_p1,us\n"
            "0,0,-1,1,165.000\n0,0,-1,1,168.300\n1,1,0,-1,1200.000\n");
}

TEST(MachineTables, MixesLeaveIdlePartitionsEmpty) {
  EXPECT_EQ(MixesTable(TestMachine()),
            "p0,p1,us_p0,us_p1\nmobile_net,tiny,660.000,480.000\ntiny,,200.000,\n");
}

TEST(MachineTables, OperatorsSayHowLayersWereCarriedOut) {
  EXPECT_THAT(OperatorsTable(TestMachine()),
              HasSubstr("\nmobile_net,0,p0,1,\"conv, first\",jit,0,0\n"));
}

TEST(MachineTables, OperatorsSayWhatTheyTouchAndHowMuchAPressSlowsThem) {
  MachineProfile machine = TestMachine();
  machine.alone[0].layers[0].touched_bytes = 4096;
  machine.alone[0].layers[0].pressed = 1.25;
  EXPECT_THAT(OperatorsTable(machine),
              HasSubstr("\nmobile_net,0,p0,1,\"conv, first\",jit,4096,1.25\n"));
}

TEST(MachineTables, TellDrawnLayersFromThoseOfNetworks) {
  MachineProfile machine = TestMachine();
  machine.layers[1].drawn = true;
  EXPECT_THAT(LayersTable(machine), HasSubstr(",390.000,800.000,0\n"));
  EXPECT_EQ(CoRunsTable(machine, Measured::kDrawn),
            "layer_id,partition,on_p0,on_p1,us\n1,1,0,-1,1200.000\n");
}

TEST(MachineTables, CountersHaveAColumnForEachEvent) {
  MachineProfile machine = TestMachine();
  machine.events = {"cycles", "cache_misses"};
  for (ProfiledNetwork& network : machine.alone) {
    for (ProfiledLayer& layer : network.layers) layer.counts = {1000.4, 7};
  }
  EXPECT_THAT(CountersTable(machine),
              HasSubstr("network,layer,accelerator,batch,cycles,cache_misses\n"
                        "mobile_net,0,p0,1,1000,7\n"));
}

// What the reader of data/h200 makes of the tables.
class ReadBack : public ::testing::Test {
 protected:
  Profile Read() {
    return ProfileOf({.layers = {"layers.csv", layers_},
                      .models = {"models.csv", models_},
                      .networks = {"networks.csv", networks_},
                      .columns = kColumns})
        .value();
  }

  static constexpr std::array<MeasuredColumn, 2> kColumns = {{{"us_p0", "p0"}, {"us_p1", "p1"}}};
  std::string layers_ = LayersTable(TestMachine());
  std::string models_ = ModelsTable(TestMachine());
  std::string networks_ = NetworksTable(TestMachine());
};

TEST_F(ReadBack, HasTheNetworks) {
  const Profile profile = Read();
  ASSERT_THAT(profile.networks, SizeIs(2));
  EXPECT_EQ(profile.networks[0].name(), "mobile-net");
  EXPECT_EQ(profile.networks[0].size(), 3);  // two layers and the others
}

TEST_F(ReadBack, HasTheLatencyOfTheWhole) {
  Duration whole{};
  for (const CostRow& row : Read().rows) {
    if (row.network == NetworkId{std::size_t{0}} && row.kind == KindId{std::size_t{1}})
      whole += row.cost.latency;
  }
  EXPECT_EQ(whole, Duration{1'200'000});
}

}  // namespace
}  // namespace fairlead
