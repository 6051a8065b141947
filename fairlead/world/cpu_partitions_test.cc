#include "fairlead/world/cpu_partitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::array kFive = {0, 1, 2, 3, 4};

std::vector<CpuPartitionSpec> Cut(const PartitionOptions& options,
                                  std::span<const int> usable = kFive) {
  return CutCores(options, usable).value();
}

std::string Complaint(const PartitionOptions& options) {
  return CutCores(options, kFive).error().message;
}

TEST(CutCores, HalvesUnlessTold) {
  const auto specs = Cut({});
  ASSERT_THAT(specs, SizeIs(2));
  EXPECT_THAT(specs[0].cores, ElementsAre(0));  // two are left to the engine
  EXPECT_THAT(specs[1].cores, ElementsAre(1));
}

TEST(CutCores, HalvesAllThatAreNamed) {
  const auto specs = Cut({.cores = "1-4"});
  ASSERT_THAT(specs, SizeIs(2));
  EXPECT_THAT(specs[0].cores, ElementsAre(1, 2));
  EXPECT_THAT(specs[1].cores, ElementsAre(3, 4));
}

TEST(CutCores, HalvesTwoCoresWithNoneLeft) {
  const auto specs = Cut({}, std::array{0, 1});
  ASSERT_THAT(specs, SizeIs(2));
  EXPECT_THAT(specs[1].cores, ElementsAre(1));
}

TEST(CutCores, LeavesASingleCoreWhole) {
  const auto specs = Cut({}, std::array{7});
  ASSERT_THAT(specs, SizeIs(1));
  EXPECT_THAT(specs[0].cores, ElementsAre(7));
}

TEST(CutCores, CutsAsTold) {
  const auto specs = Cut({.sizes = "1,3"});
  ASSERT_THAT(specs, SizeIs(2));
  EXPECT_THAT(specs[0].cores, ElementsAre(0));
  EXPECT_THAT(specs[1].cores, ElementsAre(1, 2, 3));
}

TEST(CutCores, TakesTheCoresThatAreNamed) {
  EXPECT_THAT(Cut({.sizes = "1", .cores = "3-4"})[0].cores, ElementsAre(3));
}

TEST(CutCores, NamesPartitionsByNumber) {
  const auto specs = Cut({.sizes = "1,1,1"});
  EXPECT_EQ(specs[2].name, "p2");
}

TEST(CutCores, CapsEachPartition) {
  const auto specs = Cut({.sizes = "1,1", .instructions = "avx512,avx2"});
  EXPECT_EQ(specs[0].cap, InstructionCap::kAvx512);
  EXPECT_EQ(specs[1].cap, InstructionCap::kAvx2);
}

TEST(CutCores, CapsAllAlike) {
  const auto specs = Cut({.sizes = "1,1", .instructions = "avx2"});
  EXPECT_EQ(specs[1].cap, InstructionCap::kAvx2);
}

TEST(CutCores, RefusesMoreThanThereIs) {
  EXPECT_EQ(Complaint({.sizes = "4,2"}), "--partitions: 4,2 take 6 cores; there are 5");
}

TEST(CutCores, RefusesSizesThatAreNone) {
  EXPECT_EQ(Complaint({.sizes = "2,0"}),
            "--partitions: '0' is no number of cores; expected a list such as 4,2,2");
}

TEST(CutCores, RefusesCoresThatAreNotThere) {
  EXPECT_EQ(Complaint({.cores = "4-5"}), "--cores: there is no core 5; this process may use 0-4");
}

TEST(CutCores, RefusesUnknownInstructions) {
  EXPECT_EQ(Complaint({.instructions = "avx3"}),
            "--instructions: unknown 'avx3'; did you mean 'avx'?");
}

TEST(CutCores, RefusesCapsForOtherPartitions) {
  EXPECT_EQ(Complaint({.sizes = "1,1,1", .instructions = "avx,avx2"}),
            "--instructions: 2 caps for 3 partitions");
}

}  // namespace
}  // namespace fairlead
