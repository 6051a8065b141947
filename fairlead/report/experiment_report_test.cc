#include "fairlead/report/experiment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JudgedExperiment Sample() {
  JudgedExperiment experiment;
  experiment.heading = {.name = "welfare",
                        .question = "Who <leads>?",
                        .reproduces = "figure 5.2",
                        .refuted_by = "a ratio below 1",
                        .command = "fairlead experiment welfare",
                        .version = "0.1.0"};
  experiment.results.numbers = {
      {.name = "ratio/a", .estimate = {.count = 10, .mean = 1.25, .half_width = 0.01}},
      {.name = "ratio/b", .estimate = {.count = 1, .mean = 0.5, .half_width = {}}}};
  experiment.results.findings = {"a leads b."};
  experiment.expected = {{.name = "ratio/a", .value = 1.24, .tolerance = 0.02}};
  return experiment;
}

TEST(ExperimentReportTest, JudgesByTolerance) {
  JudgedExperiment experiment = Sample();
  EXPECT_TRUE(Surprises(experiment).empty());
  experiment.expected[0].tolerance = 0.005;
  experiment.expected.push_back({.name = "ratio/c", .value = 1, .tolerance = 1});
  EXPECT_THAT(Surprises(experiment), ElementsAre("ratio/a: 1.2500 is not within 0.0050 of 1.2400",
                                                 "ratio/c: expected, and not measured"));
  EXPECT_THAT(FormatExperimentTable(experiment), HasSubstr("0 of 2 expected numbers"));
}

TEST(ExperimentReportTest, JsonHasEveryNumber) {
  const auto json = nlohmann::json::parse(FormatExperimentJson(Sample()));
  EXPECT_EQ(json["as_expected"], true);
  EXPECT_EQ(json["numbers"].size(), 2u);
  EXPECT_EQ(json["numbers"][0]["expected"], 1.24);
  EXPECT_TRUE(json["numbers"][1]["half_width"].is_null());
  EXPECT_TRUE(json["numbers"][1]["as_expected"].is_null());
}

TEST(ExperimentReportTest, PageHasAllOfIt) {
  const std::string page = FormatExperimentPage(Sample());
  for (const char* text : {"Who &lt;leads&gt;?", "a leads b.", "a ratio below 1", "ratio/b"})
    EXPECT_THAT(page, HasSubstr(text));
}

}  // namespace
}  // namespace fairlead
