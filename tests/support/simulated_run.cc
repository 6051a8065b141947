#include "tests/support/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"

namespace fairlead::testing {

SimulatedRun::SimulatedRun(const World& world, std::string_view policy, std::uint64_t seed)
    : world_(world), seeded_(world, seed) {
  SimulationSetup setup = seeded_.Setup();
  setup.listener = this;
  setup.policy = policy;
  auto made = seeded_.Policy(policy);
  CHECK_MSG(made.has_value(), made.error().message);
  simulator_ = std::make_unique<Simulator>(std::move(setup), std::move(*made));
}

void SimulatedRun::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  const AgreementId agreement = seeded_.arrangement().agreements[job.agreement.index()];
  ends_.push_back({job.request, agreement, outcome, reason, job.arrival, job.first_start, now,
                   job.deadline, job.covered});
}

void SimulatedRun::SegmentEnded(const Assignment& assignment, Instant now) {
  Stay stay{.requests = {},
            .network = seeded_.arrangement().networks[assignment.network.index()],
            .segment = assignment.segment,
            .accelerator = seeded_.arrangement().accelerators[assignment.accelerator.index()],
            .units = assignment.units,
            .resizes = {},
            .bandwidth_cap = assignment.bandwidth_cap,
            .version = assignment.version,
            .start = assignment.start,
            .end = now};
  for (JobId job : assignment.jobs)
    stay.requests.push_back(simulator_->engine().state().jobs[job.index()].request);
  if (assignment.id.slot < resizes_.size())
    stay.resizes = std::exchange(resizes_[assignment.id.slot], {});
  stays_.push_back(std::move(stay));
}

void SimulatedRun::SegmentResized(const Assignment& assignment, int units_before, Instant now) {
  if (resizes_.size() <= assignment.id.slot) resizes_.resize(assignment.id.slot + 1);
  resizes_[assignment.id.slot].push_back({now, units_before, assignment.units});
}

void SimulatedRun::GuardActed(const GuardAct& act, Instant now) {
  guard_acts_ += fmt::format("{} {}\n", Nanoseconds(now), Describe(act));
}

void SimulatedRun::PromiseSacrificed(AgreementId agreement, Instant now) {
  NotePromise(agreement, "sacrificed", now);
}

void SimulatedRun::PromiseRestored(AgreementId agreement, Instant now) {
  NotePromise(agreement, "restored", now);
}

void SimulatedRun::NotePromise(AgreementId agreement, std::string_view what, Instant now) {
  const SystemState& state = simulator_->engine().state();
  const ServiceAgreement& promise = state.ledger.Promise(agreement);
  sacrifices_ += fmt::format("{} {} {}'s {}\n", Nanoseconds(now), what,
                             state.tenants[promise.tenant.index()].name,
                             state.networks[promise.network.index()].name());
}

std::string SimulatedRun::Timeline() const {
  std::vector<const Stay*> sorted;
  for (const Stay& stay : stays_) sorted.push_back(&stay);
  std::ranges::sort(sorted, [](const Stay* a, const Stay* b) {
    return std::tie(a->start, a->accelerator, a->end, a->requests, a->segment) <
           std::tie(b->start, b->accelerator, b->end, b->requests, b->segment);
  });
  std::string text;
  for (const Stay* stay : sorted) {
    text += fmt::format("{} {}..{} ", world_.platform.accelerators[stay->accelerator.index()].name,
                        Nanoseconds(stay->start), Nanoseconds(stay->end));
    for (std::size_t i = 0; i < stay->requests.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : "+", stay->requests[i]);
    text += fmt::format("/{}", stay->segment.value);
    if (!stay->resizes.empty() || stay->units != world_.platform.UnitsOf(stay->accelerator))
      text += fmt::format(" on {} units", stay->FirstUnits());
    for (const Resize& resize : stay->resizes)
      text += fmt::format(", {} from {}", resize.after, Nanoseconds(resize.at));
    if (stay->bandwidth_cap > 0)
      text += fmt::format(" capped at {}", FormatBandwidth(stay->bandwidth_cap));
    if (stay->version > 0) text += fmt::format(" in version {}", stay->version);
    text += '\n';
  }
  return text;
}

std::string SimulatedRun::Outcomes() const {
  std::vector<End> sorted = ends_;
  std::ranges::sort(sorted, {}, &End::request);
  std::string text;
  for (const End& end : sorted) {
    text += fmt::format("{} {} {}..{}\n", end.request, ToString(end.outcome),
                        end.start == kNever ? "-" : std::to_string(Nanoseconds(end.start)),
                        Nanoseconds(end.end));
  }
  return text;
}

namespace {

FileReader Texts(const std::string& profile, const std::string& requests, const std::string& plan) {
  return [=](const std::string& path) -> Result<std::string> {
    if (path == "profile") return profile;
    if (path == "requests") return requests;
    if (path == "plan") return plan;
    return Fail("no file {}", path);
  };
}

}  // namespace

Result<std::unique_ptr<const World>> WorldOfTexts(const std::string& scenario,
                                                  const std::string& profile,
                                                  const std::string& requests) {
  ASSIGN_OR_RETURN(Scenario parsed, ParseScenario("scenario", scenario));
  return BuildWorld(std::move(parsed), Texts(profile, requests, ""));
}

Result<std::unique_ptr<const World>> BareWorldOfTexts(const std::string& profile,
                                                      const std::string& requests,
                                                      const std::string& plan) {
  return BuildBareWorld(
      {.profile = "profile", .requests = "requests", .plan = plan.empty() ? "" : "plan"},
      Texts(profile, requests, plan));
}

}  // namespace fairlead::testing
