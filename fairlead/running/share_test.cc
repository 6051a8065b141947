#include "fairlead/running/share.h"

#include <gtest/gtest.h>

#include "fairlead/config/files.h"
#include "fairlead/config/mechanism_registry.h"

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
  EXPECT_EQ(scenario->threshold, 0.2);
  // An agent of weight 1 of 4 has a quarter of 3 x 2 + 3 x 3 inferences; 40 % of that arrive.
  EXPECT_NEAR(scenario->worlds[0].arrivals[0], 0.4 * 15 / 4, 1e-12);
  const SharePlan plan{.mechanisms = scenario->mechanisms,
                       .threshold = scenario->threshold,
                       .seed = 1,
                       .seeds = 2,
                       .envy = true};
  const auto figures = RunShare(*scenario, plan);
  ASSERT_TRUE(figures.has_value());
  ASSERT_EQ(figures->size(), 6u);
  for (const ShareFigures& row : *figures) {
    EXPECT_GT(row.welfare, 0) << row.mechanism;
    EXPECT_LE(row.of_oracle, 1 + 1e-6) << row.mechanism;
    EXPECT_GE(row.of_fair_oracle, row.of_oracle - 1e-9) << row.mechanism;
    if (row.mechanism != "time-equal") continue;
    EXPECT_EQ(row.least_phi, 1);  // against itself
    EXPECT_EQ(row.largest_cost_phi, 1);
    EXPECT_NEAR(row.gaining, 1, 1e-9);
  }
  const auto again = RunShare(*scenario, plan);
  for (std::size_t i = 0; i < figures->size(); ++i)
    EXPECT_EQ((*figures)[i].welfare, (*again)[i].welfare);
}

TEST(ShareTest, RefusesWhatMakesNoSense) {
  EXPECT_NE(WhyNot(With("weight: 2", "weight: -2")).find(": weight: "), std::string::npos);
  EXPECT_NE(WhyNot(With("fixed:0.2", "fixed:1")).find("expected fixed: and a number in [0, 1)"),
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
    if (made.has_value()) {
      EXPECT_EQ((*made)->Name(), entry.name);
    } else {
      EXPECT_EQ(entry.name, "themis");  // a build without CBC
    }
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
  }
}

}  // namespace
}  // namespace fairlead
