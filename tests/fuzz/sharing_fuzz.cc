// Sharing scenarios: whatever is accepted becomes worlds in which every mechanism that the scenario
// names can share, or is refused with its place. The profile that it may name is made up here.

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/sharing_scenario.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::string_view kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units,alive_bytes\n"
    "small,0,x,1000,4000,10,,1,1,64\n"
    "small,0,x,400,4000,10,,1,4,64\n"
    "small,1,x,2000,0,10,,1,1,0\n"
    "half,0,y,500000,1,10,,1,1,0\n"
    "nothing,0,x,0,0,0,,1,1,0\n"
    "huge,0,x,1000000000000000,1000000000000000,1000000000000000000,,1,1,0\n";

Result<std::string> Read(const std::string& path) {
  if (path.ends_with("missing.csv")) return Fail("{}: cannot be read", path);
  return std::string(kProfile);
}

// A few rounds: nobody has what does not exist, and no inference is made or lost.
void Share(RoundWorld world, std::string_view spec) {
  world.rounds = std::min(world.rounds, 3);
  const RoundArrivals arrivals(world, 1);
  const auto choice = ChooseMechanism(spec);
  CHECK(choice.has_value());
  const auto mechanism = choice->make(world.market);
  if (!mechanism.has_value()) return;  // too many to search, or no solver
  const RoundsOutcome outcome = RunRounds(world, arrivals, {.keep_reports = true}, **mechanism);
  for (const Reports& reports : outcome.reports)
    CHECK(CheckReports(world.market, reports).has_value());
  for (const Allocation& allocation : outcome.allocations) {
    for (const int holder : allocation.holder)
      CHECK(holder >= Allocation::kNobody && holder < world.market.agents());
  }
  for (const AgentOutcome& agent : outcome.agents) {
    CHECK(agent.served >= 0 && agent.dropped >= 0 && agent.dropped <= agent.arrived);
    CHECK(agent.utility >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scenario = ParseSharingScenario("fuzz.yaml", TextOf(data, size), &Read);
  if (!scenario.has_value()) {
    CHECK_MSG(scenario.error().message.starts_with("fuzz.yaml:"), scenario.error().message);
    return 0;
  }
  CHECK(scenario->worlds.size() == scenario->queue_utilities.size());
  const RoundWorld& world = scenario->worlds.front();
  double arrivals = 0;
  for (const double rate : world.arrivals) arrivals += rate;
  if (world.market.agents() * world.market.accelerators() > 400 || arrivals > 1e5)
    return 0;  // allowed, but slow here
  for (const std::string& spec : scenario->mechanisms) {
    if (spec.find("cbc") == std::string::npos && spec.find("lexicographic") == std::string::npos)
      Share(world, spec);
  }
  return 0;
}

}  // namespace fairlead
