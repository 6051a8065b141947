// Agreements of a command line: whatever is accepted can be added to a scenario, or is refused with
// its place.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/running/quote_world.h"
#include "fairlead/scenario/scenario.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::string_view kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
    "small,0,x,1000,4000,10\n"
    "large,0,x,1000000,0,10\n";
constexpr const char* kScenario =
    "horizon: 1ms\nload: 0.5\nnetworks: {profile: p.csv}\nplatform: {accelerators: [{kind: x}]}\n"
    "tenants: [{networks: [small], target: 90%}]\n";

Result<std::string> Read(const std::string& /*path*/) { return std::string(kProfile); }

const World& Settled() {
  static const World world =
      SettledWorld(ParseScenario("fuzz.yaml", kScenario).value(), 1, &Read).value();
  return world;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto group = ParseAgreement(TextOf(data, size));
  if (!group.has_value()) {
    CHECK(group.error().message.starts_with("--agreement"));
    return 0;
  }
  if (group->count > 100) return 0;  // allowed, but slow here
  std::vector<TenantsConfig> groups;
  groups.push_back(std::move(*group));
  const auto extended = WithAgreements(Settled(), std::move(groups), 1, &Read);
  if (!extended.has_value()) {
    CHECK_MSG(extended.error().message.find(": ") != std::string::npos, extended.error().message);
    return 0;
  }
  CHECK(!extended->added.empty() && extended->before.size() == 1);
  double rate = 0;
  for (const PlannedAgreement& planned : extended->world.agreements) rate += RateOf(planned);
  if (rate > 1e6) return 0;  // allowed, but slow here
  CHECK(DrawTraffic(extended->world, {.draws = 1}).front().weight >= 0);
  return 0;
}

}  // namespace fairlead
