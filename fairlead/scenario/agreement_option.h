// Agreements as words: on a command line (`fairlead quote --agreement '{networks: [resnet50], rate:
// 20/s}'`), in a store, over the wire; and what they promise.
#pragma once

#include <string>

#include "fairlead/base/result.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

// Everything that a group in `tenants:` may have. Complaints name the place as
// "--agreement:line:column".
Result<TenantsConfig> ParseAgreement(const std::string& text);

// What a group promises to each of its tenants on each of their networks, without these two. The
// deadline is 0 where the group states none.
ServiceAgreement PromiseOf(const TenantsConfig& config);

}  // namespace fairlead
