#include "fairlead/report/server_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace fairlead {
namespace {

std::vector<MetricSample> Read(const std::string& text) {
  auto samples = ReadMetrics(text);
  EXPECT_TRUE(samples.has_value()) << (samples.has_value() ? "" : samples.error().message);
  return samples.value_or(std::vector<MetricSample>());
}

TEST(MetricsText, ReadsNamesLabelsAndValues) {
  const auto samples = Read(
      "# HELP a b\n\na 1\n  b{x=\"1\",y=\"two \\\"2\\\" \\\\ \\n\"} -2.5e3 1700000000\n"
      "c{} NaN\nd{x=\"\",} +Inf\n");
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[0].name, "a");
  EXPECT_EQ(samples[0].value, 1);
  EXPECT_EQ(samples[1].Label("y"), "two \"2\" \\ \n");
  EXPECT_EQ(samples[1].Label("z"), "");
  EXPECT_EQ(samples[1].value, -2500);
  EXPECT_TRUE(std::isnan(samples[2].value));
  EXPECT_TRUE(std::isinf(samples[3].value));
}

TEST(MetricsText, NamesTheLineThatItCannotRead) {
  for (const char* const wrong :
       {"a\n", "a{\n", "a{x=}\n", "a{x=\"1\n", "a one\n", "{} 1\n", "<p>"}) {
    const auto samples = ReadMetrics(std::string("good 1\n") + wrong);
    ASSERT_FALSE(samples.has_value()) << wrong;
    EXPECT_NE(samples.error().message.find("line 2"), std::string::npos) << wrong;
  }
}

std::string Metrics(double up, int hits, int misses, double busy) {
  return "fairlead_ready 1\nfairlead_up_seconds " + std::to_string(up) +
         "\nfairlead_policy_info{policy=\"edf-h\"} 1\nfairlead_decisions_total " +
         std::to_string(10 * hits) +
         "\nfairlead_accelerator_online{accelerator=\"cpu.0\",kind=\"cpu\"} 1\n"
         "fairlead_accelerator_busy_seconds_total{accelerator=\"cpu.0\",kind=\"cpu\"} " +
         std::to_string(busy) +
         "\nfairlead_network_ready{network=\"n\"} 1\n"
         "fairlead_calls_total{network=\"n\",result=\"ok\"} " +
         std::to_string(hits) + "\nfairlead_calls_total{network=\"n\",result=\"malformed\"} 4\n" +
         "fairlead_segments_believed_seconds_total{network=\"n\"} 2\n"
         "fairlead_segments_measured_seconds_total{network=\"n\"} 3\n"
         "fairlead_requests_total{tenant=\"well\",network=\"n\",outcome=\"hit\"} 5\n"
         "fairlead_hit_ratio{tenant=\"well\",network=\"n\"} 1\n"
         "fairlead_target_ratio{tenant=\"well\",network=\"n\"} 0.9\n"
         "fairlead_requests_total{tenant=\"ill\",network=\"n\",outcome=\"hit\"} " +
         std::to_string(hits) +
         "\nfairlead_requests_total{tenant=\"ill\",network=\"n\",outcome=\"miss\"} " +
         std::to_string(misses) +
         "\nfairlead_hit_ratio{tenant=\"ill\",network=\"n\"} 0.5\n"
         "fairlead_target_ratio{tenant=\"ill\",network=\"n\"} 0.9\n"
         "fairlead_sacrificed{tenant=\"ill\",network=\"n\"} 1\n";
}

TEST(ServerView, RatesAreOfTheTimeBetweenTwoLooks) {
  const auto figures =
      FiguresOfServer(Read(Metrics(10, 100, 50, 4)), Read(Metrics(12, 120, 60, 5)));
  ASSERT_TRUE(figures.has_value());
  EXPECT_DOUBLE_EQ(figures->over_s, 2);
  EXPECT_DOUBLE_EQ(figures->decisions_per_s, 100);
  EXPECT_DOUBLE_EQ(figures->accelerators.at(0).busy, 0.5);
  EXPECT_DOUBLE_EQ(figures->networks.at(0).calls_per_s, 10);
  EXPECT_FALSE(figures->networks.at(0).slowdown.has_value());  // nothing ran in between
  EXPECT_EQ(figures->agreements.at(0).tenant, "ill");          // below its target
  EXPECT_DOUBLE_EQ(figures->agreements.at(0).per_s, 15);
  EXPECT_DOUBLE_EQ(figures->agreements.at(0).requests, 180);
}

TEST(ServerView, WithOneLookRatesAreSinceTheBeginning) {
  const auto figures = FiguresOfServer({}, Read(Metrics(10, 100, 50, 4)));
  ASSERT_TRUE(figures.has_value());
  EXPECT_DOUBLE_EQ(figures->over_s, 10);
  EXPECT_DOUBLE_EQ(figures->networks.at(0).calls_per_s, 10.4);
  EXPECT_DOUBLE_EQ(figures->networks.at(0).failed_per_s, 0.4);
  EXPECT_DOUBLE_EQ(figures->networks.at(0).slowdown.value_or(0), 1.5);
}

TEST(ServerView, AServerThatBeganAnewHasGrownFromNothing) {
  const auto figures = FiguresOfServer(Read(Metrics(50, 500, 0, 40)), Read(Metrics(2, 8, 0, 1)));
  ASSERT_TRUE(figures.has_value());
  EXPECT_DOUBLE_EQ(figures->over_s, 2);
  EXPECT_DOUBLE_EQ(figures->accelerators.at(0).busy, 0.5);
}

TEST(ServerView, ShowsAsManyAgreementsAsAreWanted) {
  const auto figures = FiguresOfServer({}, Read(Metrics(10, 100, 50, 4)));
  ASSERT_TRUE(figures.has_value());
  const std::string text = FormatServer(*figures, 1);
  EXPECT_NE(text.find("ill"), std::string::npos);
  EXPECT_NE(text.find("given up"), std::string::npos);
  EXPECT_EQ(text.find("well"), std::string::npos);
  EXPECT_NE(text.find("and 1 more"), std::string::npos);
}

TEST(ServerView, JsonIsOneLine) {
  const auto figures = FiguresOfServer({}, Read(Metrics(10, 100, 50, 4)));
  ASSERT_TRUE(figures.has_value());
  const std::string json = ServerJson(*figures);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_NE(json.find("\"target\":0.9"), std::string::npos);
}

TEST(ServerView, OtherMetricsAreNoServerOfOurs) {
  EXPECT_FALSE(FiguresOfServer({}, Read("up 1\n")).has_value());
}

}  // namespace
}  // namespace fairlead
