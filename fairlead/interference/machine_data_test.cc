#include "fairlead/interference/machine_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TableText kLayers = {"layers.csv",
                           "id,kind,macs,in_bytes,weight_bytes,out_bytes,us_p0,us_p1\n"
                           "7,conv,1000,10,20,30,2,4\n"
                           "9,linear,500,1,2,3,1,3\n"};
const TableText kModels = {"models.csv", "model,position,layer_id\na_net,0,7\na_net,1,9\n"};
const TableText kNetworks = {"networks.csv", "model,us_p0,us_p1\na_net,5,9\n"};

MachineData SmallMachine() { return ReadMachineData(kLayers, kModels, kNetworks).value(); }

std::string MachineError(const TableText& layers, const TableText& models = kModels,
                         const TableText& networks = kNetworks) {
  const auto machine = ReadMachineData(layers, models, networks);
  return machine.has_value() ? "" : machine.error().message;
}

std::string CoRunError(const std::string& rows) {
  const auto runs =
      ReadCoRuns(SmallMachine(), {"c.csv", "layer_id,partition,on_p0,on_p1,us\n" + rows});
  return runs.has_value() ? "" : runs.error().message;
}

TEST(MachineData, IsReadByPositionOfItsColumns) {
  const MachineData machine = SmallMachine();
  EXPECT_EQ(machine.partitions, 2);
  ASSERT_EQ(machine.layers.size(), 2);
  EXPECT_THAT(machine.layers[1].us, ElementsAre(1, 3));
  EXPECT_FALSE(machine.layers[1].convolution);
  ASSERT_EQ(machine.networks.size(), 1);
  EXPECT_EQ(machine.networks[0].name, "a-net");
  EXPECT_THAT(machine.networks[0].layers, ElementsAre(0, 1));
}

TEST(MachineData, WithoutLatenciesIsRefused) {
  EXPECT_EQ(MachineError({"l.csv", "id,kind,macs,in_bytes,weight_bytes,out_bytes\n"}),
            "l.csv: no column of latencies; expected us_p0, ...");
}

TEST(MachineData, WithoutAColumnIsRefused) {
  EXPECT_THAT(MachineError({"l.csv", "id,kind,macs,in_bytes,out_bytes,us_p0\n1,conv,1,1,1,1\n"}),
              HasSubstr("weight_bytes"));
}

TEST(MachineData, WithALayerTwiceIsRefused) {
  EXPECT_THAT(MachineError({"l.csv", kLayers.text + "7,conv,1,1,1,1,1,1\n"}),
              HasSubstr("layer 7 stands twice"));
}

TEST(MachineData, WithNotANumberIsRefused) {
  EXPECT_THAT(MachineError({"l.csv", kLayers.text + "8,conv,1,1,1,1,nan,1\n"}),
              HasSubstr("l.csv:4:"));
  EXPECT_THAT(MachineError({"l.csv", kLayers.text + "8,conv,1,1,1,1,0,1\n"}),
              HasSubstr("l.csv:4:"));
}

TEST(MachineData, WithUnknownLayersInANetworkIsRefused) {
  EXPECT_THAT(MachineError(kLayers, {"m.csv", "model,position,layer_id\na_net,0,8\n"}),
              HasSubstr("layers.csv has no layer 8"));
}

TEST(MachineData, WithOtherPartitionsOfNetworksIsRefused) {
  EXPECT_EQ(MachineError(kLayers, kModels, {"n.csv", "model,us_p0\na_net,5\n"}),
            "n.csv: 1 columns of latencies; the layers have 2");
}

TEST(CoRuns, AreReadWithWhoIsBeside) {
  const auto runs =
      ReadCoRuns(SmallMachine(), {"c.csv", "layer_id,partition,on_p0,on_p1,us\n9,1,7,-1,3.5\n"});
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  ASSERT_EQ(runs->size(), 1);
  EXPECT_EQ(runs->front().layer, 1);
  EXPECT_EQ(runs->front().partition, 1);
  EXPECT_THAT(runs->front().beside, ElementsAre(0, std::nullopt));
  EXPECT_EQ(runs->front().us, 3.5);
}

TEST(CoRuns, OfUnknownLayersAreRefused) {
  EXPECT_THAT(CoRunError("8,1,7,-1,3\n"), HasSubstr("there is no layer 8"));
  EXPECT_THAT(CoRunError("7,1,8,-1,3\n"), HasSubstr("there is no layer 8"));
}

TEST(CoRuns, ThatTookNoNumberAreRefused) {
  EXPECT_THAT(CoRunError("7,1,9,-1,nan\n"), HasSubstr("c.csv:2:"));
}

TEST(CoRuns, OnPartitionsThatThereAreNotAreRefused) {
  EXPECT_THAT(CoRunError("7,2,9,-1,3\n"), HasSubstr("c.csv:2:"));
}

TEST(CoRuns, BesideThemselvesAreRefused) {
  EXPECT_THAT(CoRunError("7,0,9,-1,3\n"), HasSubstr("own partition"));
}

TEST(CoRuns, WithoutAColumnAreRefused) {
  const auto runs =
      ReadCoRuns(SmallMachine(), {"c.csv", "layer_id,partition,on_p0,us\n7,0,-1,3\n"});
  EXPECT_THAT(runs.error().message, HasSubstr("on_p1"));
}

TEST(Mixtures, AreReadWithIdlePartitions) {
  const auto mixtures =
      ReadMixtures(SmallMachine(), {"m.csv", "p0,p1,us_p0,us_p1\na_net,,6,\na-net,a_net,7,8\n"});
  ASSERT_TRUE(mixtures.has_value()) << mixtures.error().message;
  ASSERT_EQ(mixtures->size(), 2);
  EXPECT_THAT((*mixtures)[0].networks, ElementsAre(0, std::nullopt));
  EXPECT_THAT((*mixtures)[1].us, ElementsAre(7, 8));
}

TEST(Mixtures, OfUnknownNetworksAreRefused) {
  EXPECT_THAT(ReadMixtures(SmallMachine(), {"m.csv", "p0,p1,us_p0,us_p1\nb,,6,\n"}).error().message,
              HasSubstr("there is no network 'b'"));
}

TEST(Mixtures, WithoutALatencyAreRefused) {
  EXPECT_THAT(
      ReadMixtures(SmallMachine(), {"m.csv", "p0,p1,us_p0,us_p1\na_net,,,\n"}).error().message,
      HasSubstr("m.csv:2:"));
}

}  // namespace
}  // namespace fairlead
