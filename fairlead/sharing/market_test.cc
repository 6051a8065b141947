#include "fairlead/sharing/market.h"

#include <gtest/gtest.h>

#include <limits>

#include "fairlead/sharing/token_ledger.h"

namespace fairlead {
namespace {

std::string WhyNot(const std::vector<SharingAgent>& agents,
                   const std::vector<AcceleratorGroup>& groups) {
  const auto market = Market::Make(agents, groups);
  return market.has_value() ? "" : market.error().message;
}

TEST(MarketTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(WhyNot({{"a", -1}}, {{}}), "agent 'a': a weight of -1; expected 1 to 1000000");
  EXPECT_EQ(WhyNot({{"a", 0}}, {{}}), "agent 'a': a weight of 0; expected 1 to 1000000");
  EXPECT_EQ(WhyNot({{"a", 1}, {"a", 2}}, {{}}), "there are two agents 'a'");
  EXPECT_EQ(WhyNot({}, {{}}), "sharing: there are no agents");
  EXPECT_EQ(WhyNot({{"a", 1}}, {}), "sharing: there are no accelerators");
  EXPECT_EQ(WhyNot({{"a", 1}}, {{.kind = 0, .count = 0}}),
            "a group of 0 accelerators; expected 1 or more");
  EXPECT_EQ(WhyNot({{"a", 1}}, {{.kind = 1, .count = 1}}), "kind 1 comes before kind 0");
  EXPECT_EQ(WhyNot({{"a", 1}, {"b", 2}}, {{.kind = 0, .count = 3}, {.kind = 0, .count = 1}}), "");
}

class ReportsTest : public testing::Test {
 protected:
  std::string WhyNot(const Reports& reports) const {
    const Status status = CheckReports(*market_, reports);
    return status.has_value() ? "" : status.error().message;
  }
  Result<Market> market_ =
      Market::Make({{"a", 1}, {"b", 1}}, {{.kind = 0, .count = 1}, {.kind = 0, .count = 1}});
};

TEST_F(ReportsTest, RefusesWhatMakesNoSense) {
  const std::vector<double> good = {0, 0.5, 0.5, 0};
  EXPECT_EQ(WhyNot({.utilities = good, .preferences = {0, 1, 1, 0}, .thresholds = {0, 0.9}}), "");
  EXPECT_EQ(WhyNot({.utilities = {0, 0, 0, std::numeric_limits<double>::quiet_NaN()}}),
            "agent 'b': utility 1 is nan; expected a finite number from 0");
  EXPECT_EQ(WhyNot({.utilities = {0, -0.5, 0, 0}}),
            "agent 'a': utility 1 is -0.5; expected a finite number from 0");
  EXPECT_EQ(WhyNot({.utilities = {0.5}}),
            "1 utilities; expected one for each of 2 agents and 2 groups");
  EXPECT_EQ(WhyNot({.utilities = good, .thresholds = {0, 1}}),
            "agent 'b': a threshold of 1; expected one in [0, 1)");
  EXPECT_EQ(WhyNot({.utilities = good, .thresholds = {-0.1, 0}}),
            "agent 'a': a threshold of -0.1; expected one in [0, 1)");
  EXPECT_EQ(WhyNot({.utilities = good, .preferences = {0, 0, 0, 1}}),
            "agent 'a': prefers group 0 twice");
  EXPECT_EQ(WhyNot({.utilities = good, .preferences = {0, 1, 0, 2}}),
            "agent 'b': prefers group 2; there are 2");
  EXPECT_EQ(WhyNot({.utilities = good, .rates = {1, -1}}),
            "agent 'b': rate 0 is -1; expected a finite number from 0");
}

TEST_F(ReportsTest, PrefersByUtilityThenByNumber) {
  std::vector<int> preferences;
  PreferByUtility(*market_, {.utilities = {0.1, 0.2, 0.3, 0.3}}, preferences);
  EXPECT_EQ(preferences, (std::vector<int>{1, 0, 0, 1}));
}

TEST(TokenLedgerTest, RefusesMoreTokensThanCanBeCounted) {
  const auto market = Market::Make({{"a", 1'000'000}, {"b", 1}}, {{}});
  ASSERT_TRUE(market.has_value());
  EXPECT_TRUE(TokenLedger::Make(*market, 1'000'000'000).has_value());
  EXPECT_FALSE(TokenLedger::Make(*market, std::int64_t{1} << 60).has_value());
  EXPECT_FALSE(TokenLedger::Make(*market, 0).has_value());
}

}  // namespace
}  // namespace fairlead
