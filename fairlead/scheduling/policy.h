// The one interface of every scheduling policy.
//
// A policy is driven, never driving. After all events of one instant were applied the engine calls
// it; it answers at once. It reads no clock, blocks on nothing, starts no thread, and uses only
// the random stream that its constructor got. Equal histories give equal plans: replay tests hold
// every registered policy to this.
#pragma once

#include <string_view>

#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class SchedulingPolicy {
 public:
  virtual ~SchedulingPolicy() = default;

  // Stable; it changes when behaviour changes, because recordings and results carry it.
  virtual std::string_view Name() const = 0;

  // Sees each change, in order, before Decide. Must not be needed for what the view tells anyway.
  virtual void Observe(const SystemView& /*view*/, const Event& /*event*/) {}

  // Adds to an empty plan. Forbidden: starting a segment that is not ready, more units than are
  // free, an accelerator that is away or has no cost for the segment, dropping what has ended,
  // a wake-up that is not in the future, sacrificing what is sacrificed or has no promise,
  // restoring what is not sacrificed.
  virtual void Decide(const SystemView& view, SchedulingPlan& plan) = 0;
};

}  // namespace fairlead
