// The way into an engine for inputs that are not to be trusted, from a file or from clients: what
// passes the check is applied, the rest is refused, and nothing fails a CHECK.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/input_check.h"

namespace fairlead {

// What an input has made; ids that it did not make are not valid.
struct MadeByInput {
  JobHandle job{};          // Arrival
  TenantId tenant{};        // TenantJoin
  AgreementId agreement{};  // AgreementStart
  NetworkId network{};      // NetworkAdd
};

class CheckedInputs {
 public:
  // The engine is not owned, outlives this object, and has seen no input yet; all its inputs go
  // through here. The factory, which may be empty, makes the policies that take over.
  CheckedInputs(SchedulingEngine& engine, SchedulingEngine::PolicyFactory policies);
  CheckedInputs(const CheckedInputs&) = delete;
  CheckedInputs& operator=(const CheckedInputs&) = delete;

  tl::expected<MadeByInput, Refusal> Apply(const Input& input);

 private:
  tl::expected<void, Refusal> MakePolicy(const std::string& name);

  SchedulingEngine& engine_;
  SchedulingEngine::PolicyFactory policies_;
  std::unique_ptr<SchedulingPolicy> next_policy_;  // made and found good, for the engine to take
  InputCheck check_;
};

}  // namespace fairlead
