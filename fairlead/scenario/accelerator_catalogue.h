// The kinds of accelerators that are known by name, and those in files of their own.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

// Platforms that a scenario can name instead of describing one: `platform: h200-partitions`.
struct ReadyPlatform {
  std::string_view name;
  std::string_view description;
  std::int64_t bandwidth = 0;  // 0: no limit
  std::vector<AcceleratorsConfig> accelerators;
  bool measured = false;  // its costs were measured; else models compute them
};

std::span<const ReadyPlatform> ReadyPlatforms();

// Reads the description of a kind of accelerator from YAML; docs/guide/costs.md explains every key.

// Finds the accelerator that a description says it is `like`.
using FindAccelerator = std::function<Result<AcceleratorModel>(std::string_view name)>;

Result<AcceleratorModel> ParseAccelerator(std::string_view file, const std::string& text,
                                          const FindAccelerator& find_base);

// Those of data/accelerators, in the order of their names. Read once, on first use.
std::span<const AcceleratorModel> BuiltInAccelerators();

// A built-in one by its name, or the one described by a file, which ends in .yaml or .yml.
Result<AcceleratorModel> FindAcceleratorModel(std::string_view name, const FileReader& read);

}  // namespace fairlead
