// Whom fairlead gives up where not all promises can be kept, in worlds of a few agreements.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "fairlead/config/scenario.h"
#include "fairlead/config/world.h"
#include "fairlead/running/run.h"

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

RunFigures RunWith(const std::string& tenants, std::uint64_t seed) {
  const auto scenario = ParseScenario("triage.yaml", std::string(kWorld) + tenants);
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world = BuildWorld(*scenario, &Profile);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  const auto runs =
      RunAll(**world, {.specs = {{.policy = "fairlead", .seed = seed, .bounds = false}}});
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

}  // namespace
}  // namespace fairlead
