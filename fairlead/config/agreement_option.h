// An agreement on a command line: `fairlead quote --agreement '{networks: [resnet50], rate:
// 20/s}'`.
#pragma once

#include <string>

#include "fairlead/base/result.h"
#include "fairlead/config/scenario.h"

namespace fairlead {

// Everything that a group in `tenants:` may have. Complaints name the place as
// "--agreement:line:column".
Result<TenantsConfig> ParseAgreement(const std::string& text);

}  // namespace fairlead
