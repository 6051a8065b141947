#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

std::optional<double> ValueOf(const RunFigures& run, std::string_view path) {
  const std::vector<ScalarFigure> figures = ScalarFigures(run);
  const ScalarFigure* figure = FindFigure(figures, path);
  if (figure == nullptr) throw std::runtime_error("no figure " + std::string(path));
  return figure->Number();
}

TEST(ScalarFigures, AreFoundAtTheTop) { EXPECT_EQ(ValueOf({.hit_rate = 0.25}, "hit_rate"), 0.25); }

TEST(ScalarFigures, AreFoundInAGroup) {
  RunFigures run;
  run.agreements.rates = {.count = 2, .min = 0.5};
  EXPECT_EQ(ValueOf(run, "agreements.min"), 0.5);
}

TEST(ScalarFigures, HaveNoValueForADistributionOfNothing) {
  EXPECT_FALSE(ValueOf({}, "tenants.median").has_value());
}

TEST(ScalarFigures, CountRequestsOfAllOutcomes) {
  EXPECT_EQ(ValueOf({.counts = {{4, 3, 2, 1}}}, "requests"), 10);
}

TEST(ScalarFigures, TellDroppedFromRejected) {
  EXPECT_EQ(ValueOf({.counts = {{4, 3, 2, 1}}}, "rejected"), 1);
}

TEST(ScalarFigures, HaveLatenciesInNanoseconds) {
  EXPECT_EQ(ValueOf({.latency = Percentiles{.p95 = 1234}}, "latency.p95"), 1234);
}

TEST(ScalarFigures, HaveNoLatencyWhenNothingFinished) {
  EXPECT_FALSE(ValueOf({}, "latency.p99").has_value());
}

TEST(ScalarFigures, HaveDecisionsInMicroseconds) {
  EXPECT_EQ(ValueOf({.decision = {.max = Duration{1500}}}, "decision_us.max"), 1.5);
}

TEST(ScalarFigures, NameBusyAccelerators) {
  EXPECT_EQ(ValueOf({.busy = {{"simba.0", "simba", 0.5}}}, "busy.simba.0"), 0.5);
}

TEST(ScalarFigures, AverageBusyAcceleratorsByKind) {
  const RunFigures run{.busy = {{"a.0", "a", 1.0}, {"b", "b", 0.25}, {"a.1", "a", 0.5}}};
  EXPECT_EQ(ValueOf(run, "busy_by_kind.a"), 0.75);
  EXPECT_EQ(ValueOf(run, "busy_by_kind.b"), 0.25);
}

TEST(ScalarFigures, SayWhatWorkPrefers) {
  RunFigures run{.busy = {{"a", "a", 1.0}, {"b", "b", 0.25}}};
  run.work_prefers = {.kinds = {{"a", 0.5}, {"b", 0.375}}, .undecided = 0.125};
  EXPECT_EQ(ValueOf(run, "work_prefers.b"), 0.375);
  EXPECT_EQ(ValueOf(run, "work_undecided"), 0.125);
}

TEST(ScalarFigures, NameKindsWithoutKnownWork) {
  EXPECT_FALSE(ValueOf({.busy = {{"a", "a", 1.0}}}, "work_prefers.a").has_value());
}

TEST(ScalarFigures, SayWhatTheGuardDid) {
  const RunFigures run{.guard = GuardFigures{.wrong_plans = 1,
                                             .slow_decisions = 2,
                                             .idle_machine = 4,
                                             .fallbacks = 2,
                                             .returns = 1,
                                             .under_fallback = Duration{70}}};
  EXPECT_EQ(ValueOf(run, "guard.strikes"), 7);
  EXPECT_EQ(ValueOf(run, "guard.idle_machine"), 4);
  EXPECT_EQ(ValueOf(run, "guard.fallbacks"), 2);
  EXPECT_EQ(ValueOf(run, "guard.under_fallback_ns"), 70);
  const std::vector<ScalarFigure> without = ScalarFigures({});
  EXPECT_EQ(FindFigure(without, "guard.strikes"), nullptr);
}

TEST(ScalarFigures, KeepWholeNumbersWhole) {
  const std::vector<ScalarFigure> figures = ScalarFigures({.makespan = Duration{(1L << 60) + 1}});
  EXPECT_EQ(std::get<std::int64_t>(FindFigure(figures, "makespan_ns")->value), (1L << 60) + 1);
}

TEST(ScalarFigures, AnUnknownNameIsNotFound) {
  EXPECT_EQ(FindFigure(ScalarFigures({}), "agreements.hits"), nullptr);
}

}  // namespace
}  // namespace fairlead
