#include "fairlead/scheduling/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kNoTime{};

class GuardTest : public EngineTest {
 protected:
  void MakeGuarded(GuardOptions options = Options()) {
    Make({.wrong_plan = WrongPlan::kSkip}).set_policy_factory([this](std::string_view) {
      return MakeScripted();
    });
    guard_.emplace(std::move(options), "scripted");
  }
  static GuardOptions Options() {
    return {.fallback = "other",
            .decision = Duration{5},
            .idle = Duration{20},
            .strikes = 3,
            .within = Duration{1000},
            .back = Duration{100}};
  }

  void At(std::int64_t now) { engine_->Advance(AtNanoseconds(now)); }
  std::vector<std::string> Texts(std::span<const GuardAct> acts) {
    std::vector<std::string> words;
    for (const GuardAct& act : acts) {
      words.push_back(Describe(act));
      std::visit([this](const auto& what) { engine_->Apply(what); }, act);
    }
    return words;
  }
  // Decides by the script, in so much time; what the guard does then.
  std::vector<std::string> After(Scripted::Script script, Duration took = kNoTime) {
    EXPECT_TRUE(Decide(std::move(script)).has_value());
    return Texts(guard_->AfterCommit(*engine_, took));
  }
  std::vector<std::string> AfterNothing(Duration took = kNoTime) {
    return After([](const SystemView&, SchedulingPlan&) {}, took);
  }
  std::vector<std::string> AfterWrongPlan() {
    return After(
        [](const SystemView& view, SchedulingPlan& plan) { plan.Wake(view.now() - Duration{1}); });
  }
  void Tell(const Input& input) {
    engine_->Apply(input);
    guard_->NoteInput(input, *engine_);
  }
  std::vector<std::string> Timer() { return Texts(guard_->OnTimer(*engine_)); }
  const GuardBooks& books() const { return engine_->guard_books(); }

  std::optional<PolicyGuard> guard_;
};

TEST_F(GuardTest, HasNothingToSayAboutAPolicyThatDoesNotErr) {
  MakeGuarded();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(After([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); },
                    Duration{5}),
              IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), kNever);
  Arrive(kChain);  // waits while something runs
  EXPECT_THAT(AfterNothing(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), kNever);
}

TEST_F(GuardTest, LetsTheFallbackTakeOverAfterSoManyStrikes) {
  MakeGuarded();
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan"));
  EXPECT_THAT(AfterNothing(Duration{6}), ElementsAre("strike: slow-decision"));
  EXPECT_THAT(AfterNothing(), IsEmpty());
  seen_.clear();
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
  EXPECT_THAT(seen_, ElementsAre(EventKind::kPolicyChanged));
  EXPECT_TRUE(engine_->DecisionDue());
  EXPECT_EQ(books().Strikes(StrikeCause::kWrongPlan), 2U);
  EXPECT_EQ(books().Strikes(StrikeCause::kSlowDecision), 1U);
  EXPECT_EQ(books().fallbacks, 1U);
}

TEST_F(GuardTest, AWrongPlanThatIsSlowTooIsOneStrike) {
  MakeGuarded();
  EXPECT_THAT(After([](const SystemView& view,
                       SchedulingPlan& plan) { plan.Wake(view.now() - Duration{1}); },
                    Duration{6}),
              ElementsAre("strike: wrong-plan"));
}

TEST_F(GuardTest, ForgetsStrikesInTime) {
  MakeGuarded();
  for (std::int64_t now : {0, 400, 1001, 1401}) {  // the last three within 1001
    At(now);
    EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan")) << now;
  }
  At(2001);
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
}

TEST_F(GuardTest, OneStrikeMayBeEnough) {
  GuardOptions options = Options();
  options.strikes = 1;
  MakeGuarded(options);
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
}

TEST_F(GuardTest, AMachineThatStandsIdleIsAStrikeAgainAndAgain) {
  MakeGuarded();
  At(7);
  Arrive(kChain);
  EXPECT_THAT(AfterNothing(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(27));
  At(20);
  EXPECT_THAT(Timer(), IsEmpty());
  At(27);
  EXPECT_THAT(Timer(), ElementsAre("strike: idle-machine"));
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(47));
  At(47);
  EXPECT_THAT(AfterNothing(), ElementsAre("strike: idle-machine"));  // a decision is no excuse
  At(67);
  EXPECT_THAT(Timer(), ElementsAre("strike: idle-machine", "other takes over"));
}

TEST_F(GuardTest, APromiseThatIsLostInWaitingCounts) {
  MakeGuarded();
  Arrive(kChain, 20);  // as long as it takes where it is fastest
  EXPECT_THAT(AfterNothing(), IsEmpty());
  At(20);
  EXPECT_THAT(Timer(), ElementsAre("strike: idle-machine"));
  At(40);
  EXPECT_THAT(Timer(), ElementsAre("strike: idle-machine"));
}

TEST_F(GuardTest, WhatCannotBeServedMayWait) {
  MakeGuarded();
  Arrive(kChain, 19);  // never in time
  EXPECT_THAT(AfterNothing(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), kNever);
  engine_->Apply(AcceleratorLoss{kNpu});
  engine_->Apply(AcceleratorLoss{kCpu});
  Arrive(kChain, 1000);  // nowhere to run
  EXPECT_THAT(AfterNothing(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), kNever);
  engine_->Apply(AcceleratorReturn{kCpu});
  EXPECT_THAT(AfterNothing(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(20));
}

TEST_F(GuardTest, WhatNoContractCoversMayWait) {
  MakeGuarded();
  engine_->Apply(AgreementChange{
      AgreementId{0},
      {.tenant = TenantId{0}, .network = kChain, .contract = Contract{.rate = 1, .burst = 1}}});
  const JobId covered = Arrive(kChain);
  Arrive(kChain);
  EXPECT_THAT(After([&](const SystemView&, SchedulingPlan& plan) {
                plan.Reject(covered, Reason::kOverload);
              }),
              IsEmpty());
  EXPECT_EQ(engine_->state().ready.size(), 1U);
  EXPECT_EQ(guard_->NextTimer(), kNever);
}

TEST_F(GuardTest, WhatCameLaterIsGivenAsMuchTime) {
  MakeGuarded();
  const JobId first = Arrive(kChain);
  EXPECT_THAT(AfterNothing(), IsEmpty());
  At(12);
  Arrive(kChain);
  EXPECT_THAT(After([&](const SystemView&, SchedulingPlan& plan) {
                plan.Reject(first, Reason::kOverload);
              }),
              IsEmpty());
  At(20);
  EXPECT_THAT(Timer(), IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(32));
  At(32);
  EXPECT_THAT(Timer(), ElementsAre("strike: idle-machine"));
}

TEST_F(GuardTest, StartingSomethingEndsTheIdleness) {
  MakeGuarded();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(AfterNothing(), IsEmpty());
  At(19);
  EXPECT_THAT(
      After([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); }),
      IsEmpty());
  EXPECT_EQ(guard_->NextTimer(), kNever);
}

TEST_F(GuardTest, ThePolicyComesBackWithoutStrikes) {
  MakeGuarded();
  At(10);
  for (int i = 0; i < 3; ++i) AfterWrongPlan();
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(110));
  At(50);
  EXPECT_THAT(AfterWrongPlan(), IsEmpty());  // nobody stands behind the fallback
  EXPECT_THAT(AfterNothing(Duration{6}), IsEmpty());
  EXPECT_THAT(Timer(), IsEmpty());
  EXPECT_EQ(books().UnderFallback(engine_->state().now), Duration{40});
  At(110);
  EXPECT_THAT(Timer(), ElementsAre("scripted is back"));
  EXPECT_EQ(guard_->NextTimer(), kNever);
  EXPECT_EQ(books().returns, 1U);
  At(120);
  EXPECT_EQ(books().UnderFallback(engine_->state().now), Duration{100});
  AfterWrongPlan();
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan"));
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
  At(130);
  EXPECT_EQ(books().UnderFallback(engine_->state().now), Duration{110});
}

TEST_F(GuardTest, ThePolicyMayBeGoneForGood) {
  GuardOptions options = Options();
  options.back.reset();
  MakeGuarded(options);
  for (int i = 0; i < 3; ++i) AfterWrongPlan();
  EXPECT_EQ(books().fallbacks, 1U);
  EXPECT_EQ(guard_->NextTimer(), kNever);
}

TEST_F(GuardTest, APolicyThatIsChosenMeanwhileIsTheOneThatIsGuarded) {
  MakeGuarded();
  for (int i = 0; i < 3; ++i) AfterWrongPlan();
  At(30);
  Tell(PolicyChange{"third"});
  EXPECT_EQ(guard_->NextTimer(), kNever);
  for (int i = 0; i < 2; ++i) AfterWrongPlan();
  At(40);
  EXPECT_EQ(books().UnderFallback(engine_->state().now), Duration{30});
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
  At(140);
  EXPECT_THAT(Timer(), ElementsAre("third is back"));
}

TEST_F(GuardTest, MayBeWishedLater) {
  Make({.wrong_plan = WrongPlan::kSkip}).set_policy_factory([this](std::string_view) {
    return MakeScripted();
  });
  guard_.emplace(std::nullopt, "scripted");
  EXPECT_FALSE(guard_->on());
  EXPECT_EQ(guard_->NextTimer(), kNever);
  ASSERT_TRUE(Decide([](const SystemView& view, SchedulingPlan& plan) {
                plan.Wake(view.now() - Duration{1});
              }).has_value());
  GuardOptions options = Options();
  options.strikes = 1;
  Tell(GuardRules{options});
  ASSERT_TRUE(guard_->on());
  EXPECT_THAT(AfterNothing(), IsEmpty());  // what was before is past
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
}

TEST_F(GuardTest, OtherRulesBeginWithoutStrikesAndLeaveTheFallbackItsTime) {
  MakeGuarded();
  for (int i = 0; i < 2; ++i) AfterWrongPlan();
  GuardOptions options = Options();
  options.strikes = 2;
  options.back = Duration{7};
  Tell(GuardRules{options});
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan"));
  EXPECT_THAT(AfterWrongPlan(), ElementsAre("strike: wrong-plan", "other takes over"));
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(7));
  Tell(GuardRules{Options()});
  EXPECT_EQ(guard_->NextTimer(), AtNanoseconds(7));
  At(7);
  EXPECT_THAT(Timer(), ElementsAre("scripted is back"));
}

TEST_F(GuardTest, WrongPlansDoNotStopARunThatIsGuardedFromNowOn) {
  Make();
  engine_->Apply(GuardRules{Options()});
  EXPECT_TRUE(Decide([](const SystemView& view, SchedulingPlan& plan) {
                plan.Wake(view.now() - Duration{1});
              }).has_value());
}

}  // namespace
}  // namespace fairlead
