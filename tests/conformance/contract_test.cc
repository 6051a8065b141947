// What no contract covers stands behind all that is covered, whatever the policy's own order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"
#include "tests/conformance/policy_specs.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 20;

// One accelerator, so that whatever waits is ready and could start there: networks of one to four
// layers, requests of four tenants of which two have contracts.
Result<std::unique_ptr<const World>> DrawWorldWithContracts(std::uint64_t seed) {
  RandomStream random(seed, "contracts");
  const auto whole = [&](std::uint64_t from, std::uint64_t to) {
    return from + random.Below(to - from + 1);
  };
  std::string profile = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
  for (std::string_view network : {"a", "b"}) {
    for (std::uint64_t layer = 0, layers = whole(1, 4); layer < layers; ++layer)
      profile += fmt::format("{},{},npu,{},0,0\n", network, layer, whole(5, 40));
  }
  std::string requests = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
  std::uint64_t at = 0;
  for (int i = 0; i < 60; ++i) {
    if (random.Below(3) > 0) at += whole(0, 90);
    requests +=
        fmt::format("{},{},{},{},{},{}\n", i, at, i < 4 ? i : random.Below(4),
                    i < 4 || random.Below(2) == 0 ? "a" : "b", whole(50, 2000), whole(1, 9));
  }
  const std::string scenario =
      fmt::format(R"(
platform:
  accelerators: [{{kind: npu}}]
networks: {{profile: profile}}
requests: requests
changes:
  - {{at: 0ns, tenant: '0', network: a, contract: {{rate: {}/s, burst: {}}}}}
  - {{at: 0ns, tenant: '1', network: a, contract: {{rate: {}/s, burst: 1}}}}
)",
                  whole(1'000'000, 9'000'000), whole(1, 3), whole(1'000'000, 9'000'000));
  return WorldOfTexts(scenario, profile, requests);
}

// Not those that have no order (random), or settle it before others come: when a request arrives
// (alpaserve), or some time before its turn (clockwork, if asked to).
std::vector<std::string> SpecsThatOrder() {
  std::vector<std::string> specs = PolicySpecs();
  std::erase_if(specs, [](const std::string& spec) {
    return spec.starts_with("random") || spec.starts_with("alpaserve") ||
           spec.starts_with("clockwork:ahead=");
  });
  return specs;
}

// How many segments that no contract covers start, and none while something covered waits.
int UncoveredStarts(const std::string& policy) {
  int uncovered_starts = 0;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const auto world = DrawWorldWithContracts(seed);
    EXPECT_TRUE(world.has_value()) << world.error().message;
    SimulatedRun run(**world, policy, seed);
    const Status status = run.Run();
    EXPECT_TRUE(status.has_value()) << status.error().message;
    std::vector<End> ends(run.ends().size());  // by request
    for (const End& end : run.ends()) ends[end.request] = end;
    for (const Stay& stay : run.stays()) {
      if (ends[stay.requests.front()].covered) continue;
      ++uncovered_starts;
      for (const End& other : ends) {
        const bool waits = other.covered && other.arrival <= stay.start && other.end > stay.start;
        EXPECT_FALSE(waits) << "in world " << seed << " request " << stay.requests.front()
                            << " starts before " << other.request << "\n"
                            << run.Timeline();
        if (waits) return uncovered_starts;
      }
    }
  }
  return uncovered_starts;
}

class ContractTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ContractTest, WhatIsNotCoveredWaitsForAllThatIs) { UncoveredStarts(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Policies, ContractTest, ::testing::ValuesIn(SpecsThatOrder()),
                         [](const auto& test) { return TestName(test.param); });

TEST(ContractWorlds, HaveMuchThatIsNotCovered) { EXPECT_GT(UncoveredStarts("fcfs-h"), 400); }

}  // namespace
}  // namespace fairlead::testing
