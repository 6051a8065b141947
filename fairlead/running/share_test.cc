#include "fairlead/running/share.h"

#include <gtest/gtest.h>

#include "fairlead/scenario/files.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

constexpr const char* kSmall = R"(
name: small
mechanisms: [most-token-first, 'gandiva-fair:scope=pool', time-equal]
thresholds: 'fixed:0.2'
rounds: 60
queue_utilities: [40%, 80%]
accelerators:
  - {kind: slow, count: 3}
  - {kind: fast, count: 3}
applications:
  - {name: big, rates: {slow: 2, fast: 3}}
  - {name: small, rates: {slow: 40, fast: 50}}
agents:
  - {name: light, count: 2}
  - {name: heavy, count: 1, weight: 2}
)";

std::string WhyNot(const std::string& text) {
  const auto scenario = ParseSharingScenario("s.yaml", text);
  return scenario.has_value() ? "" : scenario.error().message;
}

std::string With(const std::string& old_text, const std::string& new_text) {
  std::string text = kSmall;
  text.replace(text.find(old_text), old_text.size(), new_text);
  return text;
}

TEST(ShareTest, RunsEachMechanismAtEachQueueUtility) {
  const auto scenario = ParseSharingScenario("s.yaml", kSmall);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  EXPECT_EQ(scenario->thresholds, "fixed:0.2");
  // An agent of weight 1 of 4 has a quarter of 3 x 2 + 3 x 3 inferences; 40 % of that arrive.
  EXPECT_NEAR(scenario->worlds[0].arrivals[0], 0.4 * 15 / 4, 1e-12);
  SharePlan plan{.entries = {}, .seed = 1, .seeds = 2, .envy = true};
  for (const std::string& mechanism : scenario->mechanisms)
    plan.entries.push_back({mechanism, scenario->thresholds});
  const auto runs = RunShare(*scenario, plan);
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->size(), 12u);
  for (const ShareRun& run : *runs) {
    EXPECT_EQ(run.phi.size(), 3u);
    ASSERT_EQ(run.classes.size(), 2u);
    EXPECT_NEAR(run.classes[0].throughput * 2 + run.classes[1].throughput, run.throughput, 1e-9);
  }
  const std::vector<ShareFigures> figures = SumUp(*runs, plan);
  ASSERT_EQ(figures.size(), 6u);
  EXPECT_NEAR(figures[4].welfare, ((*runs)[7].welfare + (*runs)[10].welfare) / 2, 1e-12);
  for (const ShareFigures& row : figures) {
    EXPECT_GT(row.welfare, 0) << row.entry.mechanism;
    EXPECT_LE(row.of_oracle, 1 + 1e-6) << row.entry.mechanism;
    EXPECT_GE(row.of_fair_oracle, row.of_oracle - 1e-9) << row.entry.mechanism;
    if (row.entry.mechanism != "time-equal") continue;
    EXPECT_EQ(row.least_phi, 1);  // against itself
    EXPECT_EQ(row.largest_cost_phi, 1);
    EXPECT_NEAR(row.gaining, 1, 1e-9);
  }
  const auto again = RunShare(*scenario, plan);
  for (std::size_t i = 0; i < runs->size(); ++i) EXPECT_EQ((*runs)[i].welfare, (*again)[i].welfare);
}

// All applications for equal times: 2 and 40 inferences in a round on the slow kind are 21, 3 and
// 50 are 26.5 on the fast one.
TEST(ShareTest, AgentsRunOneApplicationOrAll) {
  const auto all = ParseSharingScenario("s.yaml", With("rounds: 60", "agents_run: all"));
  ASSERT_TRUE(all.has_value()) << all.error().message;
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(all->worlds[0].rate(a, 0), 21'000'000);
    EXPECT_EQ(all->worlds[0].rate(a, 5), 26'500'000);
  }
  const auto fixed =
      ParseSharingScenario("s.yaml", With("rounds: 60", "arrivals: 10\ndeadline: 0"));
  ASSERT_TRUE(fixed.has_value()) << fixed.error().message;
  EXPECT_EQ(fixed->worlds[0].deadline, 0);
  EXPECT_NEAR(fixed->worlds[1].arrivals[0], 8, 1e-9);  // at 80 %, weight 1
  EXPECT_NEAR(fixed->worlds[1].arrivals[2], 16, 1e-9);
}

// Agents with networks of their own learn on other arrivals before, and the same seed learns the
// same.
TEST(ShareTest, OwnLearnersLearnBeforeTheRun) {
  const auto scenario = ParseSharingScenario("s.yaml", kSmall);
  SharePlan plan{.entries = {{"most-token-first", "own-actor-critics:episodes=0"},
                             {"most-token-first", "own-actor-critics:episodes=3"},
                             {"most-token-first", "own-actor-critics:episodes=3"}}};
  const auto runs = RunShare(*scenario, plan);
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  EXPECT_NE((*runs)[0].welfare, (*runs)[1].welfare);
  EXPECT_EQ((*runs)[1].welfare, (*runs)[2].welfare);
}

TEST(ShareTest, RefusesWhatMakesNoSense) {
  EXPECT_NE(WhyNot(With("weight: 2", "weight: -2")).find(": weight: "), std::string::npos);
  EXPECT_NE(WhyNot(With("fixed:0.2", "fixed:1")).find("expected a number in [0, 1)"),
            std::string::npos);
  EXPECT_NE(WhyNot(With("name: heavy", "name: light")).find("there are two agents 'light.0'"),
            std::string::npos);
  EXPECT_NE(WhyNot(With("fast: 50", "fast: .nan")), "");
  EXPECT_NE(WhyNot(With(", fast: 50", "")), "");
  EXPECT_NE(WhyNot(With("time-equal", "no-such")).find("there is no mechanism 'no-such'"),
            std::string::npos);
  EXPECT_EQ(WhyNot(kSmall), "");
}

TEST(MechanismRegistryTest, EveryMechanismHasItsNameAndTakesItsSamples) {
  const auto market = Market::Make({{"a", 1}}, {{}});
  ASSERT_TRUE(market.has_value());
  for (const MechanismEntry& entry : Mechanisms()) {
    const auto made = entry.choose({})->make(*market);
    ASSERT_TRUE(made.has_value()) << entry.name;
    EXPECT_EQ((*made)->Name(), entry.name);
    for (const OptionInfo& option : entry.options) {
      for (const std::string& value : option.samples) {
        std::string spec(entry.name);
        spec += ":" + std::string(option.key) + "=" + value;
        EXPECT_TRUE(ChooseMechanism(spec).has_value()) << spec;
      }
    }
  }
}

TEST(ShareTest, ShippedScenariosAreTheThesissOwn) {
  for (const char* file :
       {"scenarios/sharing/equal.yaml", "scenarios/sharing/weights-1-2.yaml",
        "scenarios/sharing/weights-1-2-4.yaml", "scenarios/sharing/weights-1-2-8.yaml",
        "scenarios/sharing/homogeneous.yaml"}) {
    const auto scenario = ParseSharingScenario(file, *ReadFile(file));
    ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
    EXPECT_EQ(scenario->worlds.size(), 5u);
    EXPECT_EQ(scenario->worlds[0].market.agents(), 20);
    EXPECT_EQ(scenario->worlds[0].market.accelerators(), 40);
    EXPECT_EQ(scenario->worlds[0].rounds, 300);
    EXPECT_EQ(scenario->worlds[0].deadline, 3);
  }
}

}  // namespace
}  // namespace fairlead
