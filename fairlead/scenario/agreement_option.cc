#include "fairlead/scenario/agreement_option.h"

#include "fairlead/scenario/scenario_sections.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {

Result<TenantsConfig> ParseAgreement(const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode node, ConfigNode::Parse("--agreement", text));
  return ReadTenants(node);
}

ServiceAgreement PromiseOf(const TenantsConfig& config) {
  ServiceAgreement promise{.deadline = config.deadline.value_or(Duration::zero()),
                           .target = config.target,
                           .window = config.window,
                           .max_misses = config.max_misses,
                           .price = config.price,
                           .penalty = config.penalty,
                           .floor = config.floor,
                           .contract = config.contract};
  if (config.period.has_value()) {
    promise.period = config.period->length;
    promise.period_kind = config.period->kind;
  }
  return promise;
}

}  // namespace fairlead
