#include "fairlead/world/learned_policies.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/learning/learned_policy.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

struct PricedNetwork {
  GruNetwork network;
  double row_pj = 0;
};

PricedNetwork ShippedNetwork(Awareness awareness) {
  const std::string_view path = awareness == Awareness::kUnaware ? "data/learning/rl-baseline.gru"
                                                                 : "data/learning/rl-sla.gru";
  Result<GruNetwork> network = ReadDecisionNetwork(awareness, path, EmbeddedText(path));
  CHECK_MSG(network.has_value(), network.error().message);
  const double row_pj = RowEnergyOnSimba(*network);
  return {std::move(*network), row_pj};
}

// Read once: a run takes less time than that.
const PricedNetwork& Shipped(Awareness awareness) {
  if (awareness == Awareness::kUnaware) {
    static const PricedNetwork unaware = ShippedNetwork(Awareness::kUnaware);
    return unaware;
  }
  static const PricedNetwork aware = ShippedNetwork(Awareness::kIndicators);
  return aware;
}

double EnergyOf(const AcceleratorModel& accelerator, std::int64_t inputs, std::int64_t outputs) {
  const LayerShape shape{.kind = LayerKind::kLinear, .k = outputs, .c = inputs};
  const LayerCost cost = accelerator.Cost(shape, 1);
  const auto moved = static_cast<double>(shape.Inputs() + shape.Outputs());
  const double kept = moved / (moved + static_cast<double>(shape.Weights()));
  return cost.energy.Total() - cost.energy.dram_pj * (1 - kept);
}

}  // namespace

double RowEnergyOnSimba(const GruNetwork& network) {
  const auto accelerators = BuiltInAccelerators();
  const auto simba = std::ranges::find(accelerators, "simba", &AcceleratorModel::name);
  CHECK(simba != accelerators.end());
  return EnergyOf(*simba, network.inputs, 3 * network.hidden) +
         EnergyOf(*simba, network.hidden, 3 * network.hidden) +
         EnergyOf(*simba, network.hidden, network.outputs);
}

Result<std::unique_ptr<SchedulingPolicy>> MakeShippedGruPolicy(Awareness awareness,
                                                               std::string name,
                                                               const LearnedPolicyOptions& options,
                                                               const PolicyContext& context) {
  GruPolicyOptions policy{.frame = FrameOfLearners(awareness), .refresh = options.refresh};
  policy.frame.encoder.limit = options.rows;
  policy.frame.decoder.memory = options.memory;
  policy.energy.spent_pj = context.thinking_pj;
  if (options.weights.empty()) {
    const PricedNetwork& shipped = Shipped(awareness);
    policy.energy.row_pj = shipped.row_pj;
    return MakeGruPolicy(std::move(name), policy, shipped.network);
  }
  ASSIGN_OR_RETURN(const std::string text, context.read(options.weights));
  ASSIGN_OR_RETURN(const GruNetwork network, ReadDecisionNetwork(awareness, options.weights, text));
  policy.energy.row_pj = RowEnergyOnSimba(network);
  return MakeGruPolicy(std::move(name), policy, network);
}

}  // namespace fairlead
