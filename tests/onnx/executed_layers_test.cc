// The layers that costs are known for are those that an executor carries out, for every export of
// tests/onnx.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"

namespace fairlead {
namespace {

std::vector<std::string> Exports() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/onnx/torchvision", "tests/onnx/folded"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExecutedLayers : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Exports, ExecutedLayers, ::testing::ValuesIn(Exports()));

TEST_P(ExecutedLayers, AreThoseThatArePriced) {
  const std::string bytes = ReadBytes(GetParam());
  const auto priced = ImportOnnx(GetParam(), bytes);
  ASSERT_TRUE(priced.has_value()) << priced.error().message;
  auto graph = ImportOperators(GetParam(), bytes, {.weights_seed = 1});
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const std::vector<NetworkLayer>& layers = priced->network.layers;
  std::vector<std::size_t> each(layers.size() + 1);
  std::iota(each.begin(), each.end(), std::size_t{0});
  const auto run = FuseInSegments(std::move(*graph), each);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  const auto carried_out = FindLayers(run->graph);
  ASSERT_TRUE(carried_out.has_value());
  ASSERT_EQ(carried_out->layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_LT(run->bounds[i], run->bounds[i + 1]) << layers[i].name;
    EXPECT_EQ(carried_out->layers[i].shape, layers[i].shape) << layers[i].name;
    EXPECT_EQ(carried_out->layers[i].after, layers[i].after) << layers[i].name;
  }
}

}  // namespace
}  // namespace fairlead
