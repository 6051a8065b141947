// Promises that a policy gives up for a while: what the engine allows, keeps and ends by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr AgreementId kOfChain{std::size_t{0}};
constexpr AgreementId kOfFork{std::size_t{1}};
constexpr AgreementId kNobody{std::size_t{2}};

struct Changes final : RunListener {
  std::vector<std::string> seen;
  void JobEnded(const Job&, Outcome, Reason, Instant) override {}
  void SegmentEnded(const Assignment&, Instant) override {}
  void PromiseSacrificed(AgreementId id, Instant now) override { Add("sacrificed", id, now); }
  void PromiseRestored(AgreementId id, Instant now) override { Add("restored", id, now); }
  void Add(const char* what, AgreementId id, Instant now) {
    seen.push_back(std::to_string(Nanoseconds(now)) + " " + what + " " + std::to_string(id.value));
  }
};

// The chain has a target, the fork nothing but best effort.
class SacrificeTest : public EngineTest {
 protected:
  SchedulingEngine& MakePromising() {
    SchedulingEngine& engine = Make();
    engine.set_listener(&changes_);
    engine.set_policy_factory([this](std::string_view) { return MakeScripted(); });
    Promise(0.9);
    return engine;
  }
  void Promise(std::optional<double> target) {
    ServiceAgreement agreement = engine_->view().ledger().Promise(kOfChain);
    agreement.target = target;
    engine_->Apply(AgreementChange{kOfChain, agreement});
  }
  void At(std::int64_t now) { engine_->Advance(AtNanoseconds(now)); }
  std::string Sacrifice(AgreementId id = kOfChain) {
    return Complaint([=](const SystemView&, SchedulingPlan& plan) { plan.Sacrifice(id); });
  }
  std::string Restore(AgreementId id = kOfChain) {
    return Complaint([=](const SystemView&, SchedulingPlan& plan) { plan.Restore(id); });
  }
  bool Sacrificed() const { return engine_->view().Sacrificed(kOfChain); }
  const SacrificeBooks& Books() const { return engine_->view().ledger().Sacrifices(kOfChain); }

  Changes changes_;
};

TEST_F(SacrificeTest, IsSeenByThePolicyUntilItIsTakenBack) {
  MakePromising();
  EXPECT_FALSE(Sacrificed());
  At(10);
  EXPECT_EQ(Sacrifice(), "");
  EXPECT_TRUE(Sacrificed());
  At(30);
  EXPECT_EQ(Restore(), "");
  EXPECT_FALSE(Sacrificed());
  EXPECT_THAT(changes_.seen, ElementsAre("10 sacrificed 0", "30 restored 0"));
}

TEST_F(SacrificeTest, HasBooks) {
  MakePromising();
  At(10);
  Sacrifice();
  At(30);
  Restore();
  At(45);
  Sacrifice();
  EXPECT_EQ(Books().times, 2);
  EXPECT_EQ(Books().since, AtNanoseconds(45));
  EXPECT_EQ(Books().Time(AtNanoseconds(50)), Duration{25});
}

TEST_F(SacrificeTest, CountsTheRequestsThatEndMeanwhile) {
  MakePromising();
  const auto reject = [this](JobId job) {
    return Decide([=](const SystemView&, SchedulingPlan& plan) {
             plan.Reject(job, Reason::kOverload);
           })
        .has_value();
  };
  const JobId before = Arrive(kChain);
  const JobId meanwhile = Arrive(kChain);
  const JobId after = Arrive(kChain);
  EXPECT_TRUE(reject(before));
  Sacrifice();
  EXPECT_TRUE(reject(meanwhile));
  Restore();
  EXPECT_TRUE(reject(after));
  EXPECT_EQ(Books().ended.ended(), 1);
  EXPECT_EQ(Books().ended.Of(Outcome::kRejected), 1);
}

TEST_F(SacrificeTest, OfNobodyIsAWrongPlan) {
  MakePromising();
  EXPECT_THAT(Sacrifice(kNobody), HasSubstr("no such agreement"));
  EXPECT_THAT(Restore(kNobody), HasSubstr("no such agreement"));
  EXPECT_THAT(Sacrifice(kNobody), HasSubstr("\n > sacrifice agreement 2 (unknown)"));
}

TEST_F(SacrificeTest, NeedsAPromise) {
  MakePromising();
  EXPECT_THAT(Sacrifice(kOfFork), HasSubstr("has no promise"));
  EXPECT_THAT(Sacrifice(kOfFork), HasSubstr("\n > sacrifice t's fork"));
  engine_->Apply(AgreementEnd{kOfChain});
  EXPECT_THAT(Sacrifice(kOfChain), HasSubstr("or has ended"));
}

TEST_F(SacrificeTest, HappensOnce) {
  MakePromising();
  EXPECT_THAT(Restore(), HasSubstr("restore of a promise that is not sacrificed"));
  EXPECT_EQ(Sacrifice(), "");
  EXPECT_THAT(Sacrifice(), HasSubstr("sacrificed already"));
  EXPECT_EQ(Restore(), "");
  EXPECT_THAT(Complaint([](const SystemView&, SchedulingPlan& plan) {
                plan.Sacrifice(kOfChain);
                plan.Sacrifice(kOfChain);
              }),
              HasSubstr("sacrificed already"));
}

TEST_F(SacrificeTest, OutlastsAChangeOfThePromiseButNotItsEnd) {
  MakePromising();
  Sacrifice();
  Promise(0.5);
  EXPECT_TRUE(Sacrificed());
  Promise(std::nullopt);
  EXPECT_FALSE(Sacrificed());
}

TEST_F(SacrificeTest, EndsWithTheAgreement) {
  MakePromising();
  Sacrifice();
  engine_->Apply(AgreementEnd{kOfChain});
  EXPECT_FALSE(Sacrificed());
}

TEST_F(SacrificeTest, EndsWhenTheTenantLeaves) {
  MakePromising();
  Sacrifice();
  engine_->Apply(TenantLeave{TenantId{std::size_t{0}}});
  EXPECT_FALSE(Sacrificed());
}

TEST_F(SacrificeTest, GoesOnWithBooksOfAnotherRun) {
  MakePromising();
  At(10);
  Sacrifice();
  AgreementHistory history;
  history.time = Duration{1'000'000};
  engine_->Apply(AgreementContinue{kOfChain, history});
  EXPECT_TRUE(Sacrificed());
  EXPECT_EQ(Books().Time(AtNanoseconds(15)), Duration{5});
}

TEST_F(SacrificeTest, IsNotInheritedByAnotherPolicy) {
  const Input changes[] = {PolicyChange{"other"}, GuardFallback{"other"}, GuardReturn{"scripted"}};
  for (const Input& change : changes) {
    MakePromising();
    Sacrifice();
    engine_->Apply(change);
    EXPECT_FALSE(Sacrificed());
    EXPECT_EQ(Sacrifice(), "");
  }
}

// Whoever decided it is not in charge any more when it is carried out.
TEST_F(SacrificeTest, OfAPlanThatWasHeldIsNotInheritedEither) {
  MakePromising();
  script_ = [](const SystemView&, SchedulingPlan& plan) { plan.Sacrifice(kOfChain); };
  engine_->Decide();
  engine_->Apply(PolicyChange{"other"});
  ASSERT_TRUE(engine_->Commit().has_value());
  EXPECT_FALSE(Sacrificed());
  EXPECT_EQ(engine_->counters().stale_entries, 1U);
  EXPECT_EQ(engine_->counters().plan_faults, 0U);
}

}  // namespace
}  // namespace fairlead
