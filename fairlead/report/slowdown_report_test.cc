#include "fairlead/report/slowdown_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

std::vector<SlowdownResult> Results() {
  return {{.subject = SlowdownSubject::kLayers,
           .model = "none",
           .what = "layers",
           .judged = {{0, 0b010, 1.25, 1}, {0, 0b110, 1, 1}, {1, 0b001, 1, 1}}}};
}

TEST(SlowdownReport, TellsPartitionsApart) {
  const auto groups = ByPartition(Results()[0].judged);
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].name, "p0");
  EXPECT_DOUBLE_EQ(groups[0].accuracy.overall, 0.9);
  EXPECT_DOUBLE_EQ(groups[1].accuracy.overall, 1);
}

TEST(SlowdownReport, TellsCasesApart) {
  const auto groups = ByCase(Results()[0].judged);
  ASSERT_EQ(groups.size(), 3);
  EXPECT_EQ(groups[0].name, "p0 beside p1");
  EXPECT_EQ(groups[1].name, "p0 beside p1 p2");
  EXPECT_DOUBLE_EQ(groups[0].accuracy.slowed, 0.8);
}

TEST(SlowdownReport, HasADashWhereNobodyWasSlowed) {
  const std::string table = SlowdownsAsTable(Results());
  EXPECT_THAT(table, HasSubstr("93.33    80.00     0.00"));
  EXPECT_THAT(table, HasSubstr("100.00        -"));
}

TEST(SlowdownReport, IsAPageWithACalibrationPlot) {
  EXPECT_THAT(SlowdownsAsHtml(Results()), HasSubstr("predicted slowdown"));
  EXPECT_THAT(SlowdownsAsJson(Results()), HasSubstr("\"p0 beside p1 p2\""));
}

}  // namespace
}  // namespace fairlead
