// How long mechanisms think: a round of 20 agents and 40 accelerators, and how it grows.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/sharing/mechanisms.h"

namespace fairlead {
namespace {

struct Size {
  int agents;
  int groups;
  int copies;  // accelerators of a group
  int rounds;
};

void Measure(std::string_view name, const Size& size, const Market& market,
             SharingMechanism& mechanism) {
  RandomStream random(1, "sharing speed");
  Reports reports;
  for (int i = 0; i < size.agents * size.groups; ++i) reports.utilities.push_back(random.Uniform());
  reports.thresholds.assign(static_cast<std::size_t>(size.agents), 0.3);
  PreferByUtility(market, reports, reports.preferences);
  Allocation allocation;
  std::vector<std::int64_t> times;
  for (int r = 0; r < size.rounds; ++r) {
    const Stopwatch watch;
    mechanism.Allocate(reports, allocation);
    times.push_back(watch.ElapsedNanoseconds());
  }
  std::ranges::sort(times);
  fmt::print("{:<18}{:>8} x {:>7}  median {:>10.2f} us  least {:>10.2f} us\n", name, size.agents,
             market.accelerators(), static_cast<double>(times[times.size() / 2]) * 1e-3,
             static_cast<double>(times.front()) * 1e-3);
}

int Main() {
  for (const Size& size :
       {Size{20, 40, 1, 2001}, Size{60, 40, 1, 2001}, Size{20, 60, 1, 2001}, Size{100, 4, 250, 201},
        Size{1000, 4, 2500, 21}, Size{10000, 4, 25000, 11}}) {
    std::vector<SharingAgent> agents;
    for (int a = 0; a < size.agents; ++a)
      agents.push_back({.name = std::to_string(a), .weight = 1 + a % 4});
    std::vector<AcceleratorGroup> groups;
    for (int g = 0; g < size.groups; ++g) groups.push_back({.kind = 0, .count = size.copies});
    const auto market = Market::Make(std::move(agents), groups);
    const auto tokens = MakeMostTokenFirst(*market, {});
    Measure("most-token-first", size, *market, **tokens);
    if (size.agents > 1000) continue;  // stride looks at every agent for every accelerator
    const auto stride = MakeGandivaFair(*market, {});
    Measure("gandiva-fair", size, *market, *stride);
  }
  return 0;
}

}  // namespace
}  // namespace fairlead

int main() { return fairlead::Main(); }
