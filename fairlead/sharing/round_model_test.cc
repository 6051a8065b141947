#include "fairlead/sharing/round_model.h"

#include <gtest/gtest.h>

#include "fairlead/sharing/agent_queues.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/oracle.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

TEST(AgentQueuesTest, WhatOutlastsARoundGoesOn) {
  AgentQueues queues(2, 0);
  queues.Arrive(0, 0, 0);
  EXPECT_EQ(queues.Serve(0, 600'000), 600'000);
  EXPECT_EQ(queues.Serve(1, 600'000), 0);
  EXPECT_EQ(queues.backlog(), 400'000);
  EXPECT_EQ(queues.Serve(0, 600'000), 400'000);
  EXPECT_EQ(queues.served(), kInference);
}

TEST(AgentQueuesTest, ArrivesAtTheShorterOfTwo) {
  AgentQueues queues(3, 0);
  queues.Arrive(0, 0, 1);
  queues.Arrive(0, 0, 1);
  queues.Arrive(0, 0, 1);
  EXPECT_EQ(queues.waiting(0), 2 * kInference);
  EXPECT_EQ(queues.waiting(1), kInference);
  EXPECT_EQ(queues.waiting(2), 0);
}

TEST(AgentQueuesTest, GivesUpWhatIsLateAndTheWorkInIt) {
  AgentQueues queues(1, 2);
  queues.Arrive(0, 0, 0);
  queues.Arrive(0, 0, 0);
  queues.Arrive(1, 0, 0);
  queues.Serve(0, 1'500'000);
  queues.Expire(1);
  EXPECT_EQ(queues.dropped(), 0);
  queues.Expire(2);
  EXPECT_EQ(queues.dropped(), 1);
  EXPECT_EQ(queues.served(), kInference);
  EXPECT_EQ(queues.backlog(), kInference);
  queues.Expire(3);
  EXPECT_EQ(queues.dropped(), 2);
  EXPECT_EQ(queues.backlog(), 0);
}

RoundWorld WorldOf(const std::vector<std::int64_t>& weights, int accelerators, double arrivals) {
  RoundWorld world{.market = MarketOf(weights, accelerators), .rates = {}, .arrivals = {}};
  for (std::size_t a = 0; a < weights.size(); ++a) {
    world.rates.insert(world.rates.end(), {2 * kInference, 3 * kInference});
    world.arrivals.push_back(arrivals * static_cast<double>(weights[a]));
  }
  return world;
}

// Chapter 1: two jobs of an hour each. One after the other they end after one hour and two; sharing
// time, both after two, so that one is worse off and nobody better. The second envies the first.
TEST(RoundModelTest, TwoJobsOfAnHour) {
  RoundWorld world{.market = MarketOf({1, 1}, 1, 1),
                   .rates = {kInference, kInference},
                   .arrivals = {0.5, 0.5},
                   .rounds = 2};
  // A seed under which each has its job, and no other, in the first hour.
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const RoundArrivals drawn(world, seed);
    if (drawn.Of(0, 0).size() != 1 || drawn.Of(1, 0).size() != 1) continue;
    if (drawn.Count(0) != 1 || drawn.Count(1) != 1) continue;
    const auto in_turns = *MakeMostTokenFirst(world.market, {});
    const RoundsOutcome one_by_one = RunRounds(world, drawn, {}, *in_turns);
    EXPECT_EQ(one_by_one.allocations[0].holder, (std::vector<int>{0}));
    EXPECT_EQ(one_by_one.allocations[1].holder, (std::vector<int>{1}));
    EXPECT_DOUBLE_EQ(one_by_one.agents[0].backlog, 0);
    EXPECT_DOUBLE_EQ(one_by_one.agents[1].backlog, 0.5);  // an hour's work, after one of two hours
    EXPECT_LT(ReplayRounds(world, drawn, one_by_one.allocations, 1, 0).backlog, 0.5);
    const auto sharing = MakeTimeEqual();
    const RoundsOutcome shared = RunRounds(world, drawn, {}, *sharing);
    for (const AgentOutcome& agent : shared.agents) {
      EXPECT_EQ(agent.served, kInference);
      EXPECT_DOUBLE_EQ(agent.backlog, 0.25);
    }
    return;
  }
  FAIL() << "no seed gives both a job in the first hour";
}

TEST(RoundModelTest, ServesNoMoreThanArrivesAndReplaysExactly) {
  const RoundWorld world = WorldOf({1, 2, 4}, 7, 1.5);
  const RoundArrivals arrivals(world, 3);
  const auto mechanism = *MakeMostTokenFirst(world.market, {});
  const auto half = MakeFixedThresholds(world.market, 0.5);
  const RoundsOutcome outcome = RunRounds(world, arrivals, {.thresholds = half.get()}, *mechanism);
  const std::vector<double> swapped = SwappedUtilities(world, arrivals, outcome.allocations);
  for (int a = 0; a < 3; ++a) {
    const AgentOutcome& agent = outcome.agents[static_cast<std::size_t>(a)];
    EXPECT_GT(agent.served, 0);
    EXPECT_LE(agent.served, agent.arrived * kInference);
    EXPECT_EQ(swapped[static_cast<std::size_t>(a * 3 + a)], agent.utility);
  }
}

TEST(RoundModelTest, MeanArrivalsAreAsAsked) {
  RoundWorld world = WorldOf({1, 3}, 4, 20);
  world.rounds = 1000;
  const RoundArrivals arrivals(world, 1);
  EXPECT_NEAR(static_cast<double>(arrivals.Count(0)), 20'000, 4 * 142);
  EXPECT_NEAR(static_cast<double>(arrivals.Count(1)), 60'000, 4 * 245);
}

TEST(OracleTest, NoMechanismExceedsIt) {
  const RoundWorld world = WorldOf({1, 1, 2, 4}, 6, 1.2);
  const RoundArrivals arrivals(world, 5);
  const auto exclusive = MakeTimeEqual();
  const RoundsOutcome alone = RunRounds(world, arrivals, {}, *exclusive);
  std::vector<double> floors;
  for (const AgentOutcome& agent : alone.agents) floors.push_back(agent.utility);
  const auto bound = OracleWelfare(world, arrivals, {});
  const auto fair = OracleWelfare(world, arrivals, floors);
  ASSERT_TRUE(bound.has_value() && fair.has_value());
  EXPECT_LE(*fair, *bound + 1e-9);
  const auto check = [&](SharingMechanism& mechanism) {
    const RoundsOutcome outcome = RunRounds(world, arrivals, {}, mechanism);
    double welfare = 0;
    for (std::size_t a = 0; a < 4; ++a)
      welfare += outcome.agents[a].utility *
                 static_cast<double>(world.market.weight(static_cast<int>(a))) / 8;
    EXPECT_LE(welfare, *bound + 1e-6) << mechanism.Name();
    EXPECT_GT(welfare, 0.5 * *bound) << mechanism.Name();
  };
  check(*MakeGreedy(world.market, {}));
  check(*MakeGandivaFair(world.market, {}));
  check(**MakeMostTokenFirst(world.market, {}));
  check(*exclusive);
}

// By hand: one agent, one accelerator of each of two kinds, rates 2 and 3; 4 inferences arrive in a
// round. It has all of them: 4 / 3 of its fastest rate.
TEST(OracleTest, IsAllThatArrivesWhereThereIsRoom) {
  RoundWorld world = WorldOf({1}, 2, 4);
  const RoundArrivals arrivals(world, 1);
  const auto bound = OracleWelfare(world, arrivals, {});
  ASSERT_TRUE(bound.has_value());
  EXPECT_NEAR(*bound, static_cast<double>(arrivals.Count(0)) / 3 / world.rounds, 1e-6);
}

// A deadline of 3 rounds; two inferences of round 0 and one of round 1 wait in round 1, half of the
// first is done. The former have one round more, the latter two: 1.5 / 2 + 1 / 4.
TEST(AgentQueuesTest, OldWorkIsAtStake) {
  AgentQueues queues(1, 3);
  queues.Arrive(0, 0, 0);
  queues.Arrive(0, 0, 0);
  queues.Arrive(1, 0, 0);
  queues.Serve(0, kInference / 2);
  EXPECT_DOUBLE_EQ(queues.AtStake(0, 10 * kInference, 1, 0.5), 1.0 * kInference);
  EXPECT_DOUBLE_EQ(queues.AtStake(0, kInference, 1, 0.5), 0.5 * kInference);
  EXPECT_DOUBLE_EQ(queues.AtStake(0, 10 * kInference, 2, 0.5), 2.0 * kInference);
  AgentQueues patient(1, 0);
  patient.Arrive(0, 0, 0);
  EXPECT_DOUBLE_EQ(patient.AtStake(0, 10 * kInference, 7, 0.5), 1.0 * kInference);
}

// One accelerator, agents 0 and 1 with an inference each in round 0 and again in round 2, all done
// in a round, a deadline of one round. Two of the four can be served; with a deadline of two rounds
// all.
TEST(DeadlineBoundTest, IsTheBestByHand) {
  RoundWorld world{.market = MarketOf({1, 1}, 1, 1),
                   .rates = {5 * kInference, 5 * kInference},
                   .arrivals = {1, 1},
                   .rounds = 4,
                   .deadline = 1};
  const std::vector<int> placed = {1, 0, 1, 0, 1, 0, 1, 0};
  const std::vector<double> values = {1, 1};
  EXPECT_NEAR(DeadlineBound(world, placed, values, 500), 2, 0.02);
  EXPECT_NEAR(DeadlineBound(world, placed, std::vector<double>{3, 1}, 500), 6, 0.02);
  world.deadline = 2;
  EXPECT_NEAR(DeadlineBound(world, placed, values, 500), 4, 0.02);
}

// All holders of all rounds are tried: never above the bound, and not far below.
TEST(DeadlineBoundTest, BoundsAllHolders) {
  RoundWorld world{.market = MarketOf({1, 1}, 1, 1),
                   .rates = {2 * kInference, 3 * kInference},
                   .arrivals = {2, 2},
                   .rounds = 9,
                   .deadline = 2};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RoundArrivals arrivals(world, seed);
    std::vector<int> placed;
    for (int a = 0; a < 2; ++a) {
      for (int r = 0; r < world.rounds; ++r)
        placed.push_back(static_cast<int>(arrivals.Of(a, r).size()));
    }
    const double bound = DeadlineBound(world, placed, std::vector<double>{1, 1}, 300) *
                         static_cast<double>(kInference);
    double best = 0;
    for (int holders = 0; holders < 1 << world.rounds; ++holders) {
      std::vector<Allocation> all;
      for (int r = 0; r < world.rounds; ++r) all.push_back({.holder = {(holders >> r) & 1}});
      double served = 0;
      for (int a = 0; a < 2; ++a)
        served += static_cast<double>(ReplayRounds(world, arrivals, all, a, a).served);
      best = std::max(best, served);
    }
    EXPECT_LE(best, bound + 1e-6) << seed;
    EXPECT_GE(best, 0.8 * bound) << seed;
  }
}

// Of its own accelerators an agent has what was at hand; of all of them together it is offered
// more.
TEST(RoundModelTest, WhatIsAtHandIsNotReplayed) {
  const RoundWorld world = WorldOf({1, 2, 4}, 7, 1.5);
  const RoundArrivals arrivals(world, 3);
  const auto mechanism = *MakeMostTokenFirst(world.market, {});
  const RoundsOutcome outcome = RunRounds(world, arrivals, {.keep_placed = true}, *mechanism);
  int placed = 0;
  for (const int inferences : outcome.placed) placed += inferences;
  std::int64_t arrived = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const AgentOutcome& agent = outcome.agents[a];
    arrived += agent.arrived;
    EXPECT_NEAR(outcome.at_hand[a * 3 + a], agent.utility, 1e-6 * agent.utility);
    double of_all = 0;
    for (std::size_t j = 0; j < 3; ++j) of_all += outcome.at_hand[a * 3 + j];
    EXPECT_LE(of_all, agent.offered + 1e-9);
    EXPECT_GT(of_all, outcome.at_hand[a * 3 + a]);
  }
  EXPECT_EQ(placed, arrived);
}

}  // namespace
}  // namespace fairlead
