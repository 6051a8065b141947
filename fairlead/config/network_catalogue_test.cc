#include "fairlead/config/network_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

namespace fairlead {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ResultOf;

Result<OperatorGraph> Find(std::string_view name) {
  return FindGraphByName(name, &ReadFile, {.weights_seed = 1});
}

TEST(FindGraphByName, FindsBuiltInNetworks) { EXPECT_EQ(Find("alexnet").value().name, "alexnet"); }

TEST(FindGraphByName, FindsFilesAndCallsThemByTheirName) {
  EXPECT_EQ(Find("tests/onnx/torchvision/squeezenet1-1.onnx").value().name, "squeezenet1-1");
}

TEST(FindGraphByName, FusesOperators) {
  const OperatorGraph graph = Find("tests/onnx/torchvision/squeezenet1-1.onnx").value();
  const auto is_activation = [](const GraphOperator& op) {
    return std::holds_alternative<Activation>(op.body);
  };
  EXPECT_THAT(graph.operators, Not(Contains(ResultOf(is_activation, true))));
}

TEST(FindGraphByName, SuggestsNames) {
  EXPECT_EQ(Find("alexnett").error().message,
            "unknown network 'alexnett'; did you mean 'alexnet'?");
}

TEST(FindGraphByName, SaysWhichFileCannotBeRead) {
  EXPECT_THAT(Find("nothing.onnx").error().message, HasSubstr("nothing.onnx: cannot be read"));
}

}  // namespace
}  // namespace fairlead
