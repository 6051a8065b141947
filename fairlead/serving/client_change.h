// What clients and operators may change while a live world runs, and how they are answered.
#pragma once

#include <functional>
#include <tl/expected.hpp>
#include <variant>

#include "fairlead/scheduling/checked_inputs.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

// What became of an input: what it has made, or why it was refused.
using InputAnswer = tl::expected<MadeByInput, Refusal>;
using InputReply = std::function<void(const InputAnswer&)>;

// Beside requests; how segments fare is the backend's to say.
using ClientChange =
    std::variant<Cancellation, AcceleratorLoss, AcceleratorReturn, TenantJoin, TenantLeave,
                 AgreementStart, AgreementChange, AgreementEnd, AgreementContinue, NetworkUnload,
                 NetworkLoad, NetworkAdd, BeliefChange, PolicyChange, GuardRules>;

}  // namespace fairlead
