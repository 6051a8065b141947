#include "apps/judging.h"

#include <algorithm>
#include <thread>

#include "apps/input_files.h"
#include "fairlead/running/quote.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {

Result<JudgingInput> ReadJudging(const JudgingOptions& options) {
  JudgingInput input;
  ASSIGN_OR_RETURN(const std::string text, ReadInput(options.scenario));
  ASSIGN_OR_RETURN(input.scenario, ParseScenario(options.scenario, text));
  RETURN_IF_ERROR(CheckPolicies(input.scenario));
  if (const Status loaded = LoadPolicyPlugins(options.policy); !loaded.has_value())
    return Fail("--policy: {}", loaded.error().message);
  const auto policy =
      ChoosePolicy(options.policy.empty() ? PolicyToQuote(input.scenario) : options.policy);
  if (!policy.has_value()) return Fail("--policy: {}", policy.error().message);
  if (policy->needs.plan) return Fail("--policy: {} needs a plan", policy->canonical);
  input.policy = policy->canonical;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  input.threads = options.jobs > 0 ? options.jobs : static_cast<int>(cores);
  return input;
}

}  // namespace fairlead
