#include "fairlead/execution/live_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/execution/testing/fake_processor.h"

namespace fairlead {
namespace {

using testing::ElementsAre;

TEST(LiveElements, OfAllBoundariesAreThoseOfEach) {
  OperatorGraph graph = FakeGraph("g", 9);
  graph.tensors[3].dims = {5, 2};
  graph.tensors[4].dims = {7};
  graph.operators[8].inputs = {graph.operators[0].output, graph.operators[7].output};
  graph.outputs.push_back(graph.operators[4].output);           // read on the way too
  graph.tensors.push_back({.name = "constant", .dims = {11}});  // never computed
  graph.operators[2].then.push_back(AddedTensor{graph.inputs[0]});
  const std::vector<std::int64_t> all = LiveElementsByLayer(graph);
  ASSERT_EQ(all.size(), 10);
  for (std::size_t layer = 0; layer < all.size(); ++layer)
    EXPECT_EQ(all[layer], LiveElements(graph, layer)) << "before layer " << layer;
}

TEST(LiveElements, OfAnInputThatIsAnOutput) {
  OperatorGraph graph = FakeGraph("g", 1);
  graph.outputs.push_back(graph.inputs[0]);
  EXPECT_THAT(LiveElementsByLayer(graph), ElementsAre(3, 6));
}

}  // namespace
}  // namespace fairlead
