// What ends jobs from outside, and what changes under them: deadlines, networks, beliefs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

TEST_F(EngineTest, AnExpiryGivesUpWhatIsLate) {
  SchedulingEngine& engine = Make({.late = LateJobs::kDrop});
  Arrive(kChain, 500);
  const JobId job = Arrive(kChain, 100);
  Arrive(kFork, 200);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  EXPECT_EQ(engine.NextExpiry(), AtNanoseconds(101));
  engine.Advance(AtNanoseconds(100));
  engine.Apply(Expiry{});
  EXPECT_THAT(ends_.outcomes, ElementsAre());
  engine.Advance(AtNanoseconds(101));
  engine.Apply(Expiry{});
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kDropped));
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kLate));
  EXPECT_THAT(backend_.cut, ElementsAre(backend_.started[0].id));
  EXPECT_EQ(engine.NextExpiry(), AtNanoseconds(201));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  EXPECT_EQ(engine.state().accelerators[0].free_units, 1);
}

TEST_F(EngineTest, NothingExpiresWhereLateJobsAreFinished) {
  SchedulingEngine& engine = Make();
  Arrive(kChain, 100);
  EXPECT_EQ(engine.NextExpiry(), kNever);
  engine.Advance(AtNanoseconds(200));
  engine.Apply(Expiry{});
  EXPECT_THAT(ends_.outcomes, ElementsAre());
}

TEST_F(EngineTest, KeepsNoDeadlinesOfJobsThatHaveEnded) {
  SchedulingEngine& engine = Make({.late = LateJobs::kDrop});
  for (std::uint64_t serial = 1; serial <= 1000; ++serial)
    engine.Apply(Cancellation{{Arrive(kChain, 1'000'000), serial}});
  EXPECT_EQ(engine.NextExpiry(), kNever);
  Arrive(kChain, 2000);
  EXPECT_EQ(engine.NextExpiry(), AtNanoseconds(2001));
}

TEST_F(EngineTest, CutsABatchOnlyWhenNobodyWantsIt) {
  SchedulingEngine& engine = Make();
  const std::vector<JobId> jobs = {Arrive(kChain), Arrive(kChain)};
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }).has_value());
  engine.Apply(Cancellation{{jobs[0], 1}});
  EXPECT_THAT(backend_.cut, ElementsAre());
  engine.Apply(Cancellation{{jobs[1], 2}});
  EXPECT_THAT(backend_.cut, ElementsAre(backend_.started[0].id));
}

TEST_F(EngineTest, JobsOfANetworkThatIsUnloadedEnd) {
  SchedulingEngine& engine = Make();
  const JobId running = Arrive(kChain);
  Arrive(kChain);
  Arrive(kFork);
  ASSERT_TRUE(Start(running, kFirst).has_value());
  engine.Apply(NetworkUnload{kChain});
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kDropped, Outcome::kRejected));
  EXPECT_THAT(backend_.cut, ElementsAre(backend_.started[0].id));
  EXPECT_EQ(engine.state().ready.size(), 1U);  // of the other network
}

TEST_F(EngineTest, BeliefsChangeForWhatIsLeft) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  const std::uint64_t version = engine.state().beliefs_version;
  EXPECT_EQ(engine.state().jobs[job.index()].work_left, Duration{20});
  engine.Apply(BeliefChange{kChain, kSecond, KindId{std::size_t{0}}, 1, 1, Duration{14}});
  EXPECT_GT(engine.state().beliefs_version, version);
  EXPECT_EQ(engine.state().jobs[job.index()].work_left, Duration{24});
  EXPECT_EQ(engine.state().beliefs->ShortestTail(kChain, kFirst), Duration{24});
  EXPECT_EQ(costs_->ShortestTail(kChain, kFirst), Duration{20});  // the world's are its own
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_EQ(engine.state().beliefs->ShortestTail(kChain, kFirst), Duration{40});
  engine.Apply(AcceleratorReturn{kNpu});
  EXPECT_EQ(engine.state().beliefs->ShortestTail(kChain, kFirst), Duration{24});
}

}  // namespace
}  // namespace fairlead
