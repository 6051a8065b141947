#include "fairlead/running/experiments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "fairlead/running/experiment_numbers.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ExperimentsTest, EachFolderIsCarriedAndSaysEverything) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator("experiments")) {
    if (std::filesystem::exists(entry.path() / "experiment.yaml"))
      folders.insert(entry.path().filename());
  }
  for (const std::string& name : ExperimentNames()) {
    const auto file = ReadExperiment(name, ReadFile);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_EQ(folders.erase(file->name), 1u) << name;
    EXPECT_FALSE(file->expected.empty()) << name;
    EXPECT_FALSE(file->expected_quick.empty()) << name;
    EXPECT_FALSE(file->time.empty() || file->quick_time.empty()) << name;
    const auto readme = ReadFile("experiments/" + name + "/README.md");
    ASSERT_TRUE(readme.has_value()) << readme.error().message;
    EXPECT_NE(readme->find("fairlead experiment " + name), std::string::npos) << name;
  }
  EXPECT_TRUE(folders.empty()) << *folders.begin();
}

TEST(ExperimentsTest, AFileIsReadStrictly) {
  const std::string text =
      R"({question: q, refuted_by: r, grids: [{scenario: firm, policies: [edf-h],
    numbers: {'a/{world}': hit_rate}}], claims: {a/firm: {paper: 2, none: 1}}})";
  const std::string expected = R"({"version": 1, "full": {"a/b": {"value": 2, "tolerance": 0.5}}})";
  const auto read = ParseExperiment("x", text, expected);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->expected.at(0).name, "a/b");
  EXPECT_EQ(read->expected.at(0).tolerance, 0.5);
  EXPECT_TRUE(read->expected_quick.empty());
  EXPECT_EQ(read->grids.at(0).worlds.at(0).name, "firm");
  EXPECT_EQ(read->claims.at(0).paper, 2);
  EXPECT_FALSE(ParseExperiment("x", "{question: q}", expected).has_value());
  EXPECT_FALSE(ParseExperiment("x", text + "\nmore: 1", expected).has_value());
  EXPECT_FALSE(ParseExperiment("x", text, R"({"version": 2})").has_value());
  EXPECT_FALSE(
      ParseExperiment("x", text, R"({"version": 1, "full": {"a": {"value": 2}}})").has_value());
}

TEST(ExperimentsTest, PatternsLetInAndLeaveOut) {
  EXPECT_TRUE(FitsPatterns("a", {}));
  const std::vector<std::string> only = {"idle-*", "edf"};
  EXPECT_TRUE(FitsPatterns("idle-none", only));
  EXPECT_FALSE(FitsPatterns("edf-h", only));
  const std::vector<std::string> but = {"!learned", "!idle-*"};
  EXPECT_TRUE(FitsPatterns("edf-h", but));
  EXPECT_FALSE(FitsPatterns("idle-none", but));
}

// Two worlds with two points each, two policies and two seeds: a figure v that tells them apart,
// and w, which one policy has not.
ExperimentRows SampleRows() {
  std::vector<ExperimentRow> rows;
  for (const char* world : {"one", "two"}) {
    for (const double x : {1.0, 2.0}) {
      for (const char* policy : {"a", "b:drop=early"}) {
        for (const std::uint64_t seed : {1, 2}) {
          ExperimentRow& row = rows.emplace_back(ExperimentRow{world, x, policy, seed});
          const bool a = policy[0] == 'a';
          row.Add("v", (a ? 10 : 20) + x + static_cast<double>(seed) + (world[0] == 't' ? 100 : 0));
          if (a) row.Add("w", 0);
        }
      }
    }
  }
  return ExperimentRows({}, std::move(rows));
}

double ValueOf(std::string_view expression) {
  const auto value = Evaluate(expression, SampleRows(), {"one", 1, "a", 2});
  EXPECT_TRUE(value.has_value()) << value.error().message;
  return value.value_or(std::nan(""));
}

std::string WhyWrong(std::string_view expression) {
  const auto value = Evaluate(expression, SampleRows(), {"one", 1, "a", 2});
  return value.has_value() ? "" : value.error().message;
}

TEST(ExperimentNumbersTest, ExpressionsAreComputedWhereTheyStand) {
  EXPECT_EQ(ValueOf("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(ValueOf("-(1 - 3) * 2"), 4);
  EXPECT_EQ(ValueOf("v"), 13);
  EXPECT_EQ(ValueOf("v[b:drop=early] - v"), 10);
  EXPECT_EQ(ValueOf("v[@two]"), 113);
  EXPECT_EQ(ValueOf("v[b:drop=early@two]"), 123);
  EXPECT_EQ(ValueOf("v[*]"), 23);
  EXPECT_EQ(ValueOf("mean(v)"), 12.5);
  EXPECT_EQ(ValueOf("max(v, 20) + min(x, 5) + abs(0 - 2)"), 23);
  EXPECT_EQ(ValueOf("low(v) < 12.5"), 1);
  EXPECT_EQ(ValueOf("high(v) < 12.5"), 0);
}

TEST(ExperimentNumbersTest, WhatIsMissingMakesTheRestMissing) {
  EXPECT_TRUE(std::isnan(ValueOf("w[b:drop=early] + 1")));
  EXPECT_TRUE(std::isnan(ValueOf("v / w")));
  EXPECT_TRUE(std::isnan(ValueOf("w[b:drop=early] < 1")));
}

TEST(ExperimentNumbersTest, WrongExpressionsSayWhy) {
  EXPECT_THAT(WhyWrong("nothing"), HasSubstr("no run has a figure 'nothing'"));
  EXPECT_THAT(WhyWrong("v[c]"), HasSubstr("there is no policy 'c'"));
  EXPECT_THAT(WhyWrong("v[@three]"), HasSubstr("there is no world 'three'"));
  EXPECT_THAT(WhyWrong("least(v)"), HasSubstr("there is no function 'least'"));
  EXPECT_THAT(WhyWrong("(v"), HasSubstr("expected ')'"));
  EXPECT_THAT(WhyWrong("v v"), HasSubstr("column 3: expected an operator"));
  EXPECT_THAT(WhyWrong("v +"), HasSubstr("expected a value"));
  EXPECT_THAT(WhyWrong(""), HasSubstr("expected a value"));
}

TEST(ExperimentNumbersTest, NumbersAreMadeForEachWorldAndPolicy) {
  ExperimentResults results;
  const std::vector<NumberSpec> specs = {
      {.name = "v/{world}/{policy}", .of = "v"},
      {.name = "ratio/{policy}", .of = "v / v[a]", .policies = {"!a"}},
      {.name = "{one}-over-{other}",
       .of = "mean(v[{one}]) / mean(v[{other}])",
       .over = NumberSpec::Over::kPoints,
       .with = {{{"one", "b:drop=early"}, {"other", "a"}}}},
      {.name = "above", .of = "v > 12", .over = NumberSpec::Over::kCount},
      {.name = "none", .of = "w[b:drop=early]"}};
  const Status added = AddNumbers(specs, SampleRows(), results);
  ASSERT_TRUE(added.has_value()) << added.error().message;
  std::vector<std::string> names;
  for (const ExperimentNumber& number : results.numbers) names.push_back(number.name);
  EXPECT_THAT(names, ElementsAre("v/one/a", "v/one/b:drop=early", "v/two/a", "v/two/b:drop=early",
                                 "ratio/b:drop=early", "b:drop=early-over-a", "above"));
  EXPECT_EQ(results.numbers[0].estimate.mean, 13);  // the mean of 12.5 and 13.5
  EXPECT_EQ(results.numbers[0].estimate.count, 2u);
  EXPECT_NEAR(results.numbers[5].estimate.mean, (22.5 / 12.5 + 23.5 / 13.5) / 2, 1e-12);
  EXPECT_EQ(results.numbers[6].estimate.mean, 1);  // at the point 2, of the first seed
}

constexpr const char* kShort = R"(
question: q
refuted_by: r
grids:
  - scenario: firm
    settings: {horizon: 400ms, warm_up: 100ms, load: 1.2}
    worlds: {short: {}}
    policies: [edf-h, 'edf-h:drop=early']
    groups: {all: '*'}
    numbers:
      'overall/{world}/{policy}': hit_rate
      'met/{policy}': all.met_share - agreements.met_share
    figures:
      - {over: distribution, name: rates, x: hit_rates}
      - {over: worlds, name: frontier, x: hit_rate, y: agreements.min}
)";

ExperimentResults RunShort(const ExperimentPlan& plan, const std::string& text = kShort) {
  const auto file = ParseExperiment("short", text, "");
  EXPECT_TRUE(file.has_value()) << file.error().message;
  auto results = RunExperiment(*file, plan);
  EXPECT_TRUE(results.has_value()) << results.error().message;
  return results.value_or(ExperimentResults{});
}

TEST(ExperimentRunsTest, EveryPolicyIsRunWithEverySeed) {
  std::atomic<double> told = 0;
  const ExperimentResults results =
      RunShort({.seed = 4, .seeds = 3, .progressed = [&](double share) { told = share; }});
  EXPECT_EQ(told, 1);
  ASSERT_THAT(results.numbers, SizeIs(4));
  EXPECT_EQ(results.numbers[1].name, "overall/short/edf-h:drop=early");
  EXPECT_EQ(results.numbers[1].estimate.count, 3u);
  EXPECT_EQ(results.numbers[2].estimate.mean, 0);
  ASSERT_THAT(results.figures, SizeIs(2));
  EXPECT_THAT(results.figures[0].csv, HasSubstr("edf-h:drop=early,,"));
  EXPECT_THAT(results.figures[1].figure.svg, HasSubstr("edf-h:drop=early"));
  ASSERT_THAT(results.tables, SizeIs(1));
  EXPECT_THAT(results.tables[0].rows, SizeIs(2));
}

TEST(ExperimentRunsTest, AQuickPlanHasATenthOfTheTime) {
  std::string longer = kShort;
  longer.replace(longer.find("400ms"), 5, "4s");
  longer.replace(longer.find("100ms"), 5, "1s");
  const ExperimentResults whole = RunShort({.seeds = 2});
  const ExperimentResults quick = RunShort({.quick = true, .seeds = 10}, longer);
  for (std::size_t i = 0; i < whole.numbers.size(); ++i)
    EXPECT_EQ(quick.numbers[i].estimate.mean, whole.numbers[i].estimate.mean);
}

TEST(ExperimentRunsTest, MorePoliciesMayCompete) {
  const ExperimentResults results = RunShort({.seeds = 1, .policies = {"random"}});
  EXPECT_EQ(results.numbers.at(2).name, "overall/short/random");
  const auto file = ParseExperiment("short", kShort, "");
  const auto wrong = RunExperiment(*file, {.seeds = 1, .policies = {"randon"}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("did you mean 'random'"));
}

TEST(ExperimentRunsTest, WhatIsNotThereIsAnError) {
  for (const char* text :
       {"{question: q, refuted_by: r, grids: [{scenario: nowhere, policies: [edf-h]}]}",
        "{question: q, refuted_by: r, grids: [{runs: nothing}]}"}) {
    const auto file = ParseExperiment("x", text, "");
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_FALSE(RunExperiment(*file, {}).has_value()) << text;
  }
}

std::string KeptText(const std::string& path) { return ReadFile(path).value_or(""); }

TEST(ExperimentRunsTest, GoesOnFromWhatHasFinished) {
  const std::string path = testing::TempDir() + "short.runs.csv";
  std::filesystem::remove(path);
  const ExperimentPlan plan{.seeds = 2, .jobs = 1, .runs_file = path};
  const ExperimentResults whole = RunShort(plan);
  const std::string all = KeptText(path);
  // As if it had been killed while it wrote the last task, and one value had been another.
  std::string part = all.substr(0, all.size() - 10);
  const std::size_t at = part.find(",hit_rate,") + 10;
  part.replace(at, part.find('\n', at) - at, "7");
  std::ofstream(path) << part;
  const ExperimentResults again = RunShort(plan);
  EXPECT_GT(again.numbers[0].estimate.mean, 3);  // what was kept was taken as it stands
  EXPECT_EQ(again.numbers[1].estimate.mean, whole.numbers[1].estimate.mean);
  const std::string end = KeptText(path);
  EXPECT_EQ(std::ranges::count(end, '\n'), std::ranges::count(all, '\n'));
  // Another scenario has other runs.
  std::string other = kShort;
  other.replace(other.find("1.2"), 3, "1.3");
  EXPECT_LT(RunShort(plan, other).numbers[0].estimate.mean, 1);
}

TEST(ExperimentRunsTest, AStopKeepsWhatHasFinished) {
  const std::string path = testing::TempDir() + "stopped.runs.csv";
  std::filesystem::remove(path);
  std::stop_source stop;
  const auto file = ParseExperiment("short", kShort, "");
  ASSERT_TRUE(file.has_value());
  const auto results =
      RunExperiment(*file, {.seeds = 2,
                            .jobs = 1,
                            .runs_file = path,
                            .progressed = [&](double /*share*/) { stop.request_stop(); },
                            .stop = stop.get_token()});
  EXPECT_FALSE(results.has_value());
  EXPECT_THAT(KeptText(path), HasSubstr(",short,0,edf-h,1,hit_rate,"));
  EXPECT_THAT(KeptText(path), testing::Not(HasSubstr(",short,0,edf-h,2,hit_rate,")));
}

TEST(ExperimentRunsTest, SharingWorldsTakeSettings) {
  const auto worlds = SharingWorlds(
      {"x", "sharing/weights-1-2-4", {{"deadline", "5"}, {"arrivals_times", "2"}}}, {});
  const auto plain = SharingWorlds({"x", "sharing/weights-1-2-4"}, {.quick = true});
  ASSERT_TRUE(worlds.has_value() && plain.has_value());
  ASSERT_THAT(worlds->points, SizeIs(5));
  ASSERT_THAT(plain->points, SizeIs(3));
  EXPECT_EQ(worlds->points[2].second->deadline, 5);
  EXPECT_EQ(worlds->points[2].second->arrivals[0], 2 * plain->points[1].second->arrivals[0]);
}

// Quick ones come out as expected, number by number.
class QuickExperiments : public ::testing::TestWithParam<std::string> {};

TEST_P(QuickExperiments, ComeOutAsExpected_slow) {
  const auto file = ReadExperiment(GetParam(), ReadFile);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  auto results = RunExperiment(*file, {.quick = true});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Surprises({.heading = {},
                         .results = std::move(*results),
                         .expected = file->expected_quick,
                         .claims = file->claims}),
              IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Names, QuickExperiments,
                         ::testing::Values("fairness", "firm", "energy", "newcomers", "weights",
                                           "unequal-load"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace fairlead
