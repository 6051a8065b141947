// Who stands beside the engine, in the world, and may put another policy in charge.
//
// What it says goes into the engine as a PolicyChange, an input like any other: so it is recorded,
// and a replay needs no advisor.
#pragma once

#include <optional>
#include <string>

#include "fairlead/base/time.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

class PolicyAdvisor {
 public:
  virtual ~PolicyAdvisor() = default;
  // An input has been applied, at the engine's instant.
  virtual void NoteInput(const Input& input, const SchedulingEngine& engine) = 0;
  // The next instant at which Advise wants to be called, no later than the next decision; kNever:
  // none.
  virtual Instant NextTimer() const = 0;
  // The policy that is to take over now, by name and options. Before each decision.
  virtual std::optional<std::string> Advise(const SchedulingEngine& engine) = 0;
};

}  // namespace fairlead
