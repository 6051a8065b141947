// Inputs for calls that nobody reads the answers of.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

// An input as a server describes it, for one sample: a dimension of any extent is 1.
Result<TensorInfo> LoadInput(std::string name, std::string_view type,
                             std::vector<std::int64_t> shape);

// Half everywhere: no denormal numbers, which some processors are slow with, and no zeros, which
// they may be fast with. Other types than FP32 are zeros.
std::string MadeUpBytes(const TensorInfo& input);

}  // namespace fairlead
