// Jobs stay unless moving pays: under every policy that chooses an accelerator by what it believes,
// nobody moves where a move takes longer than everything else together, and somebody does where it
// costs nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/policy_specs.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

// Layers are faster in turn on x and on y, where one or two jobs at a time come and go.
std::string Profile() {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,alive_bytes\n";
  for (int layer = 0; layer < 6; ++layer) {
    for (int kind = 0; kind < 2; ++kind)
      text += fmt::format("n,{},{},{},0,{},100\n", layer, kind == 0 ? 'x' : 'y',
                          layer % 2 == kind ? 100 : 300, layer % 2 == kind ? 1 : 3);
  }
  return text;
}

std::string Requests() {
  std::string text = "request,arrival_ns,tenant,network,deadline_ns\n";
  for (int i = 0; i < 20; ++i)
    text += fmt::format("{},{},t{},n,50000\n", i, i / 2 * 20'000 + i % 2 * 150, i % 2);
  return text;
}

std::uint64_t Moves(const std::string& policy, std::string_view hand_overs) {
  const auto world = WorldOfTexts(
      fmt::format("platform: {{accelerators: [{{kind: x, count: 2}}, {{kind: y, count: 2}}]}}\n"
                  "networks: {{profile: profile}}\nrequests: requests\n{}",
                  hand_overs),
      Profile(), Requests());
  if (!world.has_value()) throw std::runtime_error(world.error().message);
  SimulatedRun run(**world, policy, 1);
  const Status status = run.Run();
  if (!status.has_value()) throw std::runtime_error(status.error().message);
  return run.simulator().engine().counters().moves;
}

class Staying : public ::testing::TestWithParam<std::string> {};

TEST_P(Staying, NobodyMovesForNothing) {
  const std::string& policy = GetParam();
  const auto has = [&policy](std::string_view word) {
    return policy.find(word) != std::string::npos;
  };
  // These look at speed alone when they choose an accelerator, or at nothing.
  if (policy.starts_with("round-robin") || policy.starts_with("random") ||
      has("place=round-robin") || has("place=random") || has("place=fastest"))
    GTEST_SKIP() << "does not choose by time";
  EXPECT_EQ(Moves(policy, "hand_overs: {move: {fixed: 1ms}}\n"), 0U);
}

TEST(Staying, WhereMovesAreFreeThereAreSome) { EXPECT_GT(Moves("edf-h", ""), 20U); }

INSTANTIATE_TEST_SUITE_P(All, Staying, ::testing::ValuesIn(PolicySpecs()),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace fairlead::testing
