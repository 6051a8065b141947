#include "fairlead/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHostile = "</title><script>alert(1)</script>\"'&\x01\xFF";

RunFigures MadeUpRun(const std::string& policy, std::uint64_t seed, double rate) {
  RunFigures run;
  run.policy = policy;
  run.seed = seed;
  run.hit_rate = rate;
  run.counts.by_outcome.fill(100);
  run.agreements.rates = Describe(std::vector<double>{rate, rate / 2});
  run.per_agreement = {{.tenant = kHostile, .network = "net", .hit_rate = rate},
                       {.tenant = "bob", .network = kHostile, .hit_rate = rate / 2}};
  run.bounds = FluidBounds{.hit_rate = 0.9, .worst_agreement = 0.8};
  run.energy = 3;
  return run;
}

Histogram Latencies() {
  Histogram latencies;
  for (std::uint64_t i = 1; i <= 100; ++i) latencies.Add(i * 1'000'000);
  return latencies;
}

struct Report {
  std::vector<RunFigures> runs;
  std::vector<Histogram> latencies;
  std::vector<PolicyTimeline> timelines;
  std::vector<RunsAtLoad> loads;

  std::string Format() const {
    return FormatHtmlReport(
        {.heading = {.scenario = kHostile, .version = "1.2.3", .config = R"({"name": "<x>"})"},
         .command = "fairlead simulate '" + kHostile + "'",
         .runs = runs,
         .latencies = latencies,
         .timelines = timelines,
         .loads = loads});
  }
};

Report TwoPolicies() {
  Report report;
  for (const std::string& policy : {std::string("edf-h"), kHostile}) {
    for (std::uint64_t seed : {1, 2})
      report.runs.push_back(MadeUpRun(policy, seed, policy == "edf-h" ? 0.5 : 0.6));
    report.latencies.push_back(Latencies());
    RunTimeline timeline{.accelerators = {kHostile},
                         .networks = {kHostile},
                         .until = AtNanoseconds(1000),
                         .slices = {{.accelerator = AcceleratorId{0},
                                     .network = NetworkId{0},
                                     .end = AtNanoseconds(900),
                                     .what = kHostile}},
                         .bin = Duration{1000},
                         .usage = {{kHostile, {0.5, 0.7}}}};
    report.timelines.push_back({policy, 1, timeline});
  }
  return report;
}

TEST(HtmlReport, NamesCannotBecomeMarkup) {
  const std::string html = TwoPolicies().Format();
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("\x01")));
  EXPECT_THAT(html, Not(HasSubstr("\xFF")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(HtmlReport, HasWhatItTakesToRunItAgain) {
  const std::string html = TwoPolicies().Format();
  EXPECT_THAT(html, HasSubstr("With fairlead 1.2.3:"));
  EXPECT_THAT(html, HasSubstr("<pre>fairlead simulate &#39;&lt;/title&gt;"));
  EXPECT_THAT(html, HasSubstr("&quot;name&quot;: &quot;&lt;x&gt;&quot;"));
}

TEST(HtmlReport, HasTheFigures) {
  const std::string html = TwoPolicies().Format();
  for (const char* title :
       {"Hit rates of agreements", "How far from 100 %", "All together, and the worst off",
        "Latencies", "Energy", "Accelerators under edf-h", "Usage under edf-h"})
    EXPECT_THAT(html, HasSubstr(std::string("<h3>") + title + "</h3>"));
  EXPECT_THAT(html, Not(HasSubstr("<h3>Revenue</h3>")));  // zero everywhere
}

TEST(HtmlReport, ComparesWithTargetsWhereThereAreSome) {
  Report report = TwoPolicies();
  for (RunFigures& run : report.runs) run.per_agreement[1].target = 0.2;
  const std::string html = report.Format();
  EXPECT_THAT(html, HasSubstr("<h3>Promised and received</h3>"));
  EXPECT_THAT(html, HasSubstr("25 % (+5.0 points)"));
}

TEST(HtmlReport, ShowsWhatTheGuardDidWhereThereIsOne) {
  Report report = TwoPolicies();
  EXPECT_THAT(report.Format(), Not(HasSubstr("fallback")));
  for (RunFigures& run : report.runs)
    run.guard = GuardFigures{.fallbacks = 2, .under_fallback = Duration{1'500'000}};
  EXPECT_THAT(report.Format(), HasSubstr("time under fallback"));
}

TEST(HtmlReport, ShowsPeriodsWhereThereAreSome) {
  Report report = TwoPolicies();
  EXPECT_THAT(report.Format(), Not(HasSubstr("worst period")));
  report.runs[1].per_agreement[0].periods = PeriodVerdicts{.periods = 8, .kept = 7, .worst = 0.4};
  const std::string page = report.Format();
  EXPECT_THAT(page, HasSubstr("worst period"));
  EXPECT_THAT(page, HasSubstr("87.5 %"));
  EXPECT_THAT(page, HasSubstr("40.0 %"));
}

TEST(HtmlReport, ShowsWindowsWhereTheyArePromised) {
  Report report = TwoPolicies();
  EXPECT_THAT(report.Format(), Not(HasSubstr("may fail")));
  AgreementFigures& agreement = report.runs[1].per_agreement[0];
  agreement.window = 20;
  agreement.max_misses = 4;
  agreement.worst_window = 0.45;
  agreement.window_violations = 3;
  const std::string page = report.Format();
  EXPECT_THAT(page, HasSubstr("may fail"));
  EXPECT_THAT(page, HasSubstr("4 of 20"));
  EXPECT_THAT(page, HasSubstr("45.0 %"));
}

TEST(HtmlReport, ShowsWhoWasGivenUpWhereSomebodyWas) {
  Report report = TwoPolicies();
  EXPECT_THAT(report.Format(), Not(HasSubstr("Promises given up")));
  report.runs[1].per_agreement[0].sacrificed = {.times = 2, .share = 0.5, .counts = {{1, 3, 0, 0}}};
  const std::string page = report.Format();
  EXPECT_THAT(page, HasSubstr("Promises given up"));
  EXPECT_THAT(page, HasSubstr("1 of 2"));
  EXPECT_THAT(page, HasSubstr("25.0 %"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

TEST(HtmlReport, TheFrontierGoesThroughAllLoads) {
  Report report = TwoPolicies();
  EXPECT_THAT(report.Format(), HasSubstr("edf-h: 50 % overall, 25 % for the worst agreement"));
  report.loads.push_back({0.5, {MadeUpRun("edf-h", 1, 0.75)}});
  report.loads.push_back({0.9, {MadeUpRun("edf-h", 1, 0.5)}});
  const std::string html = report.Format();
  EXPECT_THAT(html, HasSubstr("edf-h at load 0.5: 75 % overall"));
  EXPECT_THAT(html, HasSubstr("fluid bounds at load 0.9: 90 % overall, 80 % for the worst"));
}

TEST(HtmlReport, DifferencesAreMarkedWhereTheyAreCertain) {
  // 0.1 more with both seeds: no doubt.
  EXPECT_THAT(TwoPolicies().Format(), HasSubstr("<strong>+10.0 pts</strong>"));
}

TEST(HtmlReport, ARunInWhichNothingHappenedIsAPageToo) {
  Report report;
  report.runs.resize(1);
  report.runs[0].policy = "edf-h";
  report.latencies.resize(1);
  report.timelines.resize(1);
  const std::string html = report.Format();
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, HasSubstr("</html>"));
}

}  // namespace
}  // namespace fairlead
