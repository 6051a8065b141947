#include "fairlead/sharing/cbc/themis.h"

namespace fairlead {

Result<std::unique_ptr<SharingMechanism>> MakeThemis(const Market& /*market*/,
                                                     const ThemisOptions& /*options*/) {
  return Fail("themis: this build cannot solve integer programs; build with -DFAIRLEAD_CBC=ON");
}

}  // namespace fairlead
