#include "fairlead/domain/network_graph.h"

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

// What each segment waits for.
using After = std::vector<std::vector<std::uint32_t>>;

Result<NetworkGraph> Create(const After& after) {
  std::vector<SegmentSpec> specs;
  for (const auto& list : after) specs.push_back({"s" + std::to_string(specs.size()), list});
  return NetworkGraph::Create("net", specs);
}

NetworkGraph Graph(const After& after) {
  auto graph = Create(after);
  if (!graph) throw std::runtime_error(graph.error().message);
  return std::move(*graph);
}

std::string ErrorOf(const After& after) {
  const auto graph = Create(after);
  return graph ? "no error" : graph.error().message;
}

std::vector<std::size_t> Indices(std::span<const SegmentId> segments) {
  std::vector<std::size_t> indices;
  for (SegmentId segment : segments) indices.push_back(segment.index());
  return indices;
}

//     0     4
//    / \    |
//   1   2   |
//    \ / \ /
//     3   5
const After kDiamond = {{}, {0}, {0}, {2, 1}, {}, {4, 2}};

TEST(NetworkGraph, HasItsName) { EXPECT_EQ(Graph(kDiamond).name(), "net"); }

TEST(NetworkGraph, CountsItsSegments) { EXPECT_EQ(Graph(kDiamond).size(), 6); }

TEST(NetworkGraph, NamesItsSegments) { EXPECT_EQ(Graph(kDiamond).SegmentName(SegmentId{3}), "s3"); }

TEST(NetworkGraph, ListsPredecessorsInOrder) {
  EXPECT_THAT(Indices(Graph(kDiamond).Predecessors(SegmentId{3})), ElementsAre(1, 2));
}

TEST(NetworkGraph, ListsSuccessorsInOrder) {
  EXPECT_THAT(Indices(Graph(kDiamond).Successors(SegmentId{2})), ElementsAre(3, 5));
}

TEST(NetworkGraph, ASourceHasNoPredecessors) {
  EXPECT_THAT(Indices(Graph(kDiamond).Predecessors(SegmentId{4})), IsEmpty());
}

TEST(NetworkGraph, ASinkHasNoSuccessors) {
  EXPECT_THAT(Indices(Graph(kDiamond).Successors(SegmentId{5})), IsEmpty());
}

TEST(NetworkGraph, ListsSources) {
  EXPECT_THAT(Indices(Graph(kDiamond).Sources()), ElementsAre(0, 4));
}

TEST(NetworkGraph, OrdersByIndexWhereItMay) {
  EXPECT_THAT(Indices(Graph(kDiamond).TopologicalOrder()), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(NetworkGraph, OrdersByDependenciesWhereItMust) {
  // Each waits for a later one.
  EXPECT_THAT(Indices(Graph({{1}, {2, 3}, {3}, {}}).TopologicalOrder()), ElementsAre(3, 2, 1, 0));
}

TEST(NetworkGraph, TakesTheLowestOfTheFreeFirst) {
  // 1 and 3 are free; 1 frees 0, which then goes before 3.
  EXPECT_THAT(Indices(Graph({{1}, {}, {3}, {}}).TopologicalOrder()), ElementsAre(1, 0, 3, 2));
}

TEST(NetworkGraph, RefusesNoSegments) { EXPECT_EQ(ErrorOf({}), "network 'net' has no segments"); }

TEST(NetworkGraph, RefusesAnUnknownDependency) {
  EXPECT_EQ(ErrorOf({{}, {2}}), "network 'net': segment 1 waits for 2, which does not exist");
}

TEST(NetworkGraph, RefusesADependencyTwice) {
  EXPECT_EQ(ErrorOf({{}, {}, {1, 0, 1}}), "network 'net': segment 2 names a dependency twice");
}

TEST(NetworkGraph, NamesALoop) {
  EXPECT_EQ(ErrorOf({{}, {1}}), "network 'net' has a cycle: segment 1 waits for 1");
}

TEST(NetworkGraph, NamesACycle) {
  EXPECT_EQ(ErrorOf({{2}, {0}, {1}}),
            "network 'net' has a cycle: segment 0 waits for 2 waits for 1 waits for 0");
}

TEST(NetworkGraph, NamesTheCycleAndNotWhatWaitsForIt) {
  // 0 waits for a cycle of 1 and 2 without being in it.
  EXPECT_EQ(ErrorOf({{1}, {2}, {1}}),
            "network 'net' has a cycle: segment 1 waits for 2 waits for 1");
}

TEST(NetworkGraph, NamesTheBeginningOfALongCycle) {
  After ring(100);
  for (std::uint32_t i = 0; i < 100; ++i) ring[i] = {(i + 1) % 100};
  EXPECT_THAT(ErrorOf(ring), ::testing::EndsWith("waits for 7 waits for 8 ..."));
}

TEST(Chain, WaitsEachForTheOneBefore) {
  EXPECT_THAT(Indices(NetworkGraph::Chain("net", 3).Predecessors(SegmentId{2})), ElementsAre(1));
}

TEST(Chain, HasOneSource) {
  EXPECT_THAT(Indices(NetworkGraph::Chain("net", 3).Sources()), ElementsAre(0));
}

TEST(Chain, NumbersItsSegments) {
  EXPECT_EQ(NetworkGraph::Chain("net", 3).SegmentName(SegmentId{1}), "1");
}

}  // namespace
}  // namespace fairlead
