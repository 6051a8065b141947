#include "fairlead/execution/core_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

TEST(ParseCores, ReadsRangesAndSingles) {
  EXPECT_THAT(ParseCores("0-2,8").value(), ElementsAre(0, 1, 2, 8));
}

TEST(ParseCores, PutsThemInOrder) {
  EXPECT_THAT(ParseCores("5,1-2").value(), ElementsAre(1, 2, 5));
}

TEST(ParseCores, RefusesWords) {
  EXPECT_EQ(ParseCores("0,x").error().message, "'x' is no core; expected a list such as 0-3,8");
}

TEST(ParseCores, RefusesNothing) {
  EXPECT_EQ(ParseCores("").error().message, "'' is no core; expected a list such as 0-3,8");
}

TEST(ParseCores, RefusesRangesBackwards) {
  EXPECT_EQ(ParseCores("3-1").error().message, "'3-1' ends before it begins");
}

TEST(ParseCores, RefusesACoreTwice) {
  EXPECT_EQ(ParseCores("0-3,2").error().message, "core 2 stands twice");
}

TEST(ParseCores, RefusesCoresThatNoMachineHas) {
  EXPECT_EQ(ParseCores("0-99999999").error().message,
            "'99999999' is no core; expected a list such as 0-3,8");
}

TEST(FormatCores, WritesWhatParseCoresReads) {
  for (const char* text : {"0", "0-1", "0-3,8", "1,3,5-7"})
    EXPECT_EQ(FormatCores(ParseCores(text).value()), text);
}

}  // namespace
}  // namespace fairlead
