// Reads the description of a kind of accelerator from YAML; docs/guide/costs.md explains every key.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/costs/accelerator_model.h"

namespace fairlead {

// Finds the accelerator that a description says it is `like`.
using FindAccelerator = std::function<Result<AcceleratorModel>(std::string_view name)>;

Result<AcceleratorModel> ParseAccelerator(std::string_view file, const std::string& text,
                                          const FindAccelerator& find_base);

}  // namespace fairlead
