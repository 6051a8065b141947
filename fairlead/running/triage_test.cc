// What fairlead makes of worlds of a few agreements: whom it gives up where not all promises can be
// kept, what floods, floors and windows come to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/running/run.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// Four accelerators; networks of 2, 4 and 8 ms in layers of half a millisecond.
constexpr std::string_view kWorld =
    "seed: 1\n"
    "horizon: 40s\n"
    "warm_up: 2s\n"
    "platform: {accelerators: [{kind: npu, count: 4}]}\n"
    "networks: {profile: profile.csv}\n"
    "deadlines: {factor: 5}\n"
    "arrivals: {process: poisson}\n";

Result<std::string> Profile(const std::string&) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
  for (const auto& [network, layers] :
       {std::pair{"small", 4}, std::pair{"medium", 8}, std::pair{"large", 16}}) {
    for (int layer = 0; layer < layers; ++layer)
      text += std::string(network) + "," + std::to_string(layer) + ",npu,500000,1,1\n";
  }
  return text;
}

RunFigures RunWith(const std::string& tenants, std::uint64_t seed,
                   const std::string& policy = "fairlead", std::string_view base = kWorld) {
  const auto scenario = ParseScenario("triage.yaml", std::string(base) + tenants);
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world = BuildWorld(*scenario, &Profile);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  const auto runs = RunAll(**world, {.specs = {{.policy = policy, .seed = seed, .bounds = false}}});
  EXPECT_TRUE(runs.has_value()) << runs.error().message;
  return runs->front();
}

// What the others lack may be much less than the cheapest promise takes: then nobody was given up,
// and all of them were broken by a little.
TEST(Triage, GivesOneUpWhereAllAreALittleShort) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const RunFigures run = RunWith(
        "tenants:\n"
        "- {name: a, networks: [medium], rate: 275/s, target: 90%, penalty: 1}\n"
        "- {name: b, networks: [medium], rate: 275/s, target: 90%, penalty: 2}\n"
        "- {name: c, networks: [medium], rate: 275/s, target: 90%, penalty: 3}\n"
        "- {name: d, networks: [medium], rate: 275/s, target: 90%, penalty: 4}\n",
        seed);
    EXPECT_GE(run.agreements.met_share, 0.5) << seed;
  }
}

// The order of sacrifice puts the dearest breach last: one that nobody can prevent must not cost
// the others.
TEST(Triage, GivesNobodyUpForWhatCannotBeKeptAtAll) {
  const RunFigures run = RunWith(
      "tenants:\n"
      "- {name: hopeless, networks: [medium], rate: 150/s, target: 90%, penalty: 1000, "
      "deadline: 1ms,\n"
      "   period: 6s}\n"
      "- {name: ok, count: 20, networks: [medium], rate: 45/s, target: 90%, penalty: 1}\n"
      "- {name: rest, count: 4, networks: [medium], rate: 50/s}\n",
      1);
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (!agreement.tenant.starts_with("ok")) continue;
    EXPECT_LT(agreement.sacrificed.share, 0.05) << agreement.tenant;
    EXPECT_GE(agreement.counts.HitRateOr(0), 0.9) << agreement.tenant;
  }
}

TEST(Triage, TakesTurnsAmongEqualsFromPeriodToPeriod) {
  const RunFigures run = RunWith(
      "tenants:\n"
      "- {name: large, count: 2, networks: [large], rate: 140/s, target: 90%, penalty: 1, "
      "period: 8s,\n"
      "   contract: {rate: 1000/s, burst: 1000}}\n"
      "- {name: small, count: 20, networks: [small], rate: 60/s, target: 90%, penalty: 5, "
      "period: 8s,\n"
      "   contract: {rate: 1000/s, burst: 1000}}\n",
      1);
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (!agreement.tenant.starts_with("large")) continue;
    ASSERT_TRUE(agreement.periods.has_value());
    EXPECT_GE(agreement.periods->kept, 2) << agreement.tenant;
  }
}

double WorstOf(const RunFigures& run, std::string_view group) {
  double worst = 1;
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (agreement.tenant.starts_with(group)) worst = std::min(worst, agreement.counts.HitRateOr(1));
  }
  return worst;
}

// The quiet one was promised more, so it was the first to be given up, and starved behind the one
// that floods, most of all where the machine is slower than is believed.
TEST(Flood, CostsNoPromiseOfWhoAsksForLittle) {
  for (const std::string_view beliefs : {"", "beliefs: {bias: -0.4}\n", "beliefs: {bias: 0.6}\n"}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const RunFigures run = RunWith(
          std::string(beliefs) +
              "tenants:\n"
              "- {name: flooder, networks: [medium], rate: 1500/s, target: 90%, deadline: 60ms}\n"
              "- {name: quiet, networks: [medium], rate: 150/s, target: 99%, deadline: 60ms}\n",
          seed);
      EXPECT_GE(WorstOf(run, "quiet"), 0.99) << beliefs << seed;
      EXPECT_GE(WorstOf(run, "flooder"), 0.4) << beliefs << seed;  // nothing lies idle
    }
  }
}

// Uncovered segments counted as parts of the memory, and light ones passed the limit: what the
// contracts cover was throttled to nothing.
TEST(Flood, TakesNoMemoryFromWhatIsCovered) {
  constexpr std::string_view kNoisy =
      "seed: 1\n"
      "horizon: 8s\n"
      "platform:\n"
      "  bandwidth: 16GB/s\n"
      "  accelerators: [{kind: simba, count: 4}, {kind: eyeriss, count: 4}]\n"
      "deadlines: {factor: 4}\n"
      "arrivals: {process: poisson}\n";
  for (const std::string contract : {"", ", contract: {rate: 20/s, burst: 40}"}) {
    const RunFigures run = RunWith(
        "tenants:\n"
        "- {name: noisy, networks: [resnet50], rate: 5000/s, target: 80%" +
            contract +
            "}\n"
            "- {name: neighbour, count: 20, networks: [alexnet, inception-v3, resnet50, yolo-v3],\n"
            "   networks_each: 1, rate: 2/s, target: 80%}\n",
        101, "fairlead", kNoisy);
    EXPECT_GE(WorstOf(run, "neighbour"), 0.8) << contract;
  }
}

// It was held to a part of the machine in which best effort counted like promises.
TEST(Entitlement, OfAPromiseIsNotCutByBestEffort) {
  const RunFigures run = RunWith(
      "tenants:\n"
      "- {name: gold, networks: [medium], rate: 600/s, target: 90%}\n"
      "- {name: free, count: 10, networks: [medium], rate: 60/s}\n",
      101);
  EXPECT_GE(WorstOf(run, "gold"), 0.9);
  EXPECT_GE(WorstOf(run, "free"), 0.6);
}

TEST(Entitlement, OfAPromiseThatFloodsLeavesBestEffortItsPart) {
  const RunFigures run = RunWith(
      "tenants:\n"
      "- {name: gold, networks: [medium], rate: 6000/s, target: 90%}\n"
      "- {name: free, count: 10, networks: [medium], rate: 60/s}\n",
      101);
  EXPECT_GE(WorstOf(run, "free"), 0.25);
}

// What was begun on the floor's account and dropped later counted as given; and without a contract
// the floor ended where the entitlement did.
TEST(Floor, IsGivenInFullWhereMuchMoreIsAskedFor) {
  for (const std::string contract : {"", ", contract: {rate: 2000/s, burst: 1000}"}) {
    const RunFigures run = RunWith(
        "tenants:\n"
        "- {name: paid, count: 40, networks: [medium], rate: 30/s, target: 90%}\n"
        "- {name: free, networks: [medium], rate: 900/s, floor: 20%" +
            contract + "}\n",
        101);
    EXPECT_NEAR(run.per_agreement.back().machine_share, 0.2, 0.01) << contract;
  }
}

TEST(Windows, OfEqualsAreViolatedNoMoreOftenThanUnderDistanceBasedPriority) {
  for (const int rate : {95, 100, 105, 110}) {
    const std::string tenants =
        "tenants: [{name: w, count: 10, networks: [medium], rate: " + std::to_string(rate) +
        "/s, window: 20, max_misses: 4}]\n";
    std::int64_t ours = 0;
    std::int64_t theirs = 0;
    for (const std::uint64_t seed : {121U, 122U, 123U}) {
      ours += RunWith(tenants, seed).window_violations;
      theirs += RunWith(tenants, seed, "dbp:drop=early").window_violations;
    }
    EXPECT_LE(ours, theirs + theirs / 10) << rate;
  }
}

}  // namespace
}  // namespace fairlead
