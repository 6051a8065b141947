// Random small worlds for property tests: a profile and a requests file drawn from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/world/world.h"

namespace fairlead::testing {

struct RandomWorldTexts {
  std::string scenario;  // names the files "profile" and "requests"
  std::string profile;
  std::string requests;
};

// Two to four kinds of up to three accelerators (some with several units), up to four networks as
// chains and DAGs that cannot run everywhere and sometimes in batches, one of the sharing rules
// with scarce or ample bandwidth, up to forty requests of up to five tenants; sometimes a decision
// period, a charge, switching costs, late jobs dropped, an accelerator that goes away and comes
// back.
RandomWorldTexts DrawWorld(std::uint64_t seed);

// The texts as a world; a failure is a bug.
std::unique_ptr<const World> BuildRandomWorld(const RandomWorldTexts& texts);

}  // namespace fairlead::testing
