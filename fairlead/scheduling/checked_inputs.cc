#include "fairlead/scheduling/checked_inputs.h"

#include <string>
#include <utility>
#include <variant>

namespace fairlead {
namespace {

// The one that takes over with this input; null: none does.
const std::string* PolicyOf(const Input& input) {
  if (const auto* change = std::get_if<PolicyChange>(&input)) return &change->policy;
  if (const auto* fallback = std::get_if<GuardFallback>(&input)) return &fallback->policy;
  if (const auto* back = std::get_if<GuardReturn>(&input)) return &back->policy;
  return nullptr;
}

}  // namespace

CheckedInputs::CheckedInputs(SchedulingEngine& engine, SchedulingEngine::PolicyFactory policies)
    : engine_(engine), policies_(std::move(policies)), check_(engine.state()) {
  engine_.set_policy_factory([this](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
    return std::move(next_policy_);
  });
}

tl::expected<MadeByInput, Refusal> CheckedInputs::Apply(const Input& input) {
  if (auto verdict = check_.Check(input); !verdict.has_value())
    return tl::unexpected<Refusal>(std::move(verdict).error());
  if (const auto* const rules = std::get_if<GuardRules>(&input)) {
    if (auto verdict = MakePolicy(rules->options.fallback); !verdict.has_value())
      return tl::unexpected<Refusal>(std::move(verdict).error());
  }
  if (std::holds_alternative<NetworkAdd>(input)) {
    if (auto verdict = MakePolicy(std::string(engine_.policy_name())); !verdict.has_value())
      return tl::unexpected<Refusal>(std::move(verdict).error());
  }
  if (const std::string* const policy = PolicyOf(input)) {
    if (auto verdict = MakePolicy(*policy); !verdict.has_value())
      return tl::unexpected<Refusal>(std::move(verdict).error());
  }
  if (const auto* arrival = std::get_if<Arrival>(&input))
    return MadeByInput{.job = engine_.Apply(*arrival)};
  engine_.Apply(input);
  if (std::holds_alternative<TenantJoin>(input))
    return MadeByInput{.tenant = TenantId{engine_.state().tenants.size() - 1}};
  if (std::holds_alternative<AgreementStart>(input))
    return MadeByInput{.agreement = AgreementId{engine_.state().ledger.size() - 1}};
  if (std::holds_alternative<NetworkAdd>(input))
    return MadeByInput{.network = NetworkId{engine_.state().networks.size() - 1}};
  return MadeByInput{};
}

tl::expected<void, Refusal> CheckedInputs::MakePolicy(const std::string& name) {
  if (policies_ == nullptr)
    return tl::unexpected<Refusal>(
        {RefusalCode::kUnknownPolicy, "the policy of this run cannot be changed"});
  auto policy = policies_(name);
  if (!policy.has_value())
    return tl::unexpected<Refusal>(
        {RefusalCode::kUnknownPolicy, std::move(policy).error().message});
  next_policy_ = std::move(*policy);
  return {};
}

}  // namespace fairlead
