#include "fairlead/policies/floor_credits.h"

#include <gtest/gtest.h>

#include <optional>

#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

constexpr AgreementId kOfChain{std::size_t{0}};

// A chain takes 20 ns where it is fastest, of two accelerators: 10 ns of the machine. With a floor
// of a quarter that is earned in 40.
class FloorCreditsTest : public EngineTest {
 protected:
  void MakeWithFloor(std::optional<double> floor = 0.25, std::optional<Contract> contract = {}) {
    Make();
    ServiceAgreement agreement = engine_->view().ledger().Promise(kOfChain);
    agreement.floor = floor.value_or(0);
    agreement.contract = contract;
    engine_->Apply(AgreementChange{kOfChain, agreement});
    credits_ = {};
    entitlement_ = {};
    entitlement_.Refresh(engine_->view());
  }
  void At(std::int64_t now) { engine_->Advance(AtNanoseconds(now)); }
  JobId Ask(NetworkId network = kChain) {
    const JobId job = Arrive(network);
    credits_.Observe(engine_->view(), {.kind = EventKind::kJobArrived, .job = job}, entitlement_);
    return job;
  }
  void Run(JobId job, SegmentId segment = kFirst, int units = 1) {
    ASSERT_TRUE(Decide([=](const SystemView&, SchedulingPlan& plan) {
                  plan.Start(kCpu, job, segment, {.units = units});
                }).has_value());
    credits_.Observe(engine_->view(),
                     {.kind = EventKind::kSegmentStarted, .assignment = backend_.started.back().id},
                     entitlement_);
  }
  // As it stands.
  void End(JobId job, Outcome outcome) {
    credits_.Observe(engine_->view(),
                     {.kind = EventKind::kJobFinished, .job = job, .outcome = outcome},
                     entitlement_);
  }
  bool Owed(JobId job) const { return credits_.Owed(engine_->view(), job, entitlement_); }

  Entitlement entitlement_;
  FloorCredits credits_;
};

TEST_F(FloorCreditsTest, OwesNothingWithoutAFloor) {
  MakeWithFloor(std::nullopt);
  EXPECT_FALSE(Owed(Ask()));
  MakeWithFloor();
  EXPECT_FALSE(Owed(Ask(kFork)));
}

TEST_F(FloorCreditsTest, OwesARequestAtOnceAndTheNextWhenItIsEarned) {
  MakeWithFloor();
  const JobId first = Ask();
  const JobId second = Ask();
  EXPECT_TRUE(Owed(first));
  EXPECT_TRUE(Owed(second));  // either of them
  Run(first);
  EXPECT_TRUE(Owed(first));
  EXPECT_FALSE(Owed(second));
  At(39);
  EXPECT_FALSE(Owed(second));
  At(40);
  EXPECT_TRUE(Owed(second));
}

TEST_F(FloorCreditsTest, PaysOncePerRequest) {
  MakeWithFloor();
  const JobId first = Ask();
  Run(first);
  At(20);
  engine_->Apply(SegmentFinish{backend_.started.back().id});
  Run(first, kSecond);
  EXPECT_TRUE(Owed(first));
  const JobId second = Ask();
  At(40);
  EXPECT_TRUE(Owed(second));
}

TEST_F(FloorCreditsTest, CountsWhatIsServedAnyway) {
  MakeWithFloor();
  Run(Ask());
  const JobId served = Ask();
  Run(served);  // although it is not owed
  EXPECT_FALSE(Owed(served));
  End(served, Outcome::kHit);
  const JobId third = Ask();
  At(79);
  EXPECT_FALSE(Owed(third));
  At(80);
  EXPECT_TRUE(Owed(third));
}

TEST_F(FloorCreditsTest, CountsNothingThatWasServedInVain) {
  MakeWithFloor();
  Run(Ask());
  const JobId dropped = Ask();
  Run(dropped);  // although it is not owed
  End(dropped, Outcome::kDropped);
  const JobId third = Ask();
  At(40);
  EXPECT_TRUE(Owed(third));
}

TEST_F(FloorCreditsTest, GivesBackWhatWasLeftToDo) {
  MakeWithFloor();
  const JobId dropped = Ask();
  Run(dropped);
  At(20);  // half of it is earned again
  engine_->Apply(SegmentFinish{backend_.started.back().id});
  const JobId next = Ask();
  EXPECT_FALSE(Owed(next));
  End(dropped, Outcome::kDropped);  // of its two segments one has run
  EXPECT_TRUE(Owed(next));
}

TEST_F(FloorCreditsTest, SavesASecondAndOwesNoMore) {
  MakeWithFloor(1e-8);  // 10 ns a second
  Run(Ask());
  const std::int64_t second = 1'000'000'000;
  At(100 * second);
  const JobId first = Ask();
  const JobId next = Ask();
  EXPECT_TRUE(Owed(first));
  Run(first);
  EXPECT_FALSE(Owed(next));  // a hundred seconds save for one request
  Run(next);
  End(next, Outcome::kHit);
  const JobId third = Ask();
  Run(third);
  End(third, Outcome::kHit);  // the debt is that of one, not two
  const JobId last = Ask();
  At(101 * second);
  EXPECT_FALSE(Owed(last));
  At(103 * second);
  EXPECT_TRUE(Owed(last));
}

TEST_F(FloorCreditsTest, OwesNothingBeyondAContract) {
  MakeWithFloor(0.25, Contract{.rate = 1, .burst = 1});
  const JobId covered = Ask();
  const JobId beyond = Ask();
  EXPECT_TRUE(Owed(covered));
  EXPECT_FALSE(Owed(beyond));
}

TEST_F(FloorCreditsTest, KnowsNothingOfThoseThatCameBeforeIt) {
  MakeWithFloor();
  EXPECT_FALSE(Owed(Arrive(kChain)));
}

}  // namespace
}  // namespace fairlead
