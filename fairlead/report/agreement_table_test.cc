#include "fairlead/report/agreement_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

AgreementFigures Camera() {
  AgreementFigures camera{.tenant = "camera", .network = "resnet50", .target = 0.95};
  camera.counts = {{90, 6, 4, 0}};
  camera.hit_rate = 0.9;
  camera.worst_window = 0.7;
  camera.lost.late = 6;
  camera.lost.given_up[static_cast<std::size_t>(Reason::kHopeless)] = 4;
  camera.latency = Percentiles{.p50 = 12'200'000, .p95 = 0, .p99 = 20'100'000, .max = 0};
  return camera;
}

RunFigures RunOf(std::string policy, std::uint64_t seed, std::vector<AgreementFigures> agreements) {
  RunFigures run;
  run.policy = std::move(policy);
  run.seed = seed;
  run.per_agreement = std::move(agreements);
  return run;
}

TEST(AgreementTable, SaysWhatWasPromisedGotAndLost) {
  AgreementFigures batch{.tenant = "batch", .network = "yolo-v3", .hit_rate = 1};
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, {Camera(), batch})};
  EXPECT_EQ(FormatAgreements(runs, AgreementsShown::kIfFew),
            "agreement        target    got  claim     p50     p99  worst  lost to\n"
            "                      %      %             ms      ms window  % of requests\n"
            "batch: yolo-v3        -      -      -       -       -      -\n"
            "camera: resnet50   95.0   90.0   open   12.20   20.10   70.0  late 6.0,\n"
            "                                                              hopeless 4.0\n");
}

TEST(AgreementTable, TakesSeedsTogether) {
  AgreementFigures lucky = Camera();
  lucky.hit_rate = 1;
  lucky.worst_window = 0.9;
  lucky.counts = {{100, 0, 0, 0}};
  lucky.lost = {};
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, {Camera()}), RunOf("edf-h", 2, {lucky})};
  EXPECT_THAT(FormatAgreements(runs, AgreementsShown::kAll),
              HasSubstr("95.0   95.0   open   12.20   20.10   70.0  late 3.0,\n"));
}

TEST(AgreementTable, IsLeftOutWhereThereAreMany) {
  std::vector<AgreementFigures> many(kFewAgreements + 1, Camera());
  for (std::size_t i = 0; i < many.size(); ++i) many[i].tenant = std::to_string(i);
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, many)};
  EXPECT_EQ(FormatAgreements(runs, AgreementsShown::kIfFew), "");
  EXPECT_THAT(FormatAgreements(runs, AgreementsShown::kAll), HasSubstr("\n12: resnet50"));
}

TEST(AgreementTable, GivesALongNameItsOwnLine) {
  AgreementFigures camera = Camera();
  camera.tenant = std::string(60, 'x');
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, {camera})};
  const std::string text = FormatAgreements(runs, AgreementsShown::kAll);
  EXPECT_NE(text.find("xxx: resnet50\n            95.0"), std::string::npos) << text;
}

TEST(AgreementTable, HasALineForEachRunAsCsv) {
  AgreementFigures camera = Camera();
  camera.claim = Claim::kOpen;
  const std::string text =
      AgreementsCsvLines(std::vector<RunFigures>{RunOf("edf-h:drop=early", 3, {camera})});
  EXPECT_EQ(text,
            "edf-h:drop=early,3,camera,resnet50,0.95,0.9,open,100,90,6,4,0,100,"
            "12200000,20100000,0.7,0,\"late 6.0, hopeless 4.0\"\n");
}

TEST(AgreementTable, PutsTheWorstFirstOnAPage) {
  AgreementFigures fine = Camera();
  fine.tenant = "fine";
  fine.hit_rate = 0.99;
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, {fine, Camera()})};
  const HtmlTable table = AgreementTable(GroupByPolicy(runs));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_TRUE(table.sortable);
  EXPECT_EQ(table.rows[0][0].text, "camera: resnet50");
  EXPECT_EQ(table.rows[0][3].order, 0.9);
  HtmlPage page("t");
  page.Table(table);
  EXPECT_THAT(std::move(page).Finish(), HasSubstr("<td data-order=\"0.9\">90.0 %</td>"));
}

}  // namespace
}  // namespace fairlead
