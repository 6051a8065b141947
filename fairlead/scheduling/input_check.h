// Whether an input that comes from outside may be applied to an engine.
//
// The engine trusts the world around it: it indexes with the ids that it is given, and CHECKs what
// a correct world never does. Files and clients are not to be trusted, so what comes from them
// passes here first. O(1) for arrivals and completions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// What all agreements may ask for together, since windows take memory.
inline constexpr std::int64_t kMostWindows = 10'000'000;
// That a world may come to have.
inline constexpr std::size_t kMostNetworks = 10'000;

// Why an input is refused, for programs.
enum class RefusalCode : std::uint8_t {
  kUnknownAgreement,
  kUnknownAccelerator,
  kUnknownTenant,
  kUnknownNetwork,
  kUnknownJob,
  kOutOfRange,      // a number or a time that cannot be
  kAgreementEnded,  // before
  kOtherAgreement,  // a change that makes it another tenant's, or another network's
  kHadRequests,     // an agreement that was to go on with another history
  kNotIdle,         // an accelerator that was to be reserved
  kNotReserved,     // an accelerator that was to be released
  kTooMuch,         // the engine has no room for it
  kUnknownPolicy,   // or it cannot be made here
  kNameTaken,       // by a network that is there
  kUnreachable,     // a deadline that cannot be made
  kNotLoaded,       // a network
  kNoCapacity,      // nothing is there that could run it
  kClosed,          // nothing is taken in, or no more
};

std::string_view ToString(RefusalCode code);

struct Refusal {
  RefusalCode code{};
  std::string message;  // for people
};

class InputCheck {
 public:
  // The state is the engine's, before its first input; it is not owned and outlives this object.
  explicit InputCheck(const SystemState& state);

  // What passes must be applied before the next call. That a policy that is
  // to take over can be made is not asked here: checked_inputs.h.
  tl::expected<void, Refusal> Check(const Input& input);

 private:
  // What the fields alone do not tell.
  using Verdict = tl::expected<void, Refusal>;
  template <typename InputType>
  Verdict CheckMore(const InputType& /*input*/) {
    return {};
  }
  Verdict CheckMore(const Arrival& arrival);
  Verdict CheckMore(const AgreementStart& start);
  Verdict CheckMore(const AgreementChange& change);
  Verdict CheckMore(const AgreementEnd& end);
  Verdict CheckMore(const AgreementContinue& going_on);
  Verdict CheckMore(const NetworkAdd& add);
  Verdict CheckMore(const BeliefChange& change);
  Verdict CheckMore(const GuardRules& rules);
  Verdict CheckMore(const Reservation& reservation);
  Verdict CheckMore(const Release& release);
  Verdict CheckWindows(std::int64_t windows);
  static Verdict CheckPeriod(const ServiceAgreement& agreement);
  Verdict CheckFloor(const ServiceAgreement& agreement, AgreementId id);

  const SystemState& state_;
  std::int64_t windows_ = 0;    // of all agreements, summed
  std::vector<bool> reserved_;  // per accelerator
};

}  // namespace fairlead
