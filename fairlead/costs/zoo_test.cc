#include "fairlead/costs/zoo.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ZooNetwork& Find(std::string_view name) {
  const auto found = std::ranges::find(Zoo(), name, &ZooNetwork::name);
  if (found == Zoo().end()) throw std::runtime_error("no such network");
  return *found;
}

const NetworkLayer& Layer(std::string_view network, std::string_view layer) {
  const auto& layers = Find(network).layers;
  const auto found = std::ranges::find(layers, layer, &NetworkLayer::name);
  if (found == layers.end()) throw std::runtime_error("no such layer");
  return *found;
}

// The names of what a layer waits for.
std::vector<std::string> Waits(std::string_view network, std::string_view layer) {
  std::vector<std::string> names;
  for (std::uint32_t before : Layer(network, layer).after)
    names.push_back(Find(network).layers[before].name);
  return names;
}

// "kxcxpxq" of a layer.
std::string Shape(std::string_view network, std::string_view layer) {
  const LayerShape& shape = Layer(network, layer).shape;
  return fmt::format("{}x{}x{}x{}", shape.k, shape.c, shape.p, shape.q);
}

TEST(Zoo, IsOrderedByName) { EXPECT_TRUE(std::ranges::is_sorted(Zoo(), {}, &ZooNetwork::name)); }

// What is published: torchvision's model pages for the first three (Inception without its auxiliary
// head), darknet's for YOLOv3 at 416 (65.86 billion operations, two for each MAC).
struct Published {
  std::string_view name;
  std::size_t layers;
  std::int64_t parameters;
  double giga_macs;
};

class PublishedCounts : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, Layers) {
  EXPECT_EQ(Find(GetParam().name).layers.size(), GetParam().layers);
}

TEST_P(PublishedCounts, Parameters) {
  EXPECT_EQ(Find(GetParam().name).Parameters(), GetParam().parameters);
}

TEST_P(PublishedCounts, Macs) {
  const auto macs = static_cast<double>(Find(GetParam().name).Macs());
  EXPECT_NEAR(macs / 1e9, GetParam().giga_macs, 0.005 * GetParam().giga_macs);
}

INSTANTIATE_TEST_SUITE_P(Networks, PublishedCounts,
                         ::testing::Values(Published{"alexnet", 8, 61'100'840, 0.714},
                                           Published{"inception-v3", 95, 23'834'568, 5.713},
                                           Published{"resnet50", 54, 25'557'032, 4.089},
                                           Published{"yolo-v3", 75, 61'949'149, 32.93}));

class EveryNetwork : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetwork,
                         ::testing::Values("alexnet", "inception-v3", "resnet50", "yolo-v3"));

TEST_P(EveryNetwork, WaitsOnlyForEarlierLayers) {
  const auto& layers = Find(GetParam()).layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (std::uint32_t before : layers[i].after) ASSERT_LT(before, i) << layers[i].name;
  }
}

TEST_P(EveryNetwork, StartsWithOneLayer) {
  std::vector<std::string> sources;
  for (const NetworkLayer& layer : Find(GetParam()).layers) {
    if (layer.after.empty()) sources.push_back(layer.name);
  }
  EXPECT_EQ(sources.size(), 1);
}

TEST_P(EveryNetwork, HasNoNameTwice) {
  std::vector<std::string> names;
  for (const NetworkLayer& layer : Find(GetParam()).layers) names.push_back(layer.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_P(EveryNetwork, HasNoDependencyThatOthersImply) {
  const auto& layers = Find(GetParam()).layers;
  std::vector<std::vector<bool>> reaches(layers.size(), std::vector<bool>(layers.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (std::uint32_t before : layers[i].after) {
      for (std::uint32_t other : layers[i].after)
        ASSERT_FALSE(reaches[other][before]) << layers[i].name << ": " << layers[before].name;
    }
    for (std::uint32_t before : layers[i].after) {
      reaches[i][before] = true;
      for (std::size_t j = 0; j < before; ++j) reaches[i][j] = reaches[i][j] || reaches[before][j];
    }
  }
}

TEST_P(EveryNetwork, HasPositiveShapes) {
  for (const NetworkLayer& layer : Find(GetParam()).layers) {
    const LayerShape& s = layer.shape;
    ASSERT_GT(std::min({s.n, s.k, s.c, s.p, s.q, s.r, s.s, s.stride, s.groups}), 0) << layer.name;
  }
}

TEST(AlexNet, IsAChain) {
  const auto& layers = Find("alexnet").layers;
  for (std::size_t i = 1; i < layers.size(); ++i)
    ASSERT_THAT(layers[i].after, ElementsAre(i - 1)) << layers[i].name;
}

TEST(AlexNet, PoolsBeforeItsLinearLayers) { EXPECT_EQ(Shape("alexnet", "fc6"), "4096x9216x1x1"); }

TEST(ResNet50, HalvesOnThe3x3) {
  EXPECT_EQ(Shape("resnet50", "stage2.0.reduce"), "128x256x56x56");
  EXPECT_EQ(Shape("resnet50", "stage2.0.conv"), "128x128x28x28");
}

TEST(ResNet50, TheShortcutSkipsTheBlock) {
  EXPECT_EQ(Waits("resnet50", "stage2.0.shortcut"), Waits("resnet50", "stage2.0.reduce"));
}

TEST(ResNet50, JoinsTheBlockAndItsShortcut) {
  EXPECT_THAT(Waits("resnet50", "stage1.1.reduce"),
              ElementsAre("stage1.0.expand", "stage1.0.shortcut"));
}

TEST(ResNet50, AnIdentityIsImpliedByItsBlock) {
  EXPECT_THAT(Waits("resnet50", "stage1.2.reduce"), ElementsAre("stage1.1.expand"));
}

TEST(ResNet50, EndsWithALinearLayer) {
  EXPECT_THAT(Waits("resnet50", "fc"), ElementsAre("stage4.2.expand"));
}

TEST(InceptionV3, BranchesStartTogether) {
  EXPECT_EQ(Waits("inception-v3", "mixed2.pool"), Waits("inception-v3", "mixed2.1x1"));
}

TEST(InceptionV3, ABlockWaitsForAllBranches) {
  EXPECT_THAT(Waits("inception-v3", "mixed2.1x1"),
              ElementsAre("mixed1.1x1", "mixed1.5x5", "mixed1.3x3.b", "mixed1.pool"));
}

TEST(InceptionV3, PoolingWithoutAConvolutionIsImplied) {
  // The pooled input of block 4 is an ancestor of its other branches.
  EXPECT_THAT(Waits("inception-v3", "mixed5.1x1"), ElementsAre("mixed4.3x3", "mixed4.twice.b"));
}

TEST(InceptionV3, ConcatenatesChannels) {
  EXPECT_EQ(Shape("inception-v3", "mixed2.1x1"), "64x256x35x35");
  EXPECT_EQ(Shape("inception-v3", "mixed5.1x1"), "192x768x17x17");
  EXPECT_EQ(Shape("inception-v3", "mixed10.1x1"), "320x1280x8x8");
}

TEST(InceptionV3, EndsWith2048Channels) { EXPECT_EQ(Shape("inception-v3", "fc"), "1000x2048x1x1"); }

TEST(YoloV3, AddsResiduals) {
  // conv5 and conv6 are the first residual block of the second stage, conv7 begins the next.
  EXPECT_THAT(Waits("yolo-v3", "conv7"), ElementsAre("conv6"));
}

TEST(YoloV3, DetectsAtThreeScales) {
  EXPECT_EQ(Shape("yolo-v3", "detect512"), "255x1024x13x13");
  EXPECT_EQ(Shape("yolo-v3", "detect256"), "255x512x26x26");
  EXPECT_EQ(Shape("yolo-v3", "detect128"), "255x256x52x52");
}

TEST(YoloV3, DetectionsHaveNoSuccessors) {
  for (const NetworkLayer& layer : Find("yolo-v3").layers) {
    for (const std::string& before : Waits("yolo-v3", layer.name))
      ASSERT_FALSE(before.starts_with("detect")) << layer.name;
  }
}

TEST(YoloV3, RoutesTakeTheSkipAndTheUpsampled) {
  // conv52 ends Darknet-53; conv53 to 58 are the coarse head, conv59 leads to the middle one, whose
  // input has 256 channels of its own and 512 of the skip, which conv59 implies.
  EXPECT_EQ(Shape("yolo-v3", "conv60"), "256x768x26x26");
  EXPECT_THAT(Waits("yolo-v3", "conv60"), ElementsAre("conv59"));
}

TEST(YoloV3, TheNextHeadBranchesOffBeforeTheDetection) {
  EXPECT_THAT(Waits("yolo-v3", "conv59"), ElementsAre("conv57"));
  EXPECT_THAT(Waits("yolo-v3", "conv58"), ElementsAre("conv57"));
  EXPECT_THAT(Waits("yolo-v3", "detect512"), ElementsAre("conv58"));
}

// The builder, beyond what the networks show.

TEST(NetworkBuilder, InputsHaveNoPredecessors) {
  EXPECT_THAT(NetworkBuilder::Input(3, 8, 8).from, IsEmpty());
}

TEST(NetworkBuilder, ConvolutionsRoundTheirSizeDown) {
  NetworkBuilder net;
  const Tensor out = net.Convolution("c", NetworkBuilder::Input(3, 8, 9), Valid(5, 3, 2));
  EXPECT_EQ(out.height, 3);  // (8 - 3) / 2 + 1
  EXPECT_EQ(out.width, 4);   // (9 - 3) / 2 + 1
}

TEST(NetworkBuilder, BatchNormsHaveTwoParametersAChannel) {
  NetworkBuilder net;
  net.Convolution("c", NetworkBuilder::Input(3, 8, 8), Same(5, 3));
  EXPECT_EQ(net.Take()[0].parameters, 5 * 3 * 9 + 2 * 5);
}

TEST(NetworkBuilder, LinearLayersFlattenAndHaveABias) {
  NetworkBuilder net;
  net.Linear("fc", NetworkBuilder::Input(3, 2, 2), 7);
  EXPECT_EQ(net.Take()[0].parameters, 12 * 7 + 7);
}

TEST(NetworkBuilder, PoolingCarriesDependencies) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("c", NetworkBuilder::Input(3, 8, 8), Same(5, 3));
  EXPECT_THAT(NetworkBuilder::Pool(x, 2, 2).from, ElementsAre(0));
}

TEST(NetworkBuilder, AddingWhatDescendsFromTheOtherWaitsForOne) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("a", NetworkBuilder::Input(5, 8, 8), Same(5, 3));
  const Tensor y = net.Convolution("b", x, Same(5, 3));
  EXPECT_THAT(net.Add(y, x).from, ElementsAre(1));
}

TEST(NetworkBuilderDeathTest, AddingOtherShapesIsABug) {
  NetworkBuilder net;
  const Tensor x = NetworkBuilder::Input(5, 8, 8);
  EXPECT_DEATH(net.Add(x, NetworkBuilder::Input(6, 8, 8)), "channels");
}

}  // namespace
}  // namespace fairlead
