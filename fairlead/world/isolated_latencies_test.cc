#include "fairlead/world/isolated_latencies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// Networks of one to three layers on two kinds that suit different ones.
std::string ProfileOf(std::size_t networks) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
  for (std::size_t n = 0; n < networks; ++n) {
    for (std::size_t layer = 0; layer <= n % 3; ++layer) {
      for (std::size_t kind = 0; kind < 2; ++kind)
        text += fmt::format("n{:04},{},k{},{},{},0\n", n, layer, kind,
                            100 + 70 * ((n + layer + kind) % 4), 50 * kind);
    }
  }
  return text;
}

std::vector<Duration> Isolated(std::size_t networks) {
  const std::string scenario =
      "horizon: 1ms\nplatform: {bandwidth: 1GB/s, accelerators: [{kind: k0, count: 2}, {kind: k1, "
      "switching: 30ns}]}\nnetworks: {profile: p}\nhand_overs: {move: {fixed: 90ns}}\ntenants: "
      "[{networks: [n0000], rate: 1/s}]\n";
  const FileReader read = [&](const std::string&) -> Result<std::string> {
    return ProfileOf(networks);
  };
  return BuildWorld(ParseScenario("s.yaml", scenario).value(), read).value()->isolated;
}

TEST(IsolatedLatencies, DoNotDependOnHowManyOthersThereAre) {
  const std::vector<Duration> few = Isolated(200);
  std::vector<Duration> many = Isolated(300);
  ASSERT_EQ(many.size(), 300U);
  many.resize(few.size());
  EXPECT_EQ(many, few);
}

}  // namespace
}  // namespace fairlead
