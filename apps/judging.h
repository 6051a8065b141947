// What quote and provision judge by: a scenario, one policy, and how much may run at a time.
#pragma once

#include <string>

#include "apps/options.h"
#include "fairlead/base/result.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

struct JudgingInput {
  Scenario scenario;
  std::string policy;  // with its options, spelt canonically
  int threads = 1;
};
Result<JudgingInput> ReadJudging(const JudgingOptions& options);

}  // namespace fairlead
