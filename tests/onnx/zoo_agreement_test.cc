// The built-in networks against torchvision's own, exported and imported: the same layers with the
// same dependencies, in whatever order they are listed.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {
namespace {

using ::testing::IsEmpty;

ImportedNetwork Import(const std::string& folder, const std::string& name) {
  const std::string path = fmt::format("tests/onnx/{}/{}.onnx", folder, name);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  auto imported = ImportOnnx(path, std::string(std::istreambuf_iterator<char>(file), {}));
  if (!imported.has_value()) throw std::runtime_error(imported.error().message);
  return std::move(*imported);
}

std::string Describe(const NetworkLayer& layer) {
  const LayerShape& s = layer.shape;
  return fmt::format("{} n{} k{} c{} p{} q{} r{} s{} stride{} groups{} operands{} parameters{}",
                     Name(s.kind), s.n, s.k, s.c, s.p, s.q, s.r, s.s, s.stride, s.groups,
                     s.operands, layer.parameters);
}

// Each layer with all that it waits for, however far, as a text and a number; sorted.
std::vector<std::string> Histories(const LayeredNetwork& network) {
  std::vector<std::string> histories;
  for (const NetworkLayer& layer : network.layers) {
    std::vector<std::size_t> before;
    before.reserve(layer.after.size());
    for (std::uint32_t index : layer.after)
      before.push_back(std::hash<std::string>()(histories[index]));
    std::ranges::sort(before);
    std::string history = Describe(layer) + " after";
    for (std::size_t hash : before) history += fmt::format(" {:x}", hash);
    histories.push_back(std::move(history));
  }
  std::ranges::sort(histories);
  return histories;
}

std::vector<std::string> Sorted(const LayeredNetwork& network) {
  std::vector<std::string> layers;
  layers.reserve(network.layers.size());
  for (const NetworkLayer& layer : network.layers) layers.push_back(Describe(layer));
  std::ranges::sort(layers);
  return layers;
}

void ExpectTheSame(const LayeredNetwork& built, const LayeredNetwork& imported) {
  ASSERT_EQ(Sorted(built), Sorted(imported));  // says more about a difference than the next
  EXPECT_EQ(Histories(built), Histories(imported));
}

std::vector<std::string> Exported() {
  std::vector<std::string> names;
  for (const LayeredNetwork& network : Zoo()) {
    if (network.name != "yolo-v3") names.push_back(network.name);  // torchvision has none
  }
  return names;
}

class ZooAgreement : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, ZooAgreement, ::testing::ValuesIn(Exported()));

TEST_P(ZooAgreement, HasTheSameLayersAfterTheSame) {
  ExpectTheSame(*FindInZoo(GetParam()), Import("torchvision", GetParam()).network);
}

TEST_P(ZooAgreement, HasTheSameCounts) {
  const ImportedNetwork imported = Import("torchvision", GetParam());
  const LayeredNetwork& built = *FindInZoo(GetParam());
  EXPECT_EQ(imported.network.name, built.name);
  EXPECT_EQ(imported.network.input, built.input);
  EXPECT_EQ(imported.network.Parameters(), built.Parameters());
  EXPECT_EQ(imported.network.Macs(), built.Macs());
  EXPECT_EQ(imported.network.Activations(), built.Activations());
}

TEST_P(ZooAgreement, NothingIsUnknown) {
  EXPECT_THAT(Import("torchvision", GetParam()).warnings, IsEmpty());
}

class FoldedExport : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, FoldedExport,
                         ::testing::Values("densenet121", "mobilenet-v3-large", "resnet18"));

// A batch norm folded into its convolution leaves a bias: one parameter a channel in place of two.
TEST_P(FoldedExport, HasTheSameLayersButForParameters) {
  LayeredNetwork built = *FindInZoo(GetParam());
  LayeredNetwork imported = Import("folded", GetParam()).network;
  EXPECT_LT(imported.Parameters(), built.Parameters());
  for (LayeredNetwork* network : {&built, &imported}) {
    for (NetworkLayer& layer : network->layers) layer.parameters = 0;
  }
  ExpectTheSame(built, imported);
}

}  // namespace
}  // namespace fairlead
