// What the start of a segment finds on its accelerator, as the engine believes it.
#include <gtest/gtest.h>

#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

constexpr KindId kNpuKind{std::size_t{0}};
constexpr KindId kCpuKind{std::size_t{1}};

// Taking over costs 3 on the npu and 4 on the cpu; moving 100 and 1 a byte to the npu, 200 to the
// cpu. After the first segment of the chain 5 bytes are alive.
class HandOverTest : public EngineTest {
 protected:
  HandOverTest() {
    HandOverCosts costs(2);
    costs.SetTakeOver(kNpuKind, Duration{3});
    costs.SetTakeOver(kCpuKind, Duration{4});
    costs.SetMove(kCpuKind, kNpuKind, {Duration{100}, 1'000'000'000});
    costs.SetMove(kNpuKind, kCpuKind, {Duration{200}, 0});
    costs_->SetHandOvers(costs);
    costs_->SetAliveBytes(kChain, kFirst, 5);
    Make();
  }

  Status StartOn(AcceleratorId accelerator, JobId job, SegmentId segment, int units = 0) {
    return Decide([=](const SystemView&, SchedulingPlan& plan) {
      plan.Start(accelerator, job, segment, {.units = units});
    });
  }
  void Finish(std::int64_t at) {
    engine_->Advance(AtNanoseconds(at));
    engine_->Apply(SegmentFinish{backend_.started.back().id});
  }
  const Assignment& last() const { return backend_.started.back(); }
};

TEST_F(HandOverTest, WhoComesFirstTakesOver) {
  ASSERT_TRUE(StartOn(kNpu, Arrive(kChain), kFirst).has_value());
  EXPECT_TRUE(last().hand_over.takes_over);
  EXPECT_EQ(last().believed_latency, Duration{10 + 3});
  EXPECT_EQ(engine_->state().accelerators[0].believed_free, AtNanoseconds(13));
}

TEST_F(HandOverTest, GoingOnCostsNothing) {
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(StartOn(kNpu, job, kFirst).has_value());
  Finish(13);
  ASSERT_TRUE(StartOn(kNpu, job, kSecond).has_value());
  EXPECT_EQ(last().believed_latency, Duration{10});
  EXPECT_EQ(engine_->counters().moves, 0U);
  EXPECT_EQ(engine_->counters().take_overs, 1U);
}

TEST_F(HandOverTest, AfterAnotherJobItTakesOverAgain) {
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(StartOn(kNpu, job, kFirst).has_value());
  Finish(13);
  ASSERT_TRUE(StartOn(kNpu, Arrive(kFork), kFirst).has_value());
  Finish(20);
  ASSERT_TRUE(StartOn(kNpu, job, kSecond).has_value());
  EXPECT_EQ(last().believed_latency, Duration{10 + 3});
  EXPECT_EQ(last().hand_over.moves, 0U);
}

TEST_F(HandOverTest, AMoveCostsItsBytes) {
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(StartOn(kCpu, job, kFirst).has_value());
  EXPECT_EQ(last().believed_latency, Duration{20 + 4});
  Finish(24);
  EXPECT_EQ(engine_->view().HandOverCost(job, kSecond, kNpu), Duration{100 + 5 + 3});
  EXPECT_EQ(engine_->view().HandOverCost(job, kSecond, kCpu), Duration{0});
  ASSERT_TRUE(StartOn(kNpu, job, kSecond).has_value());
  EXPECT_EQ(last().hand_over.moves, 1U);
  EXPECT_EQ(last().hand_over.moved_bytes, 5);
  EXPECT_EQ(last().believed_latency, Duration{10 + 100 + 5 + 3});
  EXPECT_EQ(engine_->counters().moves, 1U);
  EXPECT_EQ(engine_->counters().moved_bytes, 5);
}

TEST_F(HandOverTest, ABatchTakesOverOnceAndFetchesEachOfItsJobs) {
  const JobId jobs[] = {Arrive(kChain), Arrive(kChain)};
  for (JobId job : jobs) {
    ASSERT_TRUE(StartOn(kCpu, job, kFirst).has_value());
    Finish(Nanoseconds(engine_->state().now) + 24);
  }
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kSecond);
              }).has_value());
  EXPECT_EQ(last().hand_over.moves, 2U);
  EXPECT_EQ(last().believed_latency, Duration{15 + 3 + 2 * 105});
}

TEST_F(HandOverTest, WhatWaitedInTheQueueFindsWhatIsThereWhenItBegins) {
  const JobId first = Arrive(kChain);
  const JobId second = Arrive(kChain);
  ASSERT_TRUE(StartAndEnqueue(first, second).has_value());
  EXPECT_EQ(engine_->state().accelerators[0].believed_free, AtNanoseconds(13 + 13));
  Finish(13);
  EXPECT_TRUE(last().hand_over.takes_over);
  Finish(26);
  ASSERT_TRUE(StartOn(kNpu, second, kSecond).has_value());
  EXPECT_FALSE(last().hand_over.takes_over);
}

// Which units a job had is not known, so that others beside it count as before it.
TEST_F(HandOverTest, OnADividedAcceleratorThoseBesideItCount) {
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(StartOn(kCpu, a, kFirst, 2).has_value());
  const AssignmentId first = last().id;
  ASSERT_TRUE(StartOn(kCpu, b, kFirst, 2).has_value());
  engine_->Advance(AtNanoseconds(44));
  engine_->Apply(SegmentFinish{first});
  EXPECT_EQ(engine_->view().HandOverCost(a, kSecond, kCpu), Duration{4});
}

TEST_F(HandOverTest, NobodyGoesOnAfterALoss) {
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(StartOn(kNpu, job, kFirst).has_value());
  Finish(13);
  engine_->Advance(AtNanoseconds(14));
  engine_->Apply(AcceleratorLoss{kNpu});
  engine_->Apply(AcceleratorReturn{kNpu});
  EXPECT_EQ(engine_->view().HandOverCost(job, kSecond, kNpu), Duration{3});
}

}  // namespace
}  // namespace fairlead
