#include <gtest/gtest.h>

#include "fairlead/report/table.h"

namespace fairlead {
namespace {

RunFigures RunOf(const std::string& policy, std::uint64_t seed, int ann, int bob) {
  RunFigures run{.policy = policy, .seed = seed};
  for (const auto& [tenant, hits] : {std::pair("ann", ann), std::pair("bob", bob)}) {
    AgreementFigures agreement{.tenant = tenant, .network = "net"};
    agreement.counts.by_outcome[static_cast<std::size_t>(Outcome::kHit)] = hits;
    agreement.counts.by_outcome[static_cast<std::size_t>(Outcome::kMiss)] = 10 - hits;
    run.per_agreement.push_back(std::move(agreement));
  }
  return run;
}

TEST(IncentiveTableTest, ComparesTenantsWithThePartitionOfTheSameSeed) {
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, 9, 4), RunOf("static-partition", 1, 6, 8),
                                        RunOf("static-partition", 2, 1, 1)};
  const auto figures = IncentivesOf(runs[0], runs);
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->against, "static-partition");
  EXPECT_EQ(figures->phi, (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(figures->gaining, 0.5);
  EXPECT_EQ(FormatIncentives(runs),
            "phi against static-partition      of tenants >= 1, %    min   mean\n"
            "edf-h                                           50.0  0.500  1.000\n");
}

TEST(IncentiveTableTest, SaysNothingWhereNobodyHadAShareOfItsOwn) {
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, 9, 4),
                                        RunOf("static-partition", 2, 6, 8)};
  EXPECT_FALSE(IncentivesOf(runs[0], runs).has_value());
  EXPECT_FALSE(IncentivesOf(runs[1], runs).has_value());
  EXPECT_EQ(FormatIncentives(runs), "");
}

TEST(IncentiveTableTest, NothingOverNothingIsNoLoss) {
  const std::vector<RunFigures> runs = {RunOf("edf-h", 1, 0, 1),
                                        RunOf("static-partition", 1, 0, 1)};
  EXPECT_EQ(IncentivesOf(runs[0], runs)->phi, (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace fairlead
