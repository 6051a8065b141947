#include "fairlead/policies/dispatch.h"

#include <utility>

namespace fairlead {

Dispatch::Dispatch(DropRule drop, MemoryLimit memory, std::unique_ptr<Placement> placement,
                   AcceleratorSlots::Units units)
    : early_drop_(drop), memory_(memory), placement_(std::move(placement)), units_(units) {}

void Dispatch::Begin(const SystemView& view, SchedulingPlan& plan, const ScoringRule* rule) {
  rule_ = rule;
  early_drop_.Begin(view, plan);
  placement_->Begin(view);
  memory_.Begin(view, rule);
  if (units_ == AcceleratorSlots::Units::kDivided) division_.Begin(view);
}

}  // namespace fairlead
