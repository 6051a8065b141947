// What traffic seeds draw, without simulating it: how much each agreement asks for, how heavy that
// is, and whether any schedule could keep all promises on it.
//
// The weight of a traffic is the part of the machine that its promised work takes: every covered
// request that counts, times the promised share, times what its network costs alone by the fluid
// bound. It is no bound, since networks on unlike accelerators do not add up; it is what decides
// how well promises are kept (docs/guide/quote.md has the correlation).
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct Traffic {
  std::uint64_t seed = 0;
  double weight = 0;
  std::vector<std::int64_t> counts;  // of covered requests after the warm-up, by agreement
};

struct TrafficDraw {
  std::uint64_t first_seed = 1;
  int draws = 1;  // seeds count up from the first
  int threads = 1;
};
// In the order of seeds, however many threads.
std::vector<Traffic> DrawTraffic(const World& world, const TrafficDraw& draw);

// No schedule whatever keeps all promises on this traffic: even if requests were a fluid, and each
// agreement's were served that fit best, what must be served is more than the platform carries.
bool ProvablyNot(const World& world, const Traffic& traffic);
// The same for one agreement, as if the others were not there.
bool ProvablyNotAlone(const World& world, const Traffic& traffic, std::size_t agreement);

}  // namespace fairlead
