#include "fairlead/report/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fairlead/plots/row_plots.h"
#include "fairlead/report/testing/sample_run.h"

namespace fairlead {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(UsageBins, SumsByBin) {
  UsageBins bins;
  bins.Add(AtNanoseconds(500), AtNanoseconds(2500), 2);
  EXPECT_EQ(bins.width(), Duration{1000});
  EXPECT_EQ(bins[0], 1000);
  EXPECT_EQ(bins[1], 2000);
  EXPECT_EQ(bins[2], 1000);
  EXPECT_EQ(bins[3], 0);
}

TEST(UsageBins, GrowWiderAndLoseNothing) {
  UsageBins bins;
  for (std::int64_t i = 0; i < 1000; ++i)
    bins.Add(AtNanoseconds(i * 1000), AtNanoseconds(i * 1000 + 500), 1);
  EXPECT_EQ(bins.width(), Duration{8000});
  double sum = 0;
  for (std::size_t i = 0; i < UsageBins::kMostBins; ++i) sum += bins[i];
  EXPECT_DOUBLE_EQ(sum, 500'000);
  EXPECT_DOUBLE_EQ(bins[0], 4000);
  EXPECT_DOUBLE_EQ(bins[124], 4000);
}

TEST(UsageBins, ReachTheEndOfTimeAtOnce) {
  UsageBins bins;
  bins.Reach(AtNanoseconds(kLongestDuration.count()));
  EXPECT_GE(bins.width().count(), kLongestDuration.count() / 128);
}

RunTimeline TimelineOf(Instant from) {
  TimelineListener listener(from);
  TestRun run({.listener = &listener});
  listener.Open(run.state(), run.costs());
  run.Run();
  return listener.Finish(run.simulator().totals().end);
}

TEST(Timeline, HasEverySegment) {
  const RunTimeline timeline = TimelineOf(Instant{});
  EXPECT_THAT(timeline.accelerators, ElementsAre("front", "back"));
  EXPECT_EQ(timeline.until, AtNanoseconds(115'000));
  ASSERT_EQ(timeline.slices.size(), 6U);
  EXPECT_EQ(timeline.slices[0].what, "ada, request 0: net/conv");
  EXPECT_EQ(timeline.slices[0].end, AtNanoseconds(10'000));
  EXPECT_EQ(timeline.slices[5].start, AtNanoseconds(110'000));
}

TEST(Timeline, LeavesOutWhatEndedInTheWarmUp) {
  const RunTimeline timeline = TimelineOf(AtNanoseconds(20'000));
  ASSERT_EQ(timeline.slices.size(), 3U);  // fc 1, conv 2, fc 2
  EXPECT_EQ(timeline.slices[0].what, "bob, request 1: net/fc");
}

TEST(Timeline, CountsUsageByKindAndTraffic) {
  const RunTimeline timeline = TimelineOf(Instant{});
  ASSERT_EQ(timeline.bin, Duration{1000});
  ASSERT_EQ(timeline.usage.size(), 3U);
  EXPECT_EQ(timeline.usage[0].name, "front");
  EXPECT_EQ(timeline.usage[2].name, "memory");
  ASSERT_EQ(timeline.usage[0].shares.size(), 115U);
  EXPECT_DOUBLE_EQ(timeline.usage[0].shares[19], 1);  // conv until 20 us
  EXPECT_DOUBLE_EQ(timeline.usage[0].shares[20], 0);
  EXPECT_DOUBLE_EQ(timeline.usage[1].shares[12], 1);
  EXPECT_THAT(timeline.usage[2].shares[3], DoubleNear(0.1, 1e-9));  // 1000 B in 10 us of 1 GB/s
}

TEST(Gantt, BarsThatOverlapHaveTheirOwnLanes) {
  const std::vector<GanttBar> bars = {{.start = 0, .end = 10},
                                      {.start = 5, .end = 8},
                                      {.start = 8, .end = 9},
                                      {.start = 10, .end = 11}};
  EXPECT_THAT(LanesOf(bars), ElementsAre(0, 1, 1, 0));
}

TEST(Gantt, BarsAreCutOffAtTheEnds) {
  const GanttChart chart{
      .label = "l",
      .time = {.range = Range{0, 10}},
      .rows = {"a"},
      .series = {"net"},
      .bars = {{.start = -5, .end = 20, .title = "<b>"}, {.start = 30, .end = 40}}};
  const std::string svg = DrawGantt(chart);
  EXPECT_THAT(svg, ::testing::HasSubstr("<title>&lt;b&gt;</title></rect>"));
  EXPECT_EQ(svg.find("</rect>"), svg.rfind("</rect>"));  // one, beside the legend's
}

}  // namespace
}  // namespace fairlead
