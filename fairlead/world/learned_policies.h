// The learned policies as the registry makes them: their weights, shipped or from a file, and what
// their thinking costs.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/learning/decision_encoder.h"
#include "fairlead/neural/gru.h"
#include "fairlead/policies/memory_limit.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

struct LearnedPolicyOptions {
  std::size_t rows = EncoderOptions{}.limit;
  double memory = MemoryLimit::kUsual;
  Duration refresh = std::chrono::milliseconds{1};  // how long an answer holds
  std::string weights;                              // a file; empty: those shipped
};

// What one row takes of a Simba chiplet in whose elements the weights stay: the products, and what
// goes in and comes out. By our cost model, in picojoules.
double RowEnergyOnSimba(const GruNetwork& network);

// rl-sla where it is aware, rl-baseline where it is not.
Result<std::unique_ptr<SchedulingPolicy>> MakeShippedGruPolicy(Awareness awareness,
                                                               std::string name,
                                                               const LearnedPolicyOptions& options,
                                                               const PolicyContext& context);

}  // namespace fairlead
