// Networks that are known by their files: in builds that read ONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "fairlead/config/network_catalogue.h"

namespace fairlead {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::ResultOf;

constexpr std::string_view kFile = "tests/onnx/torchvision/squeezenet1-1.onnx";

TEST(OnnxNetworks, AreCalledLikeTheirFile) {
  EXPECT_EQ(FindGraphByName(kFile, &ReadFile, {.weights_seed = 1}).value().name, "squeezenet1-1");
}

TEST(OnnxNetworks, AreFused) {
  const OperatorGraph graph = FindGraphByName(kFile, &ReadFile, {.weights_seed = 1}).value();
  const auto is_activation = [](const GraphOperator& op) {
    return std::holds_alternative<Activation>(op.body);
  };
  EXPECT_THAT(graph.operators, Not(Contains(ResultOf(is_activation, true))));
}

}  // namespace
}  // namespace fairlead
