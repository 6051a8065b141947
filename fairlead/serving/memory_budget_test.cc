#include "fairlead/serving/memory_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace fairlead {
namespace {

// A sixteenth of 1600 is kept for operators: 1500 for the others.
TEST(MemoryBudgetTest, OneTenantGetsHalf) {
  MemoryBudget budget(1600);
  auto greedy = budget.Open({"greedy", "a"});
  EXPECT_TRUE(greedy.Hold(750));
  EXPECT_FALSE(greedy.Hold(751));
  EXPECT_EQ(greedy.bytes(), 750);
  EXPECT_EQ(budget.refusals(), 1U);
  auto another = budget.Open({"greedy", "a"});
  EXPECT_FALSE(another.Hold(1));
  auto quiet = budget.Open({"quiet", "a"});
  EXPECT_TRUE(quiet.Hold(300));
}

TEST(MemoryBudgetTest, AnAddressWithManyTenantsLeavesAQuarter) {
  MemoryBudget budget(1600);
  std::vector<MemoryBudget::Share> shares;
  for (int i = 0; i < 50; ++i) {
    shares.push_back(budget.Open({"tenant " + std::to_string(i), "bad"}));
    shares.back().Hold(100);
  }
  EXPECT_LE(budget.used(), 1125);
  auto elsewhere = budget.Open({"quiet", "good"});
  EXPECT_TRUE(elsewhere.Hold(150));
}

TEST(MemoryBudgetTest, OperatorsHaveAReserve) {
  MemoryBudget budget(1600);
  auto all = budget.Open({"a", "a"});
  all.MustHold(1550);
  auto tenant = budget.Open({"b", "b"});
  EXPECT_FALSE(tenant.Hold(1));
  auto one = budget.Open({"", "c", true});
  EXPECT_TRUE(one.Hold(50));
  EXPECT_FALSE(one.Hold(51));
}

TEST(MemoryBudgetTest, WhatGoesIsGivenBack) {
  MemoryBudget budget(1600);
  {
    auto share = budget.Open({"a", "a"});
    EXPECT_TRUE(share.Hold(700));
    auto moved = std::move(share);
    EXPECT_FALSE(share.open());
    EXPECT_TRUE(moved.Hold(500));
    EXPECT_EQ(budget.used(), 500);
  }
  EXPECT_EQ(budget.used(), 0);
}

TEST(MemoryBudgetTest, WhoWaitsIsCalledInTurn) {
  MemoryBudget budget(1600);
  auto holds = budget.Open({"a", "a"});
  ASSERT_TRUE(holds.Hold(700));
  auto first = budget.Open({"a", "a"});
  auto second = budget.Open({"a", "a"});
  auto third = budget.Open({"a", "a"});
  std::vector<int> called;
  EXPECT_TRUE(budget.Wait(first, 500, [&] { called.push_back(1); }));
  EXPECT_TRUE(budget.Wait(second, 10, [&] { called.push_back(2); }));  // does not overtake
  EXPECT_TRUE(budget.Wait(third, 10, [&] { called.push_back(3); }));
  EXPECT_TRUE(called.empty());
  EXPECT_TRUE(budget.Forget(second));
  EXPECT_FALSE(budget.Forget(second));
  auto other = budget.Open({"b", "b"});
  bool at_once = false;
  EXPECT_TRUE(budget.Wait(other, 100, [&] { at_once = true; }));
  EXPECT_TRUE(at_once);
  holds.Close();
  EXPECT_EQ(called, (std::vector<int>{1, 3}));
  EXPECT_EQ(budget.used(), 610);
}

}  // namespace
}  // namespace fairlead
