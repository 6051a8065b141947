// The counts of sharing/count_search by integer programs. A shell over CBC, which only
// count_program.cc includes.
#pragma once

#include "fairlead/sharing/count_search.h"

namespace fairlead {

// The largest smallest worth; with `lexicographic` also the fewest places there, and the same of
// the others. `limit`: seconds for each of its programs. Fails where the build has no CBC.
Result<CountSolver> MakeCbcSolver(bool lexicographic, double limit);

}  // namespace fairlead
