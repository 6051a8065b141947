// The same sharing world in the round model and on the engine: where segments are short against a
// round, both do the same work for each tenant.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "fairlead/sharing/agent_queues.h"
#include "fairlead/sharing/round_model.h"
#include "fairlead/world/mechanism_registry.h"
#include "tests/support/simulated_run.h"

namespace fairlead {
namespace {

constexpr int kRounds = 60;
constexpr double kRoundNs = 10e6;
constexpr int kTenants = 4;
constexpr double kLoad = 1.2;  // of what a tenant's share could do: nothing is ever idle
// Inferences in a round on the slow and the fast kind, of tenants in turns (Table 5.1).
constexpr std::array<std::array<double, 2>, 2> kRates = {{{70.262, 86.332}, {81.644, 111.995}}};
constexpr int kOfEachKind = 4;

double Rate(std::size_t application, std::size_t kind, double speed) {
  return kRates[application][kind] * speed;
}

double Capacity(int tenant, double speed) {
  const auto application = static_cast<std::size_t>(tenant) % 2;
  return kOfEachKind * (Rate(application, 0, speed) + Rate(application, 1, speed)) / kTenants;
}

// What was done of each tenant's within the rounds, in inferences, at so many times kRates.
std::vector<double> OnTheEngine(const std::string& policy, double speed = 1) {
  std::string profile = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t k = 0; k < 2; ++k)
      profile += fmt::format("{},0,{},{},0,0\n", n == 0 ? "a" : "b", k == 0 ? "slow" : "fast",
                             std::llround(kRoundNs / Rate(n, k, speed)));
  }
  std::string requests = "request,arrival_ns,tenant,network,deadline_ns\n";
  int number = 0;
  for (int t = 0; t < kTenants; ++t) {
    const double gap = kRoundNs / (kLoad * Capacity(t, speed));
    for (double at = 0; at < kRounds * kRoundNs; at += gap)
      requests += fmt::format("{},{},t{},{},100000000000\n", number++, std::llround(at), t,
                              t % 2 == 0 ? "a" : "b");
  }
  const std::string scenario =
      "platform:\n  accelerators: [{kind: slow, count: 4}, {kind: fast, count: 4}]\n"
      "networks: {profile: profile}\nrequests: requests\n";
  const auto world = testing::WorldOfTexts(scenario, profile, requests);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  testing::SimulatedRun run(**world, policy, 1);
  EXPECT_TRUE(run.Run().has_value());
  std::vector<double> done(kTenants, 0);
  for (const testing::End& end : run.ends()) {
    if (static_cast<double>(Nanoseconds(end.end)) <= kRounds * kRoundNs)
      done[end.agreement.index()] += 1;
  }
  return done;
}

std::vector<double> InRounds(const std::string& mechanism, double speed = 1) {
  std::vector<SharingAgent> agents;
  for (int t = 0; t < kTenants; ++t) agents.push_back({.name = fmt::format("t{}", t)});
  std::vector<AcceleratorGroup> groups;
  for (int c = 0; c < 2 * kOfEachKind; ++c)
    groups.push_back({.kind = c < kOfEachKind ? 0 : 1, .count = 1});
  RoundWorld world{.market = *Market::Make(std::move(agents), groups), .rates = {}, .arrivals = {}};
  world.rounds = kRounds;
  world.queues = QueueLayout::kPooled;
  for (int t = 0; t < kTenants; ++t) {
    for (std::size_t k = 0; k < 2; ++k)
      world.rates.push_back(
          std::llround(Rate(static_cast<std::size_t>(t) % 2, k, speed) * kInference));
    world.arrivals.push_back(kLoad * Capacity(t, speed));
  }
  const RoundArrivals arrivals(world, 1);
  const auto made = ChooseMechanism(mechanism)->make(world.market);
  std::vector<double> done;
  for (const AgentOutcome& agent : RunRounds(world, arrivals, {}, **made).agents)
    done.push_back(static_cast<double>(agent.served) / static_cast<double>(kInference));
  return done;
}

TEST(SharingAgreementTest, RoundModelAndEngineAgreeWithinTwoPercent) {
  for (const std::string mechanism :
       {"most-token-first", "most-token-first-plus", "gandiva-fair"}) {
    const std::vector<double> engine =
        OnTheEngine("most-token-first+edf:mechanism=" + mechanism + ";lend=no");
    const std::vector<double> rounds = InRounds(mechanism);
    double engine_sum = 0;
    double rounds_sum = 0;
    for (std::size_t t = 0; t < kTenants; ++t) {
      engine_sum += engine[t];
      rounds_sum += rounds[t];
      EXPECT_NEAR(engine[t] / rounds[t], 1, 0.05) << mechanism << ", tenant " << t;
    }
    EXPECT_NEAR(engine_sum / rounds_sum, 1, 0.02) << mechanism;
  }
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Where a segment takes a good part of a round it runs on into the next, in which the accelerator
// is another's: nothing is interrupted and nothing is lost, since who begins late ends late. They
// differ by what had begun when the rounds were over, which ends on the engine, and by what has to
// be whole there: the round model counts parts.
TEST(SharingAgreementTest, LongSegmentsRunOnIntoTheNextRound) {
  constexpr double kSlow = 1.0 / 40;  // 1.8 to 2.8 segments in a round
  const double engine = Sum(OnTheEngine("most-token-first+edf:lend=no", kSlow));
  const double rounds = Sum(InRounds("most-token-first", kSlow));
  EXPECT_NEAR(engine / rounds, 1, 0.02);
}

}  // namespace
}  // namespace fairlead
