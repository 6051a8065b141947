#include "fairlead/world/network_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

Result<OperatorGraph> Find(std::string_view name) {
  return FindGraphByName(name, &ReadFile, {.weights_seed = 1});
}

TEST(FindGraphByName, FindsBuiltInNetworks) { EXPECT_EQ(Find("alexnet").value().name, "alexnet"); }

TEST(FindGraphByName, SuggestsNames) {
  EXPECT_EQ(Find("alexnett").error().message,
            "unknown network 'alexnett'; did you mean 'alexnet'?");
}

TEST(FindGraphByName, SaysWhichFileCannotBeRead) {
  EXPECT_THAT(Find("nothing.onnx").error().message, HasSubstr("nothing.onnx: cannot be read"));
}

}  // namespace
}  // namespace fairlead
