#include "fairlead/execution/segment_run.h"

#include <gtest/gtest.h>

#include <thread>

#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;

Assignment WithUnits(int units) {
  Assignment assignment;
  assignment.units = units;
  return assignment;
}

TEST(SegmentRun, LastsAsLongAsItCosts) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(10), clock);
  clock.Advance(milliseconds(50));
  run.Begin();  // the time before does not count
  EXPECT_FALSE(run.Over());
  clock.Advance(milliseconds(10) - Duration{1});
  EXPECT_FALSE(run.Over());
  clock.Advance(Duration{1});
  EXPECT_TRUE(run.Over());
  EXPECT_FALSE(run.aborted());
}

TEST(SegmentRun, ResizeKeepsTheShareThatIsDone) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(12), clock);
  run.Begin();
  clock.Advance(milliseconds(4));
  run.Resize(milliseconds(6));  // two thirds are left: 4 ms
  clock.Advance(milliseconds(4) - Duration{1});
  EXPECT_FALSE(run.Over());
  clock.Advance(Duration{1});
  EXPECT_TRUE(run.Over());
}

TEST(SegmentRun, ResizeRoundsUp) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), Duration{3}, clock);
  run.Begin();
  clock.Advance(Duration{1});
  run.Resize(Duration{2});  // two thirds of 2 ns
  clock.Advance(Duration{1});
  EXPECT_FALSE(run.Over());
  clock.Advance(Duration{1});
  EXPECT_TRUE(run.Over());
}

TEST(SegmentRun, ResizeBeforeItBegins) {
  ManualClock clock;
  SegmentRun run(WithUnits(2), milliseconds(6), clock);
  run.Resize(milliseconds(12));
  run.Begin();
  clock.Advance(milliseconds(11));
  EXPECT_FALSE(run.Over());
  clock.Advance(milliseconds(1));
  EXPECT_TRUE(run.Over());
}

TEST(SegmentRun, AbortIsForGood) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(6), clock);
  run.Abort();
  run.Begin();
  run.Resize(milliseconds(100));
  EXPECT_TRUE(run.Over());
  EXPECT_TRUE(run.aborted());
}

TEST(SegmentRun, WhatIsCutIsOverAndNotAborted) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(6), clock);
  run.Begin();
  EXPECT_FALSE(run.stop());
  run.Cut();
  run.Resize(milliseconds(100));
  EXPECT_TRUE(run.Over());
  EXPECT_TRUE(run.stop());
  EXPECT_FALSE(run.aborted());
  run.Renew(WithUnits(1), milliseconds(2));
  EXPECT_FALSE(run.stop());
}

TEST(SegmentRun, RenewedItIsAnother) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(6), clock);
  run.Begin();
  run.Abort();
  run.Renew(WithUnits(3), milliseconds(2));
  EXPECT_EQ(run.assignment().units, 3);
  EXPECT_FALSE(run.aborted());
  clock.Advance(milliseconds(10));
  EXPECT_FALSE(run.Over());  // it has not begun
  run.Begin();
  clock.Advance(milliseconds(2));
  EXPECT_TRUE(run.Over());
}

TEST(SegmentRun, AbortEndsSleepAndSpin) {
  const ManualClock clock;  // stands still
  for (WorkResult (*work)(SegmentRun&) : {SleepThrough, SpinThrough}) {
    SegmentRun run(WithUnits(1), milliseconds(6), clock);
    run.Begin();
    std::thread thread([&] { work(run); });
    run.Abort();
    thread.join();
    EXPECT_TRUE(run.aborted());
  }
}

}  // namespace
}  // namespace fairlead
