#include "fairlead/report/figures.h"

#include <gtest/gtest.h>

#include <array>

#include "fairlead/report/testing/sample_run.h"

namespace fairlead {
namespace {

RunFigures FiguresOf(const TestRun& run, const TestRun::Options& options) {
  const std::vector<Duration> isolated = {Duration{15'000}};
  return ComputeFigures({.policy = "fcfs-h",
                         .seed = 5,
                         .log = run.log(),
                         .engine = run.simulator().engine(),
                         .totals = run.simulator().totals(),
                         .isolated = isolated,
                         .truth = &run.costs(),
                         .measured_from = options.measured_from,
                         .bounds = FluidBounds{.hit_rate = 0.75, .worst_agreement = 0.5},
                         .wall_time = Duration{3'000}});
}

RunFigures FiguresOf(const TestRun::Options& options) {
  TestRun run(options);
  run.Run();
  return FiguresOf(run, options);
}

RunFigures FiguresOfAll() { return FiguresOf({}); }
// The warm-up takes the requests 0 and 1.
RunFigures FiguresOfTheLast() { return FiguresOf({.measured_from = AtNanoseconds(50'000)}); }

TEST(RunFigures, NameThePolicyAsItWasAskedFor) { EXPECT_EQ(FiguresOfAll().policy, "fcfs-h"); }

TEST(RunFigures, CountOutcomes) {
  EXPECT_EQ(FiguresOfAll().counts.by_outcome, (std::array<std::int64_t, 4>{2, 1, 0, 0}));
}

TEST(RunFigures, LeaveTheWarmUpOut) { EXPECT_EQ(FiguresOfTheLast().counts.ended(), 1); }

TEST(RunFigures, HitRateIsHitsOverRequests) { EXPECT_DOUBLE_EQ(*FiguresOfAll().hit_rate, 2.0 / 3); }

TEST(RunFigures, HitRateIsUnknownWithoutRequests) {
  EXPECT_FALSE(FiguresOf({.measured_from = AtNanoseconds(1'000'000)}).hit_rate.has_value());
}

// Three requests go from front to back, in 4 us; the table's latencies have the boundaries.
TEST(RunFigures, CountHandOvers) {
  HandOverCosts hand_overs(2);
  hand_overs.SetHandOver(KindId{1}, Duration{1'000});
  hand_overs.SetTakeOver(KindId{0}, Duration{2'000});
  hand_overs.SetMove(KindId{0}, KindId{1}, {.fixed = Duration{4'000}});
  const RunFigures figures = FiguresOf({.hand_overs = hand_overs});
  EXPECT_EQ(figures.hand_overs.moves, 3u);
  EXPECT_EQ(figures.hand_overs.take_overs, 6u);
  const double time = 2 * static_cast<double>(figures.makespan.count());
  ASSERT_TRUE(figures.hand_overs.shares.has_value());
  EXPECT_DOUBLE_EQ(figures.hand_overs.shares->boundaries, 3 * 1'000 / time);
  EXPECT_DOUBLE_EQ(figures.hand_overs.shares->taking_over, 3 * 2'000 / time);
  EXPECT_DOUBLE_EQ(figures.hand_overs.shares->moving, 3 * 4'000 / time);
  EXPECT_DOUBLE_EQ(figures.hand_overs.shares->switching, 0);
  EXPECT_DOUBLE_EQ(FiguresOfAll().hand_overs.shares->sum(), 0);
}

TEST(RunFigures, DescribeEachAgreement) { EXPECT_EQ(FiguresOfAll().per_agreement.size(), 2u); }

// Three requests of 15 us, and 115 us of two accelerators.
TEST(RunFigures, MachineSharesAreOfAllAccelerators) {
  double sum = 0;
  for (const AgreementFigures& agreement : FiguresOfAll().per_agreement)
    sum += agreement.machine_share;
  EXPECT_DOUBLE_EQ(sum, 45.0 / 230);
}

TEST(RunFigures, SpreadOverAgreements) { EXPECT_EQ(FiguresOfAll().agreements.rates.min, 0); }

TEST(RunFigures, MedianLatency) { EXPECT_EQ(FiguresOfAll().latency->p50, 15'000); }

TEST(RunFigures, TailLatency) { EXPECT_EQ(FiguresOfAll().latency->p99, 24'000); }

TEST(RunFigures, LatencyLeavesTheWarmUpOut) { EXPECT_EQ(FiguresOfTheLast().latency->p99, 15'000); }

TEST(RunFigures, LatencyIsUnknownWithoutRequests) {
  EXPECT_FALSE(FiguresOf({.measured_from = AtNanoseconds(1'000'000)}).latency.has_value());
}

TEST(RunFigures, AnttIsTheMeanOfNormalisedTurnarounds) {
  EXPECT_DOUBLE_EQ(*FiguresOfAll().antt, (1 + 24.0 / 15 + 1) / 3);
}

TEST(RunFigures, StpIsIsolatedTimeOverMakespan) {
  EXPECT_DOUBLE_EQ(*FiguresOfAll().stp, 45.0 / 115);
}

TEST(RunFigures, StpCountsTheWarmUp) { EXPECT_DOUBLE_EQ(*FiguresOfTheLast().stp, 45.0 / 115); }

TEST(RunFigures, GoodputIsHitsPerSecond) { EXPECT_DOUBLE_EQ(*FiguresOfAll().goodput, 2 / 115e-6); }

TEST(RunFigures, GoodputCountsTimeFromTheEndOfTheWarmUp) {
  EXPECT_DOUBLE_EQ(*FiguresOfTheLast().goodput, 1 / 65e-6);
}

TEST(RunFigures, RevenueIsPricesMinusPenalties) {
  EXPECT_DOUBLE_EQ(FiguresOfAll().revenue, 3 + 3 - 0.5);
}

TEST(RunFigures, EnergyIsInJoules) { EXPECT_DOUBLE_EQ(FiguresOfAll().energy, 3 * 2.5e-6); }

TEST(RunFigures, MakespanEndsWithTheLastEvent) {
  EXPECT_EQ(FiguresOfAll().makespan, Duration{115'000});
}

TEST(RunFigures, BusyIsAShareOfTheMakespan) {
  EXPECT_DOUBLE_EQ(FiguresOfAll().busy[0].share, 30.0 / 115);
}

TEST(RunFigures, BusyNamesTheAccelerator) { EXPECT_EQ(FiguresOfAll().busy[1].accelerator, "back"); }

TEST(RunFigures, BandwidthUtilisationIsTrafficOverLimit) {
  // 3000 bytes, where 115 us at 1 GB/s have room for 115000
  EXPECT_DOUBLE_EQ(*FiguresOfAll().bandwidth_utilisation, 3.0 / 115);
}

TEST(RunFigures, BandwidthWithoutALimitHasNoUtilisation) {
  EXPECT_FALSE(FiguresOf({.bandwidth = 0}).bandwidth_utilisation.has_value());
}

// The accelerator "front" is lost after 4 of the 10 us of a conv, which is done again from 6 us on.
TEST(RunFigures, WhatWasLostMovedOnlyWhatItHadMoved) {
  const RunFigures figures =
      FiguresOf({.timeline = {{AtNanoseconds(4'000), AcceleratorLoss{AcceleratorId{0}}},
                              {AtNanoseconds(6'000), AcceleratorReturn{AcceleratorId{0}}}}});
  EXPECT_DOUBLE_EQ(*figures.bandwidth_utilisation * 115, 3.4);
  EXPECT_DOUBLE_EQ(figures.energy, 8.3e-6);  // 3.4 times 2 uJ, 3 times 0.5
}

TEST(RunFigures, BusyAcceleratorsHaveKinds) { EXPECT_EQ(FiguresOfAll().busy[1].kind, "back"); }

TEST(RunFigures, WorkPrefersTheOnlyKindThatCanDoIt) {
  EXPECT_DOUBLE_EQ(FiguresOfAll().work_prefers->kinds[0].share, 2.0 / 3);
}

TEST(RunFigures, WithoutRequestsNoWorkPrefersAnything) {
  EXPECT_FALSE(FiguresOf({.measured_from = AtNanoseconds(1'000'000)}).work_prefers.has_value());
}

TEST(RunFigures, CountFinishedSegments) { EXPECT_EQ(FiguresOfAll().segments, 6u); }

TEST(RunFigures, DeferralsPerSegment) {
  // conv of request 1 is left waiting at 1 us
  EXPECT_DOUBLE_EQ(*FiguresOfAll().deferrals_per_segment, 1.0 / 6);
}

TEST(RunFigures, SpeedIsSegmentsOverRealTime) {
  EXPECT_DOUBLE_EQ(*FiguresOfAll().segments_per_second, 6 / 3e-6);
}

TEST(RunFigures, DecisionTimesAreThoseThatTheEngineTook) {
  TestRun run;
  run.Run();
  const Histogram& times = run.simulator().engine().decision_times();
  const DecisionFigures decision = FiguresOf(run, {}).decision;
  const auto quantile = [&](double share) {
    return Duration{static_cast<std::int64_t>(times.Quantile(share))};
  };
  EXPECT_GT(times.count(), 0U);
  EXPECT_EQ(decision.p50, quantile(0.5));
  EXPECT_EQ(decision.p99, quantile(0.99));
  EXPECT_EQ(decision.max, Duration{static_cast<std::int64_t>(times.max())});
}

TEST(RunFigures, CarryTheBounds) { EXPECT_EQ(FiguresOfAll().bounds->worst_agreement, 0.5); }

}  // namespace
}  // namespace fairlead
