#include "fairlead/report/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace fairlead {
namespace {

RunFigures OneRun(std::string policy, std::uint64_t seed, double hit_rate) {
  RunFigures run;
  run.policy = std::move(policy);
  run.seed = seed;
  run.counts = {{8000, 2000, 0, 0}};
  run.hit_rate = hit_rate;
  run.tenants.rates.count = 100;
  run.agreements.rates = {.count = 150, .min = 0.4, .median = 0.83, .std = 0.121, .jain = 0.978};
  run.agreements.met_share = 0.61;
  run.latency = Percentiles{.p50 = 10'000'000, .p95 = 20'000'000, .p99 = 45'200'000};
  run.busy = {{"simba.0", "simba", 0.9}, {"simba.1", "simba", 0.95}};
  run.bandwidth_utilisation = 0.71;
  run.segments_per_second = 1.52e6;
  run.bounds = FluidBounds{.hit_rate = 0.931, .worst_agreement = 0.88};
  return run;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string Table(const std::vector<RunFigures>& runs) { return FormatTable("fairness", runs); }

TEST(FormatTable, ShowsOneSeed) {
  EXPECT_EQ(Table({OneRun("edf-h", 7, 0.812), OneRun("round-robin", 7, 0.7)}),
            "                          -- agreements' hits ---\n"
            "policy      requests hits worst median  Jain  met   p99 busy memory\n"
            "                        %     %      %          %    ms    %      %\n"
            "edf-h          10000 81.2  40.0   83.0 0.978 61.0 45.20 92.5   71.0\n"
            "round-robin    10000 70.0  40.0   83.0 0.978 61.0 45.20 92.5   71.0\n"
            "fluid bound          93.1  88.0\n"
            "fairness: 100 tenants, 150 agreements, 2 accelerators, seed 7.\n");
}

TEST(FormatTable, SaysWhereNoSeedMadeADifference) {
  const std::string text = Table({OneRun("edf-h", 1, 0.8), OneRun("edf-h", 2, 0.8)});
  EXPECT_EQ(text.find("±"), std::string::npos) << text;
  EXPECT_NE(text.find("All seeds came out alike: nothing here is left to chance."),
            std::string::npos);
}

TEST(FormatTable, ShowsHandOversWhereTheyTookTime) {
  RunFigures first = OneRun("edf-h", 1, 0.80);
  RunFigures second = OneRun("edf-h", 2, 0.82);
  first.hand_overs = {.moves = 100, .take_overs = 10, .moved_bytes = 5, .shares = {}};
  first.hand_overs.shares = {
      .boundaries = 0.01, .taking_over = 0.02, .moving = 0.1, .switching = 0};
  second.hand_overs = {.moves = 200, .take_overs = 20, .moved_bytes = 5, .shares = {}};
  second.hand_overs.shares = {.boundaries = 0.03, .taking_over = 0, .moving = 0.2, .switching = 0};
  const auto lines = LinesOf(Table({first, second}));
  const auto title = std::ranges::find(
      lines, "hand-overs, %  boundaries  taking over  moving  switching      moves  take-overs");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1],
            "edf-h                2.00         1.00   15.00       0.00        150          15");
  first.hand_overs.shares = HandOverShares{};
  EXPECT_EQ(Table({first}).find("hand-overs"), std::string::npos);
}

TEST(FormatTable, ShowsWhatIsBeyondContractsWhereThereIsSome) {
  RunFigures first = OneRun("edf-h", 1, 0.80);
  RunFigures second = OneRun("edf-h", 2, 0.82);
  first.per_agreement = {{.uncovered = {{1, 2, 3, 4}}}, {.uncovered = {{2, 0, 0, 0}}}};
  second.per_agreement = {{.uncovered = {{3, 0, 0, 1}}}};
  const auto lines = LinesOf(Table({first, second, OneRun("sjf", 1, 0.80)}));
  const auto title = std::ranges::find(lines, "beyond contracts  requests  hits, %");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "edf-h                    8     37.5");  // 6 of 16 in two runs
  EXPECT_TRUE(title[2].starts_with("fairness:")) << title[2];
}

TEST(FormatTable, ShowsPeriodsWhereThereAreSome) {
  RunFigures first = OneRun("edf-h", 1, 0.80);
  RunFigures second = OneRun("edf-h", 2, 0.82);
  first.per_agreement = {{.tenant = "a", .periods = PeriodVerdicts{4, 3, 0.5}}, {.tenant = "b"}};
  second.per_agreement = {{.tenant = "a", .periods = PeriodVerdicts{4, 4, 0.9}},
                          {.tenant = "b", .periods = PeriodVerdicts{2, 1, 0.25}}};
  const auto lines = LinesOf(Table({first, second, OneRun("sjf", 1, 0.80)}));
  const auto title = std::ranges::find(lines, "periods  agreements  judged  kept, %  worst, %");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "edf-h           1.5       5     80.0      25.0");
  EXPECT_TRUE(title[2].starts_with("fairness:")) << title[2];
}

TEST(FormatTable, ShowsWindowsWhereTheyArePromised) {
  RunFigures first = OneRun("edf-h", 1, 0.80);
  RunFigures second = OneRun("edf-h", 2, 0.82);
  const AgreementFigures kept{
      .tenant = "a", .window = 20, .max_misses = 4, .worst_window = 0.85, .window_violations = 0};
  const AgreementFigures broken{
      .tenant = "b", .window = 20, .max_misses = 4, .worst_window = 0.5, .window_violations = 7};
  first.per_agreement = {kept, broken};
  second.per_agreement = {kept, {.tenant = "b"}};
  const auto lines = LinesOf(Table({first, second, OneRun("sjf", 1, 0.80)}));
  const auto title = std::ranges::find(lines, "windows  agreements  kept, %  violated  worst, %");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "edf-h           1.5     66.7       3.5      50.0");
  EXPECT_TRUE(title[2].starts_with("fairness:")) << title[2];
}

TEST(FormatTable, ShowsWhoWasGivenUpWhereSomebodyWas) {
  RunFigures first = OneRun("fairlead", 1, 0.80);
  RunFigures second = OneRun("fairlead", 2, 0.82);
  const SacrificeFigures half{.times = 1, .share = 0.5, .counts = {{1, 7, 0, 0}}};
  const SacrificeFigures all{.times = 3, .share = 1};
  first.per_agreement = {{.tenant = "a", .sacrificed = half}, {.tenant = "b", .sacrificed = all}};
  second.per_agreement = {{.tenant = "a"}, {.tenant = "b", .sacrificed = half}};
  const auto lines = LinesOf(Table({first, second, OneRun("sjf", 1, 0.80)}));
  const auto title =
      std::ranges::find(lines, "promises given up  agreements  of the run, %  requests  hits, %");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "fairlead                  1.5           66.7         8     12.5");
  EXPECT_TRUE(title[2].starts_with("fairness:")) << title[2];
  RunFigures guarded = OneRun("sjf", 1, 0.80);
  guarded.per_agreement = {{.tenant = "a", .sacrificed_by_fallback = half}};
  EXPECT_NE(
      Table({guarded}).find("sjf, its fallback           1           50.0         8     12.5"),
      std::string::npos);
  EXPECT_EQ(Table({OneRun("sjf", 1, 0.80)}).find("given up"), std::string::npos);
}

TEST(FormatTable, ShowsWhatTheGuardDidWhereThereIsOne) {
  RunFigures first = OneRun("edf-h", 1, 0.80);
  RunFigures second = OneRun("edf-h", 2, 0.82);
  RunFigures other = OneRun("sjf", 1, 0.80);
  for (RunFigures* run : {&first, &second, &other}) run->makespan = Duration{1000};
  first.guard = {
      .wrong_plans = 3, .slow_decisions = 1, .fallbacks = 1, .under_fallback = Duration{500}};
  second.guard = {.idle_machine = 3, .fallbacks = 2, .under_fallback = Duration{250}};
  other.guard.emplace();
  const auto lines = LinesOf(Table({first, second, other}));
  const auto title = std::ranges::find(
      lines, "guard  strikes  wrong plan  slow  idle  took over  under fallback, %");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "edf-h      3.5         1.5   0.5   1.5        1.5               37.5");
  EXPECT_EQ(title[2], "sjf          0           0     0     0          0                0.0");
}

TEST(FormatTable, ShowsHalfIntervalsUnderMeans) {
  // 0.80 and 0.82: the half is t(0.975, 1) = 12.706 times 0.01
  const auto lines = LinesOf(Table({OneRun("edf-h", 1, 0.80), OneRun("edf-h", 2, 0.82)}));
  EXPECT_EQ(lines[3].substr(0, 26), "edf-h          10000  81.0");
  EXPECT_EQ(lines[4].substr(0, 28), "                  ±0 ±12.7");  // ± takes two bytes
}

TEST(FormatTable, SaysHowManySeedsThereWere) {
  const auto lines = LinesOf(Table({OneRun("edf-h", 1, 0.80), OneRun("edf-h", 2, 0.82)}));
  EXPECT_EQ(lines[lines.size() - 2],
            "fairness: 100 tenants, 150 agreements, 2 accelerators, 2 seeds from 1.");
}

TEST(FormatTable, SaysWhatAnIntervalIs) {
  EXPECT_EQ(LinesOf(Table({OneRun("edf-h", 1, 0.80), OneRun("edf-h", 2, 0.82)})).back(),
            "± is half of the 95 % interval.");
}

TEST(FormatTable, KeepsThePoliciesInTheirOrder) {
  EXPECT_EQ(LinesOf(Table({OneRun("sjf", 1, 0.8), OneRun("edf-h", 1, 0.9)}))[3].substr(0, 3),
            "sjf");
}

TEST(FormatTable, WritesADashForWhatIsNotDefined) {
  RunFigures run = OneRun("edf-h", 1, 0.8);
  run.agreements.met_share.reset();
  run.bandwidth_utilisation.reset();
  EXPECT_EQ(LinesOf(Table({run}))[3],
            "edf-h          10000 80.0  40.0   83.0 0.978   - 45.20 92.5      -");
}

TEST(FormatTable, HasNoBoundWhereNoneIsKnown) {
  RunFigures run = OneRun("edf-h", 1, 0.8);
  run.bounds.reset();
  EXPECT_EQ(Table({run}).find("fluid bound"), std::string::npos);
}

TEST(FormatTable, ChoosesTheUnitOfLatency) {
  RunFigures run = OneRun("edf-h", 1, 0.8);
  run.latency = Percentiles{.p99 = 45'200};
  EXPECT_NE(LinesOf(Table({run}))[2].find(" us "), std::string::npos);
}

TEST(FormatTable, PutsALongNameOnALineOfItsOwn) {
  const auto lines = LinesOf(Table({OneRun("edf-h:drop=early;wait=never", 1, 0.812)}));
  EXPECT_EQ(lines[3], "edf-h:drop=early;wait=never");
  EXPECT_EQ(lines[4].substr(0, 25), "               10000 81.2");
}

TEST(FormatTable, FitsIntoEightyColumns) {
  std::vector<RunFigures> runs;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(OneRun("edf-h:drop=early;wait=never", seed, 1));
    runs.back().counts = {{100'000'000, 1, 1, 1}};
    runs.back().latency = Percentiles{.p99 = 123'456'789'012};
  }
  for (const std::string& line : LinesOf(Table(runs))) {
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, 80) << line;
  }
}

TEST(FormatTable, SaysWhenThereIsNothing) { EXPECT_EQ(Table({}), "fairness: no runs.\n"); }

}  // namespace
}  // namespace fairlead
