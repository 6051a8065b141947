// Worlds on one npu, for tests: a scenario's first lines and its profile.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fairlead/base/result.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Two networks on one npu: `small` takes 10 us, `large` 30 us.
inline constexpr const char* kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
    "small,0,npu,10000,0,0\n"
    "large,0,npu,10000,0,0\n"
    "large,1,npu,20000,0,0\n";

inline Result<std::unique_ptr<const World>> BuildOnNpu(const std::string& rest) {
  const std::string text =
      "platform: {accelerators: [{kind: npu}]}\nnetworks: {profile: profile}\nhorizon: 1s\n" + rest;
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario("test.yaml", text));
  return BuildWorld(std::move(scenario),
                    [](const std::string&) -> Result<std::string> { return kProfile; });
}

}  // namespace fairlead
