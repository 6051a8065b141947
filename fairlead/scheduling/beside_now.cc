#include <array>

#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

double FindBesideNow(const SystemState& state, NetworkId network, AcceleratorId accelerator) {
  constexpr std::size_t kMost = 32;  // as models take
  std::array<BesideSlowdowns::Placed, kMost> others;
  std::size_t count = 0;
  for (std::size_t a = 0; a < state.accelerators.size() && count < kMost; ++a) {
    if (AcceleratorId{a} == accelerator || state.accelerators[a].running.empty()) continue;
    const Assignment& running = state.assignments[state.accelerators[a].running.front().slot];
    others[count++] = {running.network, AcceleratorId{a}};
  }
  const BesideSlowdowns& slowdowns = *state.beliefs->slowdowns();
  const BesideSlowdowns::Placed one{network, accelerator};
  return BesideSlowdowns::FactorOf(slowdowns.Beside(one, std::span(others).first(count)) -
                                   slowdowns.Mean(one));
}

double FindUsualSlowdown(const CostTable& beliefs, NetworkId network) {
  return BesideSlowdowns::FactorOf(beliefs.slowdowns()->UsualMean(network));
}

}  // namespace fairlead
