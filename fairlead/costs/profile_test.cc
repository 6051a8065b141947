#include "fairlead/costs/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kHeader = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
constexpr std::string_view kAfterHeader =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n";

Profile Parsed(std::string_view header, std::string_view lines) {
  auto profile = ParseProfile("p.csv", std::string(header) + std::string(lines));
  if (!profile) throw std::runtime_error(profile.error().message);
  return std::move(*profile);
}

std::string ErrorOf(std::string_view header, std::string_view lines) {
  const auto profile = ParseProfile("p.csv", std::string(header) + std::string(lines));
  return profile ? "no error" : profile.error().message;
}

// What a layer of the first network waits for.
std::vector<std::size_t> Waits(const Profile& profile, std::size_t layer) {
  std::vector<std::size_t> indices;
  for (SegmentId id : profile.networks[0].Predecessors(SegmentId{layer}))
    indices.push_back(id.index());
  return indices;
}

TEST(ParseProfile, ReadsACost) {
  const CostRow row = Parsed(kHeader, "net,0,simba,5,6,7\n").rows[0];
  EXPECT_EQ(row.cost.latency, Duration{5});
  EXPECT_EQ(row.cost.dram_bytes, 6);
  EXPECT_EQ(row.cost.energy_pj, 7);
}

TEST(ParseProfile, EnergyMayBeEmpty) {
  EXPECT_EQ(Parsed(kHeader, "net,0,simba,5,6,\n").rows[0].cost.energy_pj, 0);
}

TEST(ParseProfile, BatchAndUnitsAreOneUnlessGiven) {
  EXPECT_EQ(Parsed(kHeader, "net,0,simba,5,6,7\n").rows[0].configuration,
            (Configuration{.units = 1, .batch = 1}));
}

TEST(ParseProfile, ReadsBatchAndUnits) {
  const Profile profile =
      Parsed("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,batch,units\n",
             "net,0,gpu,5,6,7,8,66\n");
  EXPECT_EQ(profile.rows[0].configuration, (Configuration{.units = 66, .batch = 8}));
}

TEST(ParseProfile, EmptyBatchAndUnitsAreOne) {
  const Profile profile =
      Parsed("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,batch,units\n",
             "net,0,gpu,5,6,7,,\n");
  EXPECT_EQ(profile.rows[0].configuration, (Configuration{.units = 1, .batch = 1}));
}

TEST(ParseProfile, NumbersNetworksByFirstRow) {
  const Profile profile = Parsed(kHeader, "b,0,x,1,0,\na,0,x,1,0,\nb,1,x,1,0,\n");
  EXPECT_EQ(profile.networks[0].name(), "b");
  EXPECT_EQ(profile.networks[0].size(), 2);
}

TEST(ParseProfile, NumbersKindsByFirstRow) {
  EXPECT_THAT(Parsed(kHeader, "n,0,y,1,0,\nn,0,x,1,0,\nn,1,y,1,0,\n").kinds, ElementsAre("y", "x"));
}

TEST(ParseProfile, TakesRowsInAnyOrder) {
  EXPECT_THAT(Waits(Parsed(kHeader, "n,2,x,1,0,\nn,0,x,1,0,\nn,1,x,1,0,\n"), 2), ElementsAre(1));
}

TEST(ParseProfile, WithoutAfterIsAChain) {
  EXPECT_THAT(Waits(Parsed(kHeader, "n,0,x,1,0,\nn,1,x,1,0,\n"), 1), ElementsAre(0));
}

TEST(ParseProfile, WithAfterEmptyThroughoutIsAChain) {
  EXPECT_THAT(Waits(Parsed(kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,\n"), 1), ElementsAre(0));
}

TEST(ParseProfile, EmptyAfterBesidesOthersIsASource) {
  const Profile profile = Parsed(kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,\nn,2,x,1,0,,0 1\n");
  EXPECT_THAT(Waits(profile, 1), IsEmpty());
}

TEST(ParseProfile, ReadsWhatALayerWaitsFor) {
  const Profile profile = Parsed(kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,0\nn,2,x,1,0,,1  0 \n");
  EXPECT_THAT(Waits(profile, 2), ElementsAre(0, 1));
}

TEST(ParseProfile, AnotherNetworksAfterDoesNotBreakAChain) {
  const Profile profile =
      Parsed(kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,\nm,0,x,1,0,,\nm,1,x,1,0,,0\n");
  EXPECT_THAT(Waits(profile, 1), ElementsAre(0));
}

TEST(ParseProfile, MayTakeNoTime) {
  EXPECT_EQ(Parsed(kHeader, "n,0,x,0,0,\n").rows[0].cost.latency, Duration::zero());
}

struct Bad {
  std::string name;
  std::string_view header;
  std::string lines;
  std::string message;
};

class BadProfiles : public ::testing::TestWithParam<Bad> {};

TEST_P(BadProfiles, AreRefusedWithThePlace) {
  EXPECT_EQ(ErrorOf(GetParam().header, GetParam().lines), GetParam().message);
}

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.lines; }

std::string NameOf(const ::testing::TestParamInfo<Bad>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Fields, BadProfiles,
    ::testing::Values(
        Bad{"NoNetwork", kHeader, ",0,x,1,0,\n", "p.csv:2:1: network is empty"},
        Bad{"NoAccelerator", kHeader, "n,0,,1,0,\n", "p.csv:2:5: accelerator is empty"},
        Bad{"UnprintableName", kHeader, "n\t,0,x,1,0,\n",
            "p.csv:2:1: network is not a name of up to 200 printable characters"},
        Bad{"NegativeLayer", kHeader, "n,-1,x,1,0,\n",
            "p.csv:2:3: layer is -1; expected 0 to 99999"},
        Bad{"HugeLayer", kHeader, "n,100000,x,1,0,\n",
            "p.csv:2:3: layer is 100000; expected 0 to 99999"},
        Bad{"NegativeLatency", kHeader, "n,0,x,-1,0,\n",
            "p.csv:2:7: latency_ns is -1; expected 0 to 1000000000000000"},
        Bad{"FractionalLatency", kHeader, "n,0,x,1.5,0,\n",
            "p.csv:2:7: latency_ns: '1.5' is not a whole number"},
        Bad{"NoLatency", kHeader, "n,0,x,,0,\n", "p.csv:2:7: latency_ns: '' is not a whole number"},
        Bad{"NegativeTraffic", kHeader, "n,0,x,1,-1,\n",
            "p.csv:2:9: dram_bytes is -1; expected 0 to 1000000000000000"},
        Bad{"NoTraffic", kHeader, "n,0,x,1,,\n", "p.csv:2:9: dram_bytes: '' is not a whole number"},
        Bad{"NegativeEnergy", kHeader, "n,0,x,1,0,-1\n",
            "p.csv:2:11: energy_pj is -1; expected 0 to 1000000000000000000"},
        Bad{"TrafficInNoTime", kHeader, "n,0,x,0,9,\n", "p.csv:2:7: 9 bytes in no time"},
        Bad{"NoUnits", "units,network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n",
            "0,n,0,x,1,0,\n", "p.csv:2:1: units is 0; expected 1 to 1000000"},
        Bad{"NoBatch", "batch,network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n",
            "0,n,0,x,1,0,\n", "p.csv:2:1: batch is 0; expected 1 to 1000000"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Tables, BadProfiles,
    ::testing::Values(
        Bad{"NoRows", kHeader, "",
            "p.csv: no rows; expected one for each layer and kind of accelerator"},
        Bad{"MissingColumn", "network,layer,accelerator,latency_ns,energy_pj\n", "",
            "p.csv:1:1: column 'dram_bytes' is missing"},
        Bad{"UnknownColumn", "network,layer,accelerator,latency,dram_bytes,energy_pj,afte\n", "",
            "p.csv:1:27: unknown column 'latency'; expected one of network, layer, accelerator, "
            "latency_ns, dram_bytes, energy_pj, after, batch, units, alive_bytes, version, "
            "pressed_ns"},
        Bad{"RaggedRow", kHeader, "n,0,x,1,0\n",
            "p.csv:2:1: 5 fields, but the header names 6 columns"},
        Bad{"RowTwice", kHeader, "n,0,x,1,0,\nn,0,y,1,0,\nn,0,x,1,0,\n",
            "p.csv:4:3: layer 0 of 'n' on x stands twice"},
        Bad{"GapThatMoreRowsCouldFill", kHeader, "n,0,x,1,0,\nn,0,y,1,0,\nn,2,x,1,0,\n",
            "p.csv:2:1: layer 1 of 'n' is missing; its last one is 2"},
        Bad{"GapBeyondAllRows", kHeader, "n,0,x,1,0,\nn,99999,x,1,0,\n",
            "p.csv:3:3: layers before 99999 of 'n' are missing"},
        Bad{"SumOfEnergies", kHeader,
            "n,0,x,1,0,1000000000000000000\nn,1,x,1,0,1000000000000000000\n"
            "n,2,x,1,0,1000000000000000000\nn,3,x,1,0,1000000000000000000\nn,4,x,1,0,1\n",
            "p.csv:6:11: up to here energy_pj adds up to more than 4000000000000000000"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Dependencies, BadProfiles,
    ::testing::Values(
        Bad{"NotANumber", kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,0 x\n",
            "p.csv:3:12: after of layer 1 of 'n': 'x' is not a whole number"},
        Bad{"Negative", kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,-1\n",
            "p.csv:3:12: after of layer 1 of 'n': there is no layer -1"},
        Bad{"Unknown", kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,2\n",
            "p.csv:3:12: after of layer 1 of 'n': there is no layer 2"},
        Bad{"Twice", kAfterHeader, "n,0,x,1,0,,\nn,1,x,1,0,,0 0\n",
            "p.csv:3:12: after of layer 1 of 'n': layer 0 stands twice"},
        Bad{"Contradiction", kAfterHeader,
            "n,0,x,1,0,,\nn,1,x,1,0,,0\nn,2,x,1,0,,1\nn,2,y,1,0,,0 1\n",
            "p.csv:5:12: layer 2 of 'n' waits for '0 1' here and for '1' in an earlier row"},
        Bad{"Cycle", kAfterHeader, "m,0,x,1,0,,\nn,0,x,1,0,,\nn,1,x,1,0,,2\nn,2,x,1,0,,1\n",
            "p.csv:3:1: network 'n' has a cycle: segment 2 waits for 1 waits for 2"}),
    NameOf);

constexpr std::string_view kAllFields =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units\n"
    "net,0,simba,5,6,7,,1,1\n"
    "net,1,simba,50,60,70,0,1,1\n"
    "net,2,simba,500,600,700,0,1,1\n"
    "net,3,simba,5000,6000,7000,1 2,1,1\n"
    "net,3,gpu,5,6,7,1 2,4,66\n"
    "\"one, two\",0,\"the \"\"big\"\" one\",1,0,0,,1,1\n";

TEST(FormatProfile, WritesWhatWasRead) {
  EXPECT_EQ(FormatProfile(Parsed(kAllFields, "")), kAllFields);
}

TEST(FormatProfile, SpellsAChainOut) {
  EXPECT_EQ(FormatProfile(Parsed(kHeader, "n,0,x,1,0,\nn,1,x,1,0,\n")),
            "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units\n"
            "n,0,x,1,0,0,,1,1\n"
            "n,1,x,1,0,0,0,1,1\n");
}

constexpr std::string_view kAliveFields =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units,alive_bytes\n"
    "net,0,simba,5,6,7,,1,1,4096\n"
    "net,0,gpu,5,6,7,,1,1,4096\n"
    "net,1,simba,50,60,70,0,1,1,0\n";

TEST(FormatProfile, WritesWhatIsAliveAfterLayers) {
  EXPECT_EQ(FormatProfile(Parsed(kAliveFields, "")), kAliveFields);
}

TEST(ParseProfile, ReadsWhatIsAliveAfterLayers) {
  EXPECT_THAT(Parsed(kAliveFields, "").alive_bytes, ElementsAre(ElementsAre(4096, 0)));
  EXPECT_THAT(Parsed(kHeader, "n,0,x,1,0,\n").alive_bytes, IsEmpty());
}

TEST(ParseProfile, WhatIsAliveIsTheSameOnAllKinds) {
  EXPECT_EQ(ErrorOf("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,alive_bytes\n",
                    "n,0,x,1,0,,5\nn,0,y,1,0,,6\n"),
            "p.csv:3:12: layer 0 of 'n' leaves 6 bytes here and 5 in an earlier row");
}

// A platform without gpu, with a kind that the profile does not know.
Platform SimbaAndOther() {
  Platform platform;
  platform.AddKind("other", 1);
  platform.AddKind("simba", 2);
  return platform;
}

TEST(MakeCostTable, FindsKindsByName) {
  const CostTable table = MakeCostTable(Parsed(kAllFields, ""), SimbaAndOther());
  EXPECT_EQ(table.Alone(NetworkId{0}, SegmentId{1}, KindId{1})->latency, Duration{50});
}

TEST(MakeCostTable, KnowsNothingOfOtherKinds) {
  const CostTable table = MakeCostTable(Parsed(kAllFields, ""), SimbaAndOther());
  EXPECT_EQ(table.Alone(NetworkId{0}, SegmentId{1}, KindId{0}), nullptr);
}

TEST(MakeCostTable, IsSealed) {
  const CostTable table = MakeCostTable(Parsed(kAllFields, ""), SimbaAndOther());
  EXPECT_EQ(table.ShortestTail(NetworkId{0}, SegmentId{0}), Duration{5 + 500 + 5'000});
}

TEST(CheckRunnable, AcceptsWhatRunsSomewhere) {
  Platform platform;
  platform.AddKind("x", 1);
  platform.AddKind("y", 1);
  EXPECT_TRUE(CheckRunnable(Parsed(kHeader, "n,0,x,1,0,\nn,1,y,1,0,\n"), platform).has_value());
}

TEST(CheckRunnable, NamesWhatRunsNowhere) {
  Platform platform;
  platform.AddKind("x", 1);
  const Status status = CheckRunnable(Parsed(kHeader, "n,0,x,1,0,\nn,1,y,1,0,\n"), platform);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message,
            "layer 1 of 'n' cannot run on any accelerator of this platform");
}

}  // namespace
}  // namespace fairlead
