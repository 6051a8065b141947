#include <gtest/gtest.h>

#include "fairlead/networks/onnx/onnx_import.h"

namespace fairlead {
namespace {

constexpr const char* kWhy =
    "a.onnx: this build cannot read ONNX files; build with -DFAIRLEAD_ONNX=ON";

TEST(WithoutOnnx, FilesAreRefusedWithTheOptionThatIsMissing) {
  EXPECT_EQ(ImportOnnx("a.onnx", "").error().message, kWhy);
  EXPECT_EQ(ImportOperators("a.onnx", "", {}).error().message, kWhy);
}

}  // namespace
}  // namespace fairlead
