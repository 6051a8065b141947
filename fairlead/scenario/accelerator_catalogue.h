// The kinds of accelerators that are known by name, and those in files of their own.
#pragma once

#include <span>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/scenario/files.h"

namespace fairlead {

// Those of data/accelerators, in the order of their names. Read once, on first use.
std::span<const AcceleratorModel> BuiltInAccelerators();

// A built-in one by its name, or the one described by a file, which ends in .yaml or .yml.
Result<AcceleratorModel> FindAcceleratorModel(std::string_view name, const FileReader& read);

}  // namespace fairlead
