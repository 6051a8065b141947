// Policy specs: the canonical form of a spec is its own canonical form, and the policy's name.

#include "fairlead/base/check.h"
#include "fairlead/world/policy_registry.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Platform platform;
  const PolicyContext context{.seed = 1,
                              .platform = &platform,
                              .plan = "plan.csv",
                              .read = [](const std::string&) -> Result<std::string> {
                                return std::string("request,layer,accelerator,order\n");
                              }};
  const auto list = ParsePolicyList(TextOf(data, size));
  if (!list.has_value()) {
    CHECK(!list.error().message.empty());
    return 0;
  }
  for (const std::string& spec : *list) {
    const auto canonical = CanonicalPolicy(spec);
    CHECK(canonical.has_value() && *canonical == spec);
    const auto policy = MakePolicy(spec, context);
    CHECK(policy.has_value() && (*policy)->Name() == spec);
  }
  return 0;
}

}  // namespace fairlead
