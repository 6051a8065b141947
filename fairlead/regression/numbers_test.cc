#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fairlead/regression/scaling.h"

namespace fairlead {
namespace {

TEST(Numbers, AreReadAsTheyWereWritten) {
  const std::vector<float> numbers = {0.1F, -3.4e38F, 1.0F / 3, std::numeric_limits<float>::min()};
  std::string text;
  WriteNumbers(text, "weights", numbers);
  WriteWholes(text, "children", {0, 7, UINT32_MAX});
  NumberReader reader(text);
  EXPECT_EQ(reader.Numbers("weights").value(), numbers);
  EXPECT_EQ(reader.Wholes("children").value(), (std::vector<std::uint32_t>{0, 7, UINT32_MAX}));
  EXPECT_TRUE(reader.End().has_value());
}

TEST(Numbers, OfAnotherNameAreRefused) {
  NumberReader reader("biases 1 0.5\n");
  EXPECT_EQ(reader.Numbers("weights").error().message, "'biases' where 'weights' was expected");
}

TEST(Numbers, ThatAreMissingAreRefused) {
  NumberReader reader("weights 3 0.5 1\n");
  EXPECT_EQ(reader.Numbers("weights").error().message, "'' among the numbers of 'weights'");
}

TEST(Numbers, MoreThanTheTextCanHoldAreRefused) {
  NumberReader reader("weights 4000000000 0.5\n");
  EXPECT_EQ(reader.Numbers("weights").error().message, "the numbers of 'weights' end too early");
}

TEST(Numbers, ThatAreNotFiniteAreRefused) {
  NumberReader reader("weights 1 nan\n");
  EXPECT_EQ(reader.Numbers("weights").error().message, "a number of 'weights' is not finite");
}

TEST(Numbers, BeyondTheirNumberAreRefused) {
  for (const char* text : {"weights 1 0.5 7\n", "weights 1 0.5"}) {
    NumberReader reader(text);
    EXPECT_EQ(reader.Numbers("weights").error().message,
              "the line of 'weights' does not end after its numbers");
  }
}

TEST(Numbers, AfterTheEndAreRefused) {
  NumberReader reader("weights 1 0.5\n7\n");
  EXPECT_TRUE(reader.Numbers("weights").has_value());
  EXPECT_FALSE(reader.End().has_value());
}

}  // namespace
}  // namespace fairlead
