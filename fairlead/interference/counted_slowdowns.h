// Slowdowns by the number of those who run beside one, whoever they are: all that is known of a
// machine whose parts are units of one accelerator.
#pragma once

#include <memory>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/interference/machine_data.h"

namespace fairlead {

// `slowdowns` has at least one: of one alone, beside one other, beside two, ...; the last is for
// more too. Caps on bandwidth hold beside that.
std::unique_ptr<InterferenceModel> MakeCountedSlowdowns(std::vector<double> slowdowns);

// The geometric means of what was measured: `alone` has the latencies of networks (model, us_...)
// on each partition, `mixes` those of networks side by side. 1 at least, and no number slows less
// than a smaller one.
Result<std::vector<double>> CountSlowdowns(const TableText& alone, const TableText& mixes);

}  // namespace fairlead
