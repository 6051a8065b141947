#include "fairlead/networks/zoo.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

const LayeredNetwork& Find(std::string_view name) {
  const LayeredNetwork* found = FindInZoo(name);
  if (found == nullptr) throw std::runtime_error("no such network");
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

TEST(Zoo, IsOrderedByName) {
  EXPECT_TRUE(std::ranges::is_sorted(Zoo(), {}, &LayeredNetwork::name));
}

TEST(Zoo, FindsByName) {
  EXPECT_EQ(FindInZoo("vgg16")->name, "vgg16");
  EXPECT_EQ(FindInZoo("vgg"), nullptr);
}

// Parameters and MACs are exactly those of torchvision 0.14 (its parameters(), and hooks on its
// convolutions and linear layers), which also prints them on its model pages; darknet's for YOLOv3
// at 416 (65.86 billion operations, two for each MAC).
struct Published {
  std::string_view name;
  std::ptrdiff_t multiplying;  // layers
  std::int64_t parameters;
  std::int64_t macs;
};

void PrintTo(const Published& published, std::ostream* out) { *out << published.name; }

constexpr Published kPublished[] = {
    {"alexnet", 8, 61'100'840, 714'188'480},
    {"densenet121", 121, 7'978'856, 2'834'161'664},
    {"efficientnet-b0", 82, 5'288'548, 385'814'752},
    {"googlenet", 58, 6'624'904, 1'498'376'192},
    {"inception-v3", 95, 23'834'568, 5'713'216'096},
    {"mnasnet1-0", 53, 4'383'312, 314'415'872},
    {"mobilenet-v2", 53, 3'504'872, 300'774'272},
    {"mobilenet-v3-large", 64, 5'483'032, 216'589'760},
    {"resnet18", 21, 11'689'512, 1'814'073'344},
    {"resnet50", 54, 25'557'032, 4'089'184'256},
    {"shufflenet-v2-x1-0", 57, 2'278'604, 144'907'992},
    {"squeezenet1-1", 26, 1'235'496, 349'151'936},
    {"vgg16", 16, 138'357'544, 15'470'264'320},
    {"wide-resnet50-2", 54, 68'883'240, 11'398'021'120},
    {"yolo-v3", 75, 61'949'149, 32'932'037'632},
};

class EveryNetwork : public ::testing::TestWithParam<Published> {
 protected:
  static const LayeredNetwork& Network() { return Find(GetParam().name); }
};

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetwork, ::testing::ValuesIn(kPublished));

TEST(Zoo, HasThePublishedNetworks) { EXPECT_EQ(Zoo().size(), std::size(kPublished)); }

TEST_P(EveryNetwork, HasThePublishedLayers) {
  const auto multiplies = [](const NetworkLayer& layer) { return layer.shape.Multiplies(); };
  EXPECT_EQ(std::ranges::count_if(Network().layers, multiplies), GetParam().multiplying);
}

TEST_P(EveryNetwork, HasThePublishedParameters) {
  EXPECT_EQ(Network().Parameters(), GetParam().parameters);
}

TEST_P(EveryNetwork, HasThePublishedMacs) { EXPECT_EQ(Network().Macs(), GetParam().macs); }

TEST_P(EveryNetwork, WaitsOnlyForEarlierLayers) {
  const auto& layers = Network().layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (std::uint32_t before : layers[i].after) ASSERT_LT(before, i) << layers[i].name;
  }
}

TEST_P(EveryNetwork, StartsWithOneLayer) {
  std::vector<std::string> sources;
  for (const NetworkLayer& layer : Network().layers) {
    if (layer.after.empty()) sources.push_back(layer.name);
  }
  EXPECT_EQ(sources.size(), 1);
}

TEST_P(EveryNetwork, HasNoNameTwice) {
  std::vector<std::string> names;
  for (const NetworkLayer& layer : Network().layers) names.push_back(layer.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_P(EveryNetwork, HasNoDependencyThatOthersImply) {
  const auto& layers = Network().layers;
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
  for (const NetworkLayer& layer : Network().layers) {
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

TEST(ResNet50, AddsTheBlockAndItsShortcut) {
  EXPECT_THAT(Waits("resnet50", "stage1.0.add"),
              ElementsAre("stage1.0.expand", "stage1.0.shortcut"));
  EXPECT_THAT(Waits("resnet50", "stage1.1.reduce"), ElementsAre("stage1.0.add"));
}

TEST(ResNet50, AnIdentityIsImpliedByItsBlock) {
  EXPECT_THAT(Waits("resnet50", "stage1.1.add"), ElementsAre("stage1.1.expand"));
}

TEST(ResNet50, AnAdditionReadsBothSides) {
  EXPECT_EQ(Layer("resnet50", "stage4.2.add").shape,
            (LayerShape{.kind = LayerKind::kElementwise,
                        .k = 2048,
                        .p = 7,
                        .q = 7,
                        .operands = std::int64_t{2} * 2048 * 7 * 7}));
}

TEST(ResNet50, EndsWithAPoolAndALinearLayer) {
  EXPECT_THAT(Waits("resnet50", "fc"), ElementsAre("pool"));
  EXPECT_THAT(Waits("resnet50", "pool"), ElementsAre("stage4.2.add"));
}

TEST(ResNet18, ItsFirstStageHasNoShortcuts) {
  EXPECT_THAT(Waits("resnet18", "stage1.0.add"), ElementsAre("stage1.0.conv2"));
}

TEST(DenseNet121, NormsReadAllChannelsSoFar) {
  EXPECT_EQ(Layer("densenet121", "dense1.6.norm").shape.operands, (64 + 5 * 32) * 56 * 56);
  EXPECT_EQ(Layer("densenet121", "dense1.6.norm").parameters, 2 * (64 + 5 * 32));
}

TEST(DenseNet121, ADenseLayerImpliesTheEarlierOnes) {
  EXPECT_THAT(Waits("densenet121", "dense1.3.norm"), ElementsAre("dense1.2.conv"));
}

TEST(EfficientNetB0, GatesMultiplyWhatTheyCameFrom) {
  EXPECT_THAT(Waits("efficientnet-b0", "block1.squeeze"), ElementsAre("block1.depthwise"));
  EXPECT_THAT(Waits("efficientnet-b0", "block1.gate"), ElementsAre("block1.gate2"));
  EXPECT_EQ(Layer("efficientnet-b0", "block1.gate").shape.operands, 32 * 112 * 112 + 32);
}

TEST(MobileNetV2, DepthwiseConvolutionsHaveTheirOwnKind) {
  const LayerShape& shape = Layer("mobilenet-v2", "block2.depthwise").shape;
  EXPECT_EQ(shape.kind, LayerKind::kDepthwise);
  EXPECT_EQ(shape.groups, 96);
}

TEST(ShuffleNetV2, ShufflesBothHalves) {
  EXPECT_EQ(Layer("shufflenet-v2-x1-0", "stage2.1.shuffle").shape.k, 116);
  EXPECT_EQ(Shape("shufflenet-v2-x1-0", "stage2.1.first"), "58x58x28x28");
  EXPECT_THAT(Waits("shufflenet-v2-x1-0", "stage2.0.shuffle"),
              ElementsAre("stage2.0.other.last", "stage2.0.last"));
}

TEST(GoogLeNet, PoolsRoundUp) { EXPECT_EQ(Shape("googlenet", "conv2"), "64x64x56x56"); }

TEST(InceptionV3, BranchesStartTogether) {
  EXPECT_EQ(Waits("inception-v3", "mixed2.pool"), Waits("inception-v3", "mixed2.1x1"));
}

TEST(InceptionV3, ABlockWaitsForAllBranches) {
  EXPECT_THAT(Waits("inception-v3", "mixed2.1x1"),
              ElementsAre("mixed1.1x1", "mixed1.5x5", "mixed1.3x3.b", "mixed1.pool.project"));
}

TEST(InceptionV3, PoolingIsABranchOfItsOwn) {
  EXPECT_THAT(Waits("inception-v3", "mixed5.1x1"),
              ElementsAre("mixed4.3x3", "mixed4.twice.b", "mixed4.pool"));
}

TEST(InceptionV3, ConcatenatesChannels) {
  EXPECT_EQ(Shape("inception-v3", "mixed2.1x1"), "64x256x35x35");
  EXPECT_EQ(Shape("inception-v3", "mixed5.1x1"), "192x768x17x17");
  EXPECT_EQ(Shape("inception-v3", "mixed10.1x1"), "320x1280x8x8");
}

TEST(InceptionV3, EndsWith2048Channels) { EXPECT_EQ(Shape("inception-v3", "fc"), "1000x2048x1x1"); }

TEST(YoloV3, AddsResiduals) {
  // conv2 halves the size, conv3 and conv4 are the first residual block, conv5 halves again.
  EXPECT_THAT(Waits("yolo-v3", "add1"), ElementsAre("conv4"));
  EXPECT_THAT(Waits("yolo-v3", "conv5"), ElementsAre("add1"));
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
  EXPECT_THAT(Waits("yolo-v3", "conv60"), ElementsAre("upsample256"));
  EXPECT_THAT(Waits("yolo-v3", "upsample256"), ElementsAre("conv59"));
}

TEST(YoloV3, TheNextHeadBranchesOffBeforeTheDetection) {
  EXPECT_THAT(Waits("yolo-v3", "conv59"), ElementsAre("conv57"));
  EXPECT_THAT(Waits("yolo-v3", "conv58"), ElementsAre("conv57"));
  EXPECT_THAT(Waits("yolo-v3", "detect512"), ElementsAre("conv58"));
}

}  // namespace
}  // namespace fairlead
