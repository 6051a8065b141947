#include "fairlead/sharing/oracle.h"

#include <algorithm>

#include "fairlead/sharing/agent_queues.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// Variables are rounds of accelerators per round: utility by kind is rate / fastest rate of them.
Result<double> OracleWelfare(const RoundWorld& world, const RoundArrivals& arrivals,
                             std::span<const double> floors) {
  const Market& market = world.market;
  LinearProgram program;
  std::vector<std::vector<LinearProgram::Term>> of_kind(static_cast<std::size_t>(market.kinds()));
  for (int a = 0; a < market.agents(); ++a) {
    const auto fastest = static_cast<double>(world.fastest(a));
    const double arrived = static_cast<double>(arrivals.Count(a)) * kInference / fastest /
                           static_cast<double>(world.rounds);
    const double weight =
        static_cast<double>(market.weight(a)) / static_cast<double>(market.total_weight());
    std::vector<LinearProgram::Term> utility;
    for (int k = 0; k < market.kinds(); ++k) {
      const double rate = static_cast<double>(world.rates[market.of_kind(a, k)]) / fastest;
      const int variable = program.AddVariable(market.count_of_kind(k));
      program.SetObjective(variable, weight * rate);
      utility.push_back({variable, rate});
      of_kind[static_cast<std::size_t>(k)].push_back({variable, 1.0});
    }
    const double least = floors.empty() ? 0 : floors[static_cast<std::size_t>(a)];
    program.AddConstraint(std::min(least, arrived), arrived, utility);
  }
  for (int k = 0; k < market.kinds(); ++k)
    program.AddConstraint(0, market.count_of_kind(k), of_kind[static_cast<std::size_t>(k)]);
  return program.Maximise();
}

}  // namespace fairlead
