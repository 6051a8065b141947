// Thresholds that are learned: each finds in a small world what is best there.
#include <gtest/gtest.h>

#include "fairlead/sharing/actor_critic.h"
#include "fairlead/sharing/hedge.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

// Thresholds are the same in each round for agent 1; agent 0's are counted.
int RoundsBelow(ThresholdChooser& chooser, SharingMechanism& mechanism, const Reports& world,
                int rounds, double threshold) {
  int below = 0;
  Reports reports = world;
  Allocation allocation;
  for (int r = 0; r < rounds; ++r) {
    chooser.Choose(mechanism, reports);
    if (reports.thresholds[0] < threshold) ++below;
    mechanism.Allocate(reports, allocation);
    chooser.Observe(reports, allocation);
  }
  return below;
}

// One accelerator that both want at 0.55: who asks for more than that gets it only by turns, for
// nothing, if the other one asks for more too.
Reports OneForTwo() { return {.utilities = {0.55, 0.55}}; }

TEST(HedgeTest, LearnsToAskForWhatThereIs) {
  const Market market = MarketOf({1, 1}, 1, 1);
  const auto mechanism = *MakeMostTokenFirst(market, {});
  const auto hedge = MakeHedge(market, {}, 1);
  RoundsBelow(*hedge, *mechanism, OneForTwo(), 2000, 0.6);
  // 600 would be chance. More than that does not follow: who is poor, or has its turn for nothing,
  // loses nothing by asking for more.
  EXPECT_GT(RoundsBelow(*hedge, *mechanism, OneForTwo(), 1000, 0.6), 700);
}

TEST(HedgeTest, TheSameSeedChoosesTheSame) {
  const Market market = MarketOf({1, 2}, 1, 1);
  std::vector<std::vector<double>> chosen;
  for (const std::uint64_t seed : {1, 1, 2}) {
    const auto mechanism = *MakeMostTokenFirst(market, {});
    const auto hedge = MakeHedge(market, {}, seed);
    Reports reports = OneForTwo();
    hedge->Choose(*mechanism, reports);
    chosen.push_back(reports.thresholds);
  }
  EXPECT_EQ(chosen[0], chosen[1]);
  EXPECT_NE(chosen[0], chosen[2]);
}

// The gradient of the actor and of the critic, seen from outside: what pays is chosen more.
TEST(ActorCriticTest, LearnsToAskForWhatThereIs) {
  const Market market = MarketOf({1, 1}, 1, 1);
  const ActorCriticOptions options{.actor_rate = 0.05, .critic_rate = 0.05, .discount = 0.5};
  ActorCriticNetworks networks = NewActorCritic(options, 1);
  const auto mechanism = *MakeMostTokenFirst(market, {});
  const auto newcomer = MakeActor(market, networks.actor, 2);
  const auto other = *MakeMostTokenFirst(market, {});
  const int before = RoundsBelow(*newcomer, *other, OneForTwo(), 200, 0.6);
  const auto learner = MakeActorCriticLearner(market, options, std::span(&networks, 1), 1);
  RoundsBelow(*learner, *mechanism, OneForTwo(), 20'000, 0.6);
  const auto fresh = *MakeMostTokenFirst(market, {});
  const auto actor = MakeActor(market, networks.actor, 2);
  const int after = RoundsBelow(*actor, *fresh, OneForTwo(), 200, 0.6);
  EXPECT_LT(before, 170);
  EXPECT_GT(after, 190);
}

TEST(ActorCriticTest, AnActorComesBackFromItsFile) {
  const ActorCriticNetworks networks = NewActorCritic({}, 3);
  const auto read = ParseNetwork(FormatNetwork(networks.actor), kActorName, kActorVersion);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->outputs(), kThresholds);
  EXPECT_FALSE(ParseNetwork(FormatNetwork(networks.critic), kActorName, kActorVersion).has_value());
}

}  // namespace
}  // namespace fairlead
