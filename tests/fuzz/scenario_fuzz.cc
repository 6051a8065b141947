// Scenarios: whatever is accepted becomes a world, or is refused with its place. The files that it
// names are made up here. Nothing is simulated but one job of each network alone.

#include <optional>

#include "fairlead/base/check.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::string_view kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units,alive_bytes\n"
    "small,0,x,1000,4000,10,,1,1,64\n"
    "small,0,x,400,4000,10,,1,4,64\n"
    "small,1,x,2000,0,10,,1,1,0\n"
    "small,1,x,3000,0,20,,8,1,0\n"
    "forked,0,x,1000000,16000000,10,,1,1,100000\n"
    "forked,1,y,500000,1,10,0,1,1,1000000000000000\n"
    "forked,2,x,500000,9000000,10,0,1,1,7\n"
    "forked,3,x,0,0,0,1 2,1,1,0\n"
    "huge,0,x,1000000000000000,1000000000000000,1000000000000000000,,1,1,0\n";
constexpr std::string_view kHandOvers =
    "what,from,to,fixed_ns,bytes_per_s\n"
    "hand_over,,x,500,\n"
    "take_over,,y,3600000000000,\n"
    "move,x,y,100,1\n"
    "move,x,x,100,8000000000\n";
constexpr std::string_view kRequests =
    "request,arrival_ns,tenant,network,deadline_ns,priority\n"
    "0,0,ann,small,5000,1\n"
    "1,4000000000000000000,bob,huge,4000000000000000000,7\n";

Result<std::string> Read(const std::string& path) {
  if (path.ends_with("missing.csv")) return Fail("{}: cannot be read", path);
  if (path.ends_with("h.csv")) return std::string(kHandOvers);
  return std::string(path.ends_with("r.csv") ? kRequests : kProfile);
}

void Draw(const World& world) {
  SeededWorld seeded(world, 1);
  Instant last{};
  for (int i = 0; i < 100; ++i) {
    const std::optional<Request> request = seeded.requests()->Next();
    if (!request.has_value()) return;
    CHECK(request->arrival >= last && request->deadline >= Duration::zero());
    CHECK(request->arrival + request->deadline >= request->arrival);
    last = request->arrival;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto scenario = ParseScenario("fuzz.yaml", TextOf(data, size));
  if (!scenario.has_value()) {
    CHECK(scenario.error().message.starts_with("fuzz.yaml:"));
    return 0;
  }
  CHECK(!ScenarioJson(*scenario).empty());
  int tenants = 0;
  for (const TenantsConfig& group : scenario->tenants) tenants += group.count;
  int accelerators = 0;
  for (const AcceleratorsConfig& group : scenario->platform.accelerators)
    accelerators += group.count;
  if (tenants > 1000 || accelerators > 100) return 0;  // allowed, but slow here
  const auto world = BuildWorld(std::move(*scenario), &Read);
  if (!world.has_value()) {
    // The place is in this file, or in one that it names.
    CHECK_MSG(world.error().message.find(": ") != std::string::npos, world.error().message);
    return 0;
  }
  Draw(**world);
  return 0;
}

}  // namespace fairlead
