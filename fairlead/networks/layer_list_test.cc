#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fairlead/networks/graph_layers.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

NetworkLayer After(LayerIndices after) { return {.name = "x", .after = std::move(after)}; }

TEST(LayerList, MergesWhatIsUnrelated) {
  LayerList layers;
  layers.Append(After({}));
  layers.Append(After({}));
  EXPECT_THAT(layers.Merge({1}, {0}), ElementsAre(0, 1));
}

TEST(LayerList, LeavesOutWhatIsImplied) {
  LayerList layers;
  layers.Append(After({}));
  layers.Append(After({0}));
  layers.Append(After({1}));
  EXPECT_THAT(layers.Merge({0}, {2}), ElementsAre(2));
}

TEST(LayerList, KeepsEqualOnesOnce) {
  LayerList layers;
  layers.Append(After({}));
  EXPECT_THAT(layers.Merge({0}, {0}), ElementsAre(0));
}

TEST(LayerList, RemembersAncestorsFarBack) {
  LayerList layers;
  layers.Append(After({}));
  for (std::uint32_t i = 0; i < 200; ++i) layers.Append(After({i}));
  layers.Append(After({}));
  EXPECT_THAT(layers.Merge({3, 201}, {64, 130}), ElementsAre(130, 201));
}

TEST(LayeredNetwork, CountsActivationsForOneInput) {
  LayeredNetwork network;
  network.layers = {{.name = "a", .shape = {.n = 4, .k = 3, .p = 5, .q = 7}},
                    {.name = "b", .shape = {.k = 10}}};
  EXPECT_EQ(network.Activations(), 3 * 5 * 7 + 10);
}

}  // namespace
}  // namespace fairlead
