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
  run.Resize(2, milliseconds(6));  // two thirds are left: 4 ms
  clock.Advance(milliseconds(4) - Duration{1});
  EXPECT_FALSE(run.Over());
  clock.Advance(Duration{1});
  EXPECT_TRUE(run.Over());
  EXPECT_EQ(run.Occupancy(), (1 * 4 + 2 * 4) * 1e6);
}

TEST(SegmentRun, ResizeRoundsUp) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), Duration{3}, clock);
  run.Begin();
  clock.Advance(Duration{1});
  run.Resize(1, Duration{2});  // two thirds of 2 ns
  clock.Advance(Duration{1});
  EXPECT_FALSE(run.Over());
  clock.Advance(Duration{1});
  EXPECT_TRUE(run.Over());
}

TEST(SegmentRun, ResizeBeforeItBegins) {
  ManualClock clock;
  SegmentRun run(WithUnits(2), milliseconds(6), clock);
  run.Resize(1, milliseconds(12));
  EXPECT_EQ(run.Occupancy(), 0);
  run.Begin();
  clock.Advance(milliseconds(11));
  EXPECT_FALSE(run.Over());
  clock.Advance(milliseconds(1));
  EXPECT_TRUE(run.Over());
  EXPECT_EQ(run.Occupancy(), 12e6);
}

TEST(SegmentRun, AbortIsForGood) {
  ManualClock clock;
  SegmentRun run(WithUnits(1), milliseconds(6), clock);
  run.Abort();
  run.Begin();
  run.Resize(1, milliseconds(100));
  EXPECT_TRUE(run.Over());
  EXPECT_TRUE(run.aborted());
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
