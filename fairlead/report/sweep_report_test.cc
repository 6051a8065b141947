#include "fairlead/report/sweep_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

RunFigures SweptRun(std::uint64_t seed, double hit_rate) {
  RunFigures run;
  run.policy = "edf-h";
  run.seed = seed;
  run.counts = {{80, 20, 0, 0}};
  run.hit_rate = hit_rate;
  run.agreements.rates = {.count = 2, .min = 0.4};
  run.latency = Percentiles{.p50 = 10'000'000, .p95 = 0, .p99 = 45'200'000, .max = 0};
  return run;
}

SweepResults TwoBandwidths() {
  SweepResults results{.keys = {"platform.bandwidth"}, .points = {}, .command = "fairlead"};
  results.points.push_back({.heading = {"tiny", "1", "{}"},
                            .values = {"8GB/s"},
                            .runs = {SweptRun(1, 0.5), SweptRun(2, 0.7)}});
  results.points.push_back(
      {.heading = {"tiny", "1", "{}"}, .values = {"16GB/s"}, .runs = {SweptRun(1, 0.9)}});
  return results;
}

TEST(SweepReport, HasARowForEachPointAndPolicy) {
  EXPECT_EQ(FormatSweepTable(TwoBandwidths(), AgreementsShown::kIfFew),
            "platform.bandwidth  policy  requests  hits  worst  met    p99  memory\n"
            "                                         %      %    %     ms       %\n"
            "8GB/s               edf-h        100  60.0   40.0    -  45.20       -\n"
            "16GB/s              edf-h        100  90.0   40.0    -  45.20       -\n");
}

TEST(SweepReport, HasALineForEachAgreementAsCsv) {
  SweepResults results = TwoBandwidths();
  AgreementFigures camera;
  camera.tenant = "camera";
  camera.network = "resnet50";
  for (SweptPoint& point : results.points) {
    for (RunFigures& run : point.runs) run.per_agreement = {camera, camera};
  }
  const std::string text = FormatSweepCsv(results);
  EXPECT_THAT(text, HasSubstr("platform.bandwidth,policy,seed,tenant,network,"));
  EXPECT_THAT(text, HasSubstr("\n8GB/s,edf-h,2,camera,resnet50,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 3 * 2);
}

TEST(SweepReport, SaysInJsonWhatWasSet) {
  const auto json = nlohmann::json::parse(FormatSweepJson(TwoBandwidths()));
  ASSERT_EQ(json["points"].size(), 2U);
  EXPECT_EQ(json["points"][1]["set"]["platform.bandwidth"], "16GB/s");
  EXPECT_EQ(json["points"][0]["runs"].size(), 2U);
}

TEST(SweepReport, PlotsAlongTheKey) {
  const std::string page = FormatSweepPage(TwoBandwidths());
  EXPECT_THAT(page, HasSubstr("Hit rate along platform.bandwidth"));
  EXPECT_THAT(page, HasSubstr("edf-h at 16GB/s: 90 %"));
  EXPECT_THAT(page, HasSubstr(">10GB/s<"));  // a tick, in the key's unit
}

TEST(SweepReport, PlotsWordsOneAfterTheOther) {
  SweepResults results = TwoBandwidths();
  results.keys = {"platform.sharing"};
  results.points[0].values = {"max-min"};
  results.points[1].values = {"proportional"};
  const std::string page = FormatSweepPage(results);
  EXPECT_THAT(page, HasSubstr(">max-min<"));
  EXPECT_THAT(page, HasSubstr(">proportional<"));
}

}  // namespace
}  // namespace fairlead
