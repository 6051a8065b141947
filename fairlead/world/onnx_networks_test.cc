// Networks that are known by their files: in builds that read ONNX.
#include <gtest/gtest.h>

#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

constexpr std::string_view kFile = "tests/onnx/torchvision/squeezenet1-1.onnx";

TEST(OnnxNetworks, AreCalledLikeTheirFile) {
  EXPECT_EQ(FindGraphByName(kFile, &ReadFile, {.weights_seed = 1}).value().name, "squeezenet1-1");
}

}  // namespace
}  // namespace fairlead
