#include "fairlead/costs/segmentation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A diamond with a tail, 0 -> {1, 2} -> 3 -> 4. On simba layer i takes 10^i; eyeriss has all but
// layer 1.
constexpr std::string_view kLayers =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n"
    "net,0,simba,1,2,3,\n"
    "net,1,simba,10,20,30,0\n"
    "net,2,simba,100,200,300,0\n"
    "net,3,simba,1000,2000,3000,1 2\n"
    "net,4,simba,10000,20000,30000,3\n"
    "net,0,eyeriss,2,1,1,\n"
    "net,2,eyeriss,2,1,1,0\n"
    "net,3,eyeriss,2,1,1,1 2\n"
    "net,4,eyeriss,2,1,1,3\n";

Profile Layers(std::string_view text = kLayers) {
  auto profile = ParseProfile("p.csv", text);
  if (!profile) throw std::runtime_error(profile.error().message);
  return std::move(*profile);
}

Profile InBlocks(Granularity granularity, std::string_view text = kLayers) {
  auto profile = Segmented(Layers(text), granularity);
  if (!profile) throw std::runtime_error(profile.error().message);
  return std::move(*profile);
}

// "block on kind: latency" of every row.
std::vector<std::string> Latencies(const Profile& profile) {
  std::vector<std::string> texts;
  for (const CostRow& row : profile.rows)
    texts.push_back(fmt::format("{} on {}: {}", row.segment.value, profile.kinds[row.kind.index()],
                                row.cost.latency.count()));
  return texts;
}

std::vector<std::size_t> SegmentWaits(const Profile& profile, std::size_t segment) {
  std::vector<std::size_t> indices;
  for (SegmentId id : profile.networks[0].Predecessors(SegmentId{segment}))
    indices.push_back(id.index());
  return indices;
}

TEST(Segmented, LayersStayAsTheyAre) {
  EXPECT_EQ(Latencies(InBlocks(Granularity::Layers())), Latencies(Layers()));
}

TEST(Segmented, BlocksAreFilledInOrder) {
  EXPECT_EQ(InBlocks(Granularity::Blocks(2)).networks[0].size(), 3);
}

TEST(Segmented, CostsAreAddedWhereAllLayersCanRun) {
  // Blocks {0, 1}, {2, 3} and {4}: eyeriss lacks layer 1.
  EXPECT_THAT(Latencies(InBlocks(Granularity::Blocks(2))),
              ElementsAre("0 on simba: 11", "1 on simba: 1100", "1 on eyeriss: 4",
                          "2 on simba: 10000", "2 on eyeriss: 2"));
}

TEST(Segmented, TrafficIsAdded) {
  EXPECT_EQ(InBlocks(Granularity::Whole()).rows[0].cost.dram_bytes, 22'222);
}

TEST(Segmented, EnergyIsAdded) {
  EXPECT_EQ(InBlocks(Granularity::Whole()).rows[0].cost.energy_pj, 33'333);
}

TEST(Segmented, BlocksWaitForTheBlocksOfTheirLayers) {
  const Profile profile = InBlocks(Granularity::Blocks(2));
  EXPECT_THAT(SegmentWaits(profile, 0), IsEmpty());
  EXPECT_THAT(SegmentWaits(profile, 1), ElementsAre(0));
  EXPECT_THAT(SegmentWaits(profile, 2), ElementsAre(1));
}

TEST(Segmented, BlocksOfBranchesStayIndependent) {
  // 0 -> {1 -> 4, 2, 3}; blocks {0, 1}, {2, 3} and {4}: the last needs only the first.
  const Profile profile = InBlocks(Granularity::Blocks(2),
                                   "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,"
                                   "after\n"
                                   "net,0,simba,1,0,,\nnet,1,simba,1,0,,0\nnet,2,simba,1,0,,0\n"
                                   "net,3,simba,1,0,,0\nnet,4,simba,1,0,,1\n");
  EXPECT_THAT(SegmentWaits(profile, 2), ElementsAre(0));
}

TEST(Segmented, GroupsInTopologicalOrder) {
  // 2 -> 1 -> 0: the first block has layers 2 and 1.
  const Profile profile =
      InBlocks(Granularity::Blocks(2),
               "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,"
               "after\n"
               "net,0,simba,1,0,,1\nnet,1,simba,10,0,,2\nnet,2,simba,100,0,,\n");
  EXPECT_THAT(Latencies(profile), ElementsAre("0 on simba: 110", "1 on simba: 1"));
}

TEST(Segmented, WholeIsOneSegment) {
  EXPECT_THAT(Latencies(InBlocks(Granularity::Whole())), ElementsAre("0 on simba: 11111"));
}

TEST(Segmented, WholeIsCalledThat) {
  EXPECT_EQ(InBlocks(Granularity::Whole()).networks[0].SegmentName(SegmentId{0}), "whole");
}

TEST(Segmented, NetworksKeepTheirName) {
  EXPECT_EQ(InBlocks(Granularity::Whole()).networks[0].name(), "net");
}

TEST(Segmented, KindsKeepTheirOrder) {
  EXPECT_THAT(InBlocks(Granularity::Whole()).kinds, ElementsAre("simba", "eyeriss"));
}

TEST(Segmented, RefusesABlockThatRunsNowhere) {
  const auto profile = Segmented(
      Layers("network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
             "net,0,simba,1,0,\nnet,1,simba,1,0,\nnet,2,simba,1,0,\nnet,3,eyeriss,1,0,\n"),
      Granularity::Blocks(2));
  ASSERT_FALSE(profile.has_value());
  EXPECT_EQ(profile.error().message,
            "no accelerator can run all layers of block 1 of 'net': use smaller blocks");
}

TEST(Segmented, ConfigurationsAreKeptApart) {
  // Only on one unit were both layers measured.
  const Profile profile = InBlocks(Granularity::Whole(),
                                   "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,"
                                   "units\n"
                                   "net,0,cpu,9,0,,1\nnet,0,cpu,5,0,,2\nnet,1,cpu,8,0,,1\n");
  EXPECT_THAT(Latencies(profile), ElementsAre("0 on cpu: 17"));
}

TEST(Segmented, NetworksAreKeptApart) {
  const Profile profile = InBlocks(Granularity::Whole(),
                                   "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
                                   "a,0,cpu,1,0,\nb,0,cpu,10,0,\na,1,cpu,2,0,\nb,1,cpu,20,0,\n");
  EXPECT_THAT(Latencies(profile), ElementsAre("0 on cpu: 3", "0 on cpu: 30"));
}

// 0 -> {1, 2} -> 3; layer i leaves 10^i bytes.
constexpr std::string_view kAlive =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,alive_bytes\n"
    "net,0,cpu,1,0,,,1\nnet,1,cpu,1,0,,0,10\nnet,2,cpu,1,0,,0,100\nnet,3,cpu,1,0,,1 2,1000\n";

TEST(Segmented, OfABlockIsAliveWhatOtherBlocksWaitFor) {
  // Blocks {0, 1} and {2, 3}: of the first both layers are waited for.
  EXPECT_THAT(InBlocks(Granularity::Blocks(2), kAlive).alive_bytes,
              ElementsAre(ElementsAre(11, 0)));
  EXPECT_THAT(InBlocks(Granularity::Blocks(3), kAlive).alive_bytes,
              ElementsAre(ElementsAre(110, 0)));
}

TEST(Segmented, KeepsTheCostsOfHandOvers) {
  Profile layers = Layers(kAlive);
  layers.hand_overs = HandOverCosts(1);
  layers.hand_overs.SetTakeOver(KindId{0}, Duration{7});
  EXPECT_EQ(Segmented(layers, Granularity::Whole())->hand_overs, layers.hand_overs);
}

TEST(Segmented, BlocksMayDiffer) {
  const std::vector<SegmentBounds> bounds = {{0, 1, 4}};
  const Profile profile = *Segmented(Layers(kAlive), bounds);
  EXPECT_THAT(Latencies(profile), ElementsAre("0 on cpu: 1", "1 on cpu: 3"));
  EXPECT_THAT(profile.alive_bytes, ElementsAre(ElementsAre(1, 0)));
}

TEST(OneAfterAnother, WhatALaterSegmentNeedsStaysAlive) {
  const Profile profile = OneAfterAnother(Layers(kAlive));
  EXPECT_THAT(SegmentWaits(profile, 3), ElementsAre(2));
  // Layer 0 is needed until 2 has run, 1 and 2 until 3 has.
  EXPECT_THAT(profile.alive_bytes, ElementsAre(ElementsAre(1, 11, 110, 0)));
}

TEST(EqualBounds, AreWhereBlocksBegin) {
  EXPECT_THAT(EqualBounds(5, Granularity::Layers()), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(EqualBounds(5, Granularity::Blocks(2)), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(EqualBounds(4, Granularity::Blocks(2)), ElementsAre(0, 2, 4));
  EXPECT_THAT(EqualBounds(5, Granularity::Whole()), ElementsAre(0, 5));
}

}  // namespace
}  // namespace fairlead
