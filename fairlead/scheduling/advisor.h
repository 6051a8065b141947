// Who stands beside the engine, in the world, and puts another policy in charge when that is
// better.
//
// The advice goes into the engine as a PolicyChange, an input like any other: it is recorded, and a
// replay needs no advisor. While a guard's fallback is in charge, nobody advises.
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

  // An input has been applied.
  virtual void NoteInput(const Input& input) = 0;
  // The next instant at which Advise has to be called; kNever: at the next decision is enough.
  virtual Instant NextTimer() const = 0;
  // The policy that is to take over now, by name and options. Before each decision.
  virtual std::optional<std::string> Advise(const SchedulingEngine& engine) = 0;
};

}  // namespace fairlead
