#include "fairlead/report/summary.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace fairlead {
namespace {

RunFigures OneRun(std::string policy, std::uint64_t seed, std::optional<double> hit_rate) {
  RunFigures run;
  run.policy = std::move(policy);
  run.seed = seed;
  run.hit_rate = hit_rate;
  return run;
}

// a has 0.5 and 0.7, b has 0.6 and 0.9 on the same seeds, and 0.1 on another.
std::vector<RunFigures> Runs() {
  return {OneRun("a", 1, 0.5), OneRun("b", 1, 0.6), OneRun("a", 2, 0.7), OneRun("b", 2, 0.9),
          OneRun("b", 3, 0.1)};
}

Estimate HitRate(const std::vector<SummaryFigure>& figures) {
  for (const SummaryFigure& figure : figures) {
    if (figure.group.empty() && figure.name == "hit_rate") return figure.estimate;
  }
  throw std::runtime_error("no hit rate");
}

// Of two values x and y the 95 % interval is half as wide as t * |x - y| / 2, with t = 12.706.
constexpr double kT = 12.7062047361747;

TEST(Summarise, GroupsRunsByPolicy) {
  EXPECT_EQ(Summarise(Runs()).policies[1].seeds, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Summarise, AveragesOverSeeds) {
  EXPECT_DOUBLE_EQ(HitRate(Summarise(Runs()).policies[0].figures).mean, 0.6);
}

TEST(Summarise, GivesAnInterval) {
  EXPECT_NEAR(*HitRate(Summarise(Runs()).policies[0].figures).half_width, kT * 0.1, 1e-9);
}

TEST(Summarise, OneSeedHasNoInterval) {
  const std::vector<RunFigures> runs = {OneRun("a", 1, 0.5)};
  EXPECT_FALSE(HitRate(Summarise(runs).policies[0].figures).half_width.has_value());
}

TEST(Summarise, PassesOverSeedsWithoutTheFigure) {
  const std::vector<RunFigures> runs = {OneRun("a", 1, 0.5), OneRun("a", 2, std::nullopt)};
  EXPECT_EQ(HitRate(Summarise(runs).policies[0].figures).count, 1u);
}

TEST(Summarise, ComparesWithTheEarlierPolicy) {
  EXPECT_EQ(Summarise(Runs()).differences.front().against, "a");
}

TEST(Summarise, ComparesOnCommonSeeds) {
  EXPECT_EQ(Summarise(Runs()).differences.front().seeds, (std::vector<std::uint64_t>{1, 2}));
}

TEST(Summarise, AveragesPairedDifferences) {
  // 0.6 - 0.5 and 0.9 - 0.7
  EXPECT_NEAR(HitRate(Summarise(Runs()).differences.front().figures).mean, 0.15, 1e-12);
}

TEST(Summarise, PairedDifferencesHaveTheirOwnInterval) {
  EXPECT_NEAR(*HitRate(Summarise(Runs()).differences.front().figures).half_width, kT * 0.05, 1e-9);
}

TEST(Summarise, ComparesAllPairsOfAFewPolicies) {
  std::vector<RunFigures> runs;
  for (const char* name : {"a", "b", "c", "d"}) runs.push_back(OneRun(name, 1, 0.5));
  EXPECT_EQ(Summarise(runs).differences.size(), 6u);
}

TEST(Summarise, ComparesManyPoliciesWithTheFirst) {
  std::vector<RunFigures> runs;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
    runs.push_back(OneRun(name, 1, 0.5));
  EXPECT_EQ(Summarise(runs).differences.size(), 8u);
}

TEST(Summarise, NothingIsNothing) { EXPECT_TRUE(Summarise({}).policies.empty()); }

}  // namespace
}  // namespace fairlead
