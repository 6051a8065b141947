#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fairlead/policies/home_queues.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& rows) {
  const auto read = ParseAllocationRatios("r.csv", "network,accelerator,ratio\n" + rows);
  return read.has_value() ? "" : read.error().message;
}

TEST(AllocationRatios, AreWrittenAsTheyAreRead) {
  const std::string text = "network,accelerator,ratio\na,x,0.25\na,y.1,0.75\nb,x,1\n";
  EXPECT_EQ(FormatAllocationRatios(ParseAllocationRatios("r.csv", text).value()), text);
}

TEST(AllocationRatios, MayNameNobody) {
  EXPECT_TRUE(ParseAllocationRatios("r.csv", "network,accelerator,ratio\n").value().rows.empty());
}

TEST(AllocationRatios, ThatAreWrongAreTold) {
  EXPECT_THAT(ErrorOf("a,x,-1\n"), HasSubstr("r.csv:2:5: "));
  EXPECT_THAT(ErrorOf("a,x,nan\n"), HasSubstr("r.csv:2:5: "));
  EXPECT_THAT(ErrorOf("a,x,1\na,x,2\n"), HasSubstr("'a' on 'x' stands twice"));
  EXPECT_THAT(ErrorOf("a,x,0\nb,x,1\n"), HasSubstr("no ratio of 'a' is above 0"));
}

}  // namespace
}  // namespace fairlead
