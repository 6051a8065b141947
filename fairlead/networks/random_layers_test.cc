#include "fairlead/networks/random_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fairlead/networks/operator_layer.h"

namespace fairlead {
namespace {

using ::testing::SizeIs;

std::vector<OperatorLayer> DrawnOf(const OperatorGraph& graph) {
  std::vector<OperatorLayer> drawn;
  for (const GraphOperator& op : graph.operators) {
    const auto layer = LayerOf(graph, op, 1);  // none: what is fused into it
    if (op.name.starts_with(kDrawnLayer) && layer.has_value()) drawn.push_back(*layer);
  }
  return drawn;
}

TEST(RandomLayers, AreAsManyAsAskedFor) { EXPECT_THAT(DrawnOf(RandomLayers(9, 1)), SizeIs(9)); }

TEST(RandomLayers, DependOnTheSeedAlone) {
  EXPECT_EQ(DrawnOf(RandomLayers(5, 7)), DrawnOf(RandomLayers(5, 7)));
  EXPECT_NE(DrawnOf(RandomLayers(5, 7)), DrawnOf(RandomLayers(5, 8)));
}

TEST(RandomLayers, StayWithinWhatNetworksHave) {
  for (const OperatorLayer& layer : DrawnOf(RandomLayers(60, 3))) {
    EXPECT_GE(layer.Macs(), 100'000);
    EXPECT_LE(layer.Macs(), 1'000'000'000);
    EXPECT_LE(layer.Weights(), 16 << 20);
  }
}

TEST(RandomLayers, AreOfAllKinds) {
  const auto drawn = DrawnOf(RandomLayers(60, 3));
  EXPECT_TRUE(std::ranges::any_of(drawn, &OperatorLayer::linear));
  EXPECT_TRUE(std::ranges::any_of(drawn, [](const auto& one) { return one.groups > 1; }));
  EXPECT_TRUE(std::ranges::any_of(drawn, [](const auto& one) { return one.kh == 3; }));
}

TEST(RandomLayers, HaveAPressThatNoCacheHolds) {
  const OperatorGraph graph = RandomLayers(0, 1);
  const auto press = std::ranges::find(graph.operators, kPressLayer, &GraphOperator::name);
  ASSERT_NE(press, graph.operators.end());
  EXPECT_EQ(4 * LayerOf(graph, *press, 1)->Weights(), 512 << 20);
}

}  // namespace
}  // namespace fairlead
