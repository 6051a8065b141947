#include "fairlead/running/seeded_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "fairlead/world/testing/npu_world.h"

namespace fairlead {
namespace {

TEST(SeededWorld, TenantsThatJoinLaterAreInTheTimeline) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small], joins: 5ms, leaves: 6ms}]");
  const SimulationSetup setup = SeededWorld(**world, 1).Setup();
  ASSERT_EQ(setup.timeline.size(), 3U);  // joins, its agreement, leaves
  EXPECT_TRUE(std::holds_alternative<TenantLeave>(setup.timeline[2].input));
  EXPECT_EQ(setup.timeline[2].at, AtNanoseconds(6'000'000));
}

// Else the change would be of an agreement that the engine has not met.
TEST(SeededWorld, WhoJoinsIsThereBeforeSomethingChangesForThem) {
  const auto world = BuildOnNpu(
      "load: 1\ntenants: [{name: t, networks: [small], target: 50%, joins: 5ms}]\n"
      "changes: [{at: 5ms, tenant: t, network: small, target: 90%}]");
  SeededWorld seeded(**world, 1);
  const KeptAgreement kept{.tenant = "t", .network = "small", .history = {}};
  seeded.Continue(std::span(&kept, 1));
  const auto timeline = seeded.Setup().timeline;
  ASSERT_EQ(timeline.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<TenantJoin>(timeline[0].input));
  EXPECT_TRUE(std::holds_alternative<AgreementStart>(timeline[1].input));
  EXPECT_TRUE(std::holds_alternative<AgreementContinue>(timeline[2].input));
  EXPECT_TRUE(std::holds_alternative<AgreementChange>(timeline[3].input));
}

TEST(SeededWorld, TargetsAreDealtByZipfInExactNumbers) {
  const auto world = BuildOnNpu(
      "load: 1\ntenants: [{count: 11, networks: [small], target: {zipf: [70%, 80%, 90%]}}]");
  int most_frequent = 0;
  for (const ServiceAgreement& agreement : SeededWorld(**world, 1).Setup().world.agreements) {
    if (agreement.target == 0.7) ++most_frequent;
  }
  EXPECT_EQ(most_frequent, 6);  // shares 6 : 3 : 2
}

TEST(SeededWorld, BeliefsAreTheTruthUnlessTheScenarioSaysSo) {
  const auto world = BuildOnNpu("load: 1\ntenants: [{networks: [small]}]");
  const SeededWorld seeded(**world, 1);
  const NetworkId small{std::size_t{0}};
  EXPECT_EQ(seeded.beliefs().FastestTotal(small), (*world)->truth->FastestTotal(small));
}

TEST(SeededWorld, BeliefsMayBeWrong) {
  const auto world = BuildOnNpu("beliefs: {bias: 0.5}\nload: 1\ntenants: [{networks: [small]}]");
  const SeededWorld seeded(**world, 1);
  EXPECT_EQ(seeded.beliefs().FastestTotal(NetworkId{std::size_t{0}}), Duration{15'000});
}

// Believed over true latencies of the layers of `small`, 10 us, and of `large`, 10 and 20 us.
struct Factors {
  double small, large_first, large_second;
};

Factors FactorsWith(const std::string& beliefs, std::uint64_t seed) {
  const auto world =
      BuildOnNpu("beliefs: {" + beliefs + "}\nload: 1\ntenants: [{networks: [small, large]}]");
  const SeededWorld seeded(**world, seed);
  const auto factor = [&](std::string_view network, std::size_t segment) {
    const std::vector<NetworkGraph>& networks = seeded.world().networks;
    const auto found = std::ranges::find(networks, network, &NetworkGraph::name);
    const NetworkId id{static_cast<std::size_t>(found - networks.begin())};
    const auto latency = [&](const CostTable& costs) {
      return static_cast<double>(costs.Fastest(id, SegmentId{segment}).count());
    };
    return latency(seeded.beliefs()) / latency(*seeded.world().truth);
  };
  return {factor("small", 0), factor("large", 0), factor("large", 1)};
}

TEST(SeededWorld, AnErrorOfANetworkIsSharedByItsLayers) {
  const Factors factors = FactorsWith("network_noise: 0.5", 1);
  EXPECT_NEAR(factors.large_first, factors.large_second, 1e-3);
  EXPECT_GT(std::abs(factors.small - factors.large_first), 0.01);
  EXPECT_GT(std::abs(FactorsWith("network_noise: 0.5", 2).small - factors.small), 0.01);
}

TEST(SeededWorld, AnErrorOfAKindIsSharedByAllThatRunsThere) {
  const Factors factors = FactorsWith("kind_noise: 0.5", 1);
  EXPECT_NEAR(factors.small, factors.large_first, 1e-3);
  EXPECT_NEAR(factors.small, factors.large_second, 1e-3);
  EXPECT_GT(std::abs(factors.small - 1), 0.01);
}

// What a run came to, in a line.
std::string Sum(const Simulator& simulator) {
  const EngineCounters& counters = simulator.engine().counters();
  const OutcomeCounts counts = simulator.engine().state().ledger.MeasuredTotal();
  return fmt::format("end {} hits {} ended {} decisions {} starts {} deferrals {} energy {} {}",
                     Nanoseconds(simulator.totals().end), counts.hits(), counts.ended(),
                     counters.decisions, counters.segments_started, counters.deferrals,
                     simulator.totals().energy_pj, simulator.totals().policy_energy_pj);
}

class InSteps : public testing::TestWithParam<const char*> {};

TEST_P(InSteps, ARunIsTheSame) {
  const auto world = BuildOnNpu(std::string(GetParam()) +
                                "\nload: 1.3\ntenants: [{count: 3, networks: [small, "
                                "large]}]");
  ASSERT_TRUE(world.has_value()) << world.error().message;
  SeededWorld whole(**world, 1);
  Simulator at_once(whole.Setup(), std::move(*whole.Policy("least-laxity")));
  ASSERT_TRUE(at_once.Run().has_value());
  SeededWorld cut(**world, 1);
  Simulator in_steps(cut.Setup(), std::move(*cut.Policy("least-laxity")));
  std::uint64_t steps = 0;
  while (*in_steps.RunToDecision()) {
    EXPECT_EQ(in_steps.engine().counters().decisions, steps++);  // not asked yet
  }
  EXPECT_FALSE(*in_steps.RunToDecision());  // it stays ended
  EXPECT_GT(steps, 100U);
  EXPECT_EQ(Sum(in_steps), Sum(at_once));
}

INSTANTIATE_TEST_SUITE_P(
    OfSeveralWorlds, InSteps,
    testing::Values("", "late_jobs: drop", "period: 2us",
                    "decision_charge: {fixed: 1us, per_ready: 500ns}",
                    "decision_charge: {per_ready: 500ns, accelerator: npu}\nlate_jobs: drop",
                    "guard: {policy: edf-h, clock: charged}"));

TEST(InSteps, LateJobsAreGoneBeforeTheDecisionIsLookedAt) {
  const auto world =
      BuildOnNpu("late_jobs: drop\nload: 3\ntenants: [{count: 3, networks: [small, large]}]");
  SeededWorld seeded(**world, 1);
  Simulator simulator(seeded.Setup(), std::move(*seeded.Policy("fcfs-h")));
  while (*simulator.RunToDecision()) {
    const SystemView view = simulator.engine().view();
    for (const ReadySegment& ready : view.ready())
      EXPECT_GE(view.job(ready.job).deadline, view.now());
  }
  EXPECT_GT(simulator.engine().state().ledger.MeasuredTotal().ended(), 0);
}

}  // namespace
}  // namespace fairlead
