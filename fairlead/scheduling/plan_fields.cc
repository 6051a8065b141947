#include "fairlead/scheduling/plan_fields.h"

#include <fmt/format.h>

namespace fairlead {

namespace {

std::string DescribeAgreement(const SystemState& state, AgreementId id) {
  if (id.index() >= state.ledger.size()) return fmt::format(" agreement {} (unknown)", id.value);
  const ServiceAgreement& agreement = state.ledger.Promise(id);
  return fmt::format(" {}'s {}", state.tenants[agreement.tenant.index()].name,
                     state.networks[agreement.network.index()].name());
}

}  // namespace

std::string Describe(const SystemState& state, const SchedulingPlan& plan, const PlanEntry& entry) {
  std::string text{NamesOf(entry.verb).name};
  for (JobId id : plan.JobsOf(entry)) {
    if (id.index() < state.jobs.size()) {
      const Job& job = state.jobs[id.index()];
      text += fmt::format(" {}request {}", job.active ? "" : "ended ", job.request);
    } else {
      text += fmt::format(" job {} (unknown)", id.value);
    }
  }
  if (entry.segment.valid()) text += fmt::format(" segment {}", entry.segment.value);
  if (entry.verb == Verb::kResize)
    text += fmt::format(" assignment {}/{}", entry.assignment.slot, entry.assignment.generation);
  if (entry.accelerator.valid()) {
    text += entry.accelerator.index() < state.accelerators.size()
                ? " on " + state.platform->accelerators[entry.accelerator.index()].name
                : fmt::format(" on accelerator {} (unknown)", entry.accelerator.value);
  }
  if (entry.options.units != 0) text += fmt::format(" with {} units", entry.options.units);
  if (entry.options.bandwidth_cap != 0)
    text += fmt::format(" capped at {} B/s", entry.options.bandwidth_cap);
  if (entry.verb == Verb::kDrop || entry.verb == Verb::kReject)
    text += fmt::format(" as {}", ToString(entry.reason));
  if (entry.verb == Verb::kWake) text += fmt::format(" at {} ns", Nanoseconds(entry.at));
  if (entry.agreement.valid()) text += DescribeAgreement(state, entry.agreement);
  return text;
}

std::string Describe(const SystemState& state, const SchedulingPlan& plan) {
  if (plan.empty()) return "  (nothing)\n";
  std::string text;
  for (const PlanEntry& entry : plan.entries()) text += "  " + Describe(state, plan, entry) + "\n";
  return text;
}

}  // namespace fairlead
