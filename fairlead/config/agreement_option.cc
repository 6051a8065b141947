#include "fairlead/config/agreement_option.h"

#include "fairlead/config/scenario_sections.h"
#include "fairlead/config/yaml_reader.h"

namespace fairlead {

Result<TenantsConfig> ParseAgreement(const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode node, ConfigNode::Parse("--agreement", text));
  return ReadTenants(node);
}

}  // namespace fairlead
