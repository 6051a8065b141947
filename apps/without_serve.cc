// The verbs of the server in a build without it.
#include "apps/verbs.h"

namespace fairlead {
namespace {

int Refuse() {
  return Complain({"this build cannot serve; build with -DFAIRLEAD_SERVE=ON"}, kBadInput);
}

}  // namespace

int Run(const ServeOptions& /*options*/) { return Refuse(); }
int Run(const LoadOptions& /*options*/) { return Refuse(); }
int Run(const TopOptions& /*options*/) { return Refuse(); }
int Run(const TenantOptions& /*options*/) { return Refuse(); }
int Run(const AgreementOptions& /*options*/) { return Refuse(); }

}  // namespace fairlead
