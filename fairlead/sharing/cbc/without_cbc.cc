#include "fairlead/sharing/cbc/count_program.h"

namespace fairlead {

Result<CountSolver> MakeCbcSolver(bool /*lexicographic*/, double /*limit*/) {
  return Fail("this build cannot solve integer programs; build with -DFAIRLEAD_CBC=ON");
}

}  // namespace fairlead
