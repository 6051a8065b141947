#include "fairlead/sharing/testing/mechanism_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

Reports RandomReports(const Market& market, RandomStream& random) {
  Reports reports;
  for (int i = 0; i < market.agents() * market.groups(); ++i)
    reports.utilities.push_back(random.Below(3) == 0 ? 0
                                                     : 0.1 * static_cast<double>(random.Below(10)));
  for (int a = 0; a < market.agents(); ++a)
    reports.thresholds.push_back(0.1 * static_cast<double>(random.Below(10)));
  return reports;
}

void ExpectSound(const MechanismUnderTest& under_test, const Market& market, const Reports& reports,
                 const Allocation& allocation) {
  if (allocation.divided) {
    EXPECT_TRUE(allocation.holder.empty());
    return;
  }
  ASSERT_EQ(allocation.holder.size(), static_cast<std::size_t>(market.accelerators()));
  for (int g = 0; g < market.groups(); ++g) {
    double most = 0;
    for (int a = 0; a < market.agents(); ++a) most = std::max(most, reports.utility(market, a, g));
    for (int c = market.first_of(g); c < market.first_of(g) + market.group(g).count; ++c) {
      const int holder = allocation.holder[static_cast<std::size_t>(c)];
      ASSERT_GE(holder, Allocation::kNobody);
      ASSERT_LT(holder, market.agents());
      if (under_test.hands_out_all || most > 0) {
        EXPECT_NE(holder, Allocation::kNobody) << under_test.name << ": " << c << " is idle";
      }
      if (!under_test.hands_out_all && holder != Allocation::kNobody) {
        EXPECT_GT(reports.utility(market, holder, g), 0) << under_test.name;
      }
    }
  }
}

Reports AllAlike(const Market& market, double utility) {
  Reports reports;
  reports.utilities.assign(market.of_group(market.agents(), 0), utility);
  return reports;
}

}  // namespace

Market MarketOf(const std::vector<std::int64_t>& weights, int accelerators, int kinds) {
  std::vector<SharingAgent> agents;
  for (const std::int64_t weight : weights) {
    std::string name = "a";
    agents.push_back({.name = name += std::to_string(agents.size()), .weight = weight});
  }
  std::vector<AcceleratorGroup> groups;
  for (int c = 0; c < accelerators; ++c) groups.push_back({.kind = c % kinds, .count = 1});
  auto market = Market::Make(std::move(agents), groups);
  EXPECT_TRUE(market.has_value());
  return std::move(*market);
}

std::vector<std::int64_t> CountHeld(SharingMechanism& mechanism, const Market& market,
                                    const Reports& reports, int rounds) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(market.agents()));
  Allocation allocation;
  for (int r = 0; r < rounds; ++r) {
    mechanism.Allocate(reports, allocation);
    for (const int holder : allocation.holder) {
      if (holder != Allocation::kNobody) ++held[static_cast<std::size_t>(holder)];
    }
  }
  return held;
}

void ExpectSoundAndDeterministic(const MechanismUnderTest& under_test) {
  RandomStream random(7, "mechanism laws");
  for (int world = 0; world < under_test.worlds; ++world) {
    std::vector<std::int64_t> weights(1 + random.Below(7));
    for (std::int64_t& weight : weights) weight = 1 + static_cast<std::int64_t>(random.Below(8));
    const Market market = MarketOf(weights, 1 + static_cast<int>(random.Below(8)));
    const auto first = under_test.make(market);
    const auto second = under_test.make(market);
    Allocation left;
    Allocation right;
    for (int round = 0; round < 20; ++round) {
      const Reports reports = RandomReports(market, random);
      ASSERT_TRUE(CheckReports(market, reports).has_value());
      first->Allocate(reports, left);
      second->Allocate(reports, right);
      ExpectSound(under_test, market, reports, left);
      ASSERT_EQ(left.holder, right.holder) << under_test.name;
    }
  }
}

void ExpectZeroUtilitiesToDo(const MechanismUnderTest& under_test) {
  const Market market = MarketOf({1, 2, 3}, 5);
  const auto mechanism = under_test.make(market);
  const auto held = CountHeld(*mechanism, market, AllAlike(market, 0), 10);
  Allocation allocation;
  mechanism->Allocate(AllAlike(market, 0), allocation);
  if (allocation.divided) return;
  EXPECT_EQ(std::accumulate(held.begin(), held.end(), std::int64_t{0}),
            under_test.hands_out_all ? 50 : 0)
      << under_test.name;
}

void ExpectWeightsInTheLongRun(const MechanismUnderTest& under_test) {
  struct World {
    std::vector<std::int64_t> weights;
    int accelerators;
  };
  for (const World& world : {World{{1, 1, 1, 1}, 8}, World{{1, 2, 4}, 7}, World{{1, 2, 8}, 10},
                             World{{3, 1}, 1}, World{{1, 1, 2, 2, 4}, 3}}) {
    constexpr int kRounds = 2000;
    const Market market = MarketOf(world.weights, world.accelerators, under_test.kinds);
    const auto mechanism = under_test.make(market);
    const auto held = CountHeld(*mechanism, market, AllAlike(market, 0.5), kRounds);
    for (int a = 0; a < market.agents(); ++a) {
      const double share = static_cast<double>(market.weight(a)) /
                           static_cast<double>(market.total_weight()) * world.accelerators *
                           kRounds;
      EXPECT_NEAR(static_cast<double>(held[static_cast<std::size_t>(a)]), share,
                  0.02 * share + 2 * world.accelerators)
          << under_test.name << ", agent " << a << " of " << market.agents();
    }
  }
}

void ExpectOrderOfListsDecidesNothing(const MechanismUnderTest& under_test) {
  constexpr int kAgents = 5;
  constexpr int kAccelerators = 7;
  const Market market = MarketOf({1, 2, 3, 5, 8}, kAccelerators);
  const Market turned = MarketOf({8, 5, 3, 2, 1}, kAccelerators);  // of seven, kinds stay the same
  const auto mechanism = under_test.make(market);
  const auto other = under_test.make(turned);
  RandomStream random(1, "order of lists");
  for (int r = 0; r < 200; ++r) {
    Reports reports;
    Reports reversed;
    for (int i = 0; i < kAgents * kAccelerators; ++i) reports.utilities.push_back(random.Uniform());
    reversed.utilities.assign(reports.utilities.rbegin(), reports.utilities.rend());
    Allocation allocation;
    Allocation mirrored;
    mechanism->Allocate(reports, allocation);
    other->Allocate(reversed, mirrored);
    std::ranges::reverse(mirrored.holder);
    for (int& holder : mirrored.holder) holder = holder < 0 ? holder : kAgents - 1 - holder;
    ASSERT_EQ(allocation.holder, mirrored.holder) << under_test.name << ", round " << r;
  }
}

}  // namespace fairlead
