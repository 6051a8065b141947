#include <gtest/gtest.h>

#include "fairlead/fairness/sharing_measures.h"

namespace fairlead {
namespace {

ParetoVerdict Judge(int agents, const std::vector<double>& utilities,
                    const std::vector<int>& holders) {
  return JudgePareto({.agents = agents, .utilities = utilities, .holders = holders});
}

TEST(ParetoTest, WhatNobodyHasUseForIsNoWaste) {
  EXPECT_EQ(Judge(2, {1, 0, 1, 0}, {0, -1}), ParetoVerdict::kEfficient);
  EXPECT_EQ(Judge(2, {1, 0, 1, 0.1}, {0, -1}), ParetoVerdict::kImprovable);
  EXPECT_EQ(Judge(2, {1, 0, 1, 0.1}, {0, 0}), ParetoVerdict::kImprovable);
}

TEST(ParetoTest, ASwapImproves) {
  EXPECT_EQ(Judge(2, {0.2, 0.9, 0.9, 0.2}, {0, 1}), ParetoVerdict::kImprovable);
  EXPECT_EQ(Judge(2, {0.2, 0.9, 0.9, 0.2}, {1, 0}), ParetoVerdict::kEfficient);
}

// Each of three would rather have its neighbour's; no two can swap.
TEST(ParetoTest, ACycleOfThreeIsFound) {
  const std::vector<double> utilities = {0.5, 0.9, 0.1, 0.1, 0.5, 0.9, 0.9, 0.1, 0.5};
  EXPECT_EQ(Judge(3, utilities, {0, 1, 2}), ParetoVerdict::kImprovable);
  EXPECT_EQ(Judge(3, utilities, {2, 0, 1}), ParetoVerdict::kEfficient);
}

// One thing for two others: only trying all shows that it cannot be improved without parts.
TEST(ParetoTest, WhatOnlyPartsCouldImproveIsEfficient) {
  EXPECT_EQ(Judge(2, {1.0, 0.6, 1.0, 0.3}, {0, 1}), ParetoVerdict::kEfficient);
}

TEST(ParetoTest, ManyMayStayUndecided) {
  // A cycle of three among twenty things: too many divisions to try.
  std::vector<double> utilities(60, 0.0);
  for (std::size_t c = 0; c < 20; ++c) utilities[c % 3 * 20 + c] = 1;
  const std::vector<double> cycle = {0.5, 0.9, 0.1, 0.1, 0.5, 0.9, 0.9, 0.1, 0.5};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t c = 0; c < 3; ++c) utilities[a * 20 + c] = cycle[a * 3 + c];
  }
  std::vector<int> holders;
  for (int c = 0; c < 20; ++c) holders.push_back(c % 3);
  EXPECT_EQ(Judge(3, utilities, holders), ParetoVerdict::kUndecided);
}

}  // namespace
}  // namespace fairlead
