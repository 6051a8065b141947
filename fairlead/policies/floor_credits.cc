#include "fairlead/policies/floor_credits.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr double kLongestSaving = 1;  // seconds of earning

double FloorOf(const SystemView& view, const Job& job) {
  return job.covered ? view.ledger().Promise(job.agreement).floor : 0;
}

// One request can be saved up for, however long that takes.
double MostSaved(double floor, double cost) { return std::max(kLongestSaving * floor, cost); }

}  // namespace

// A new account can pay for one request.
double FloorCredits::LevelOf(const SystemView& view, const Job& job, const Account& account,
                             double cost) {
  if (!account.opened) return cost;
  const double floor = FloorOf(view, job);
  return std::min(MostSaved(floor, cost), account.level + floor * Seconds(view.now() - account.at));
}

bool FloorCredits::CanPay(const SystemView& view, const Job& job, const Entitlement& costs) const {
  const double cost = costs.CostOf(job.network);
  return LevelOf(view, job, accounts_[job.agreement.index()], cost) >= cost;
}

void FloorCredits::Observe(const SystemView& view, const Event& event, const Entitlement& costs) {
  if (event.kind == EventKind::kJobArrived) {
    if (paid_.size() <= event.job.index()) paid_.resize(2 * event.job.index() + 1);
    if (accounts_.size() < view.ledger().size()) accounts_.resize(view.ledger().size());
    return;
  }
  if (event.kind != EventKind::kSegmentStarted) return;
  for (const JobId id : view.assignment(event.assignment).jobs) {
    const Job& job = view.job(id);
    if (id.index() >= paid_.size() || paid_[id.index()].serial == job.serial ||
        FloorOf(view, job) == 0)
      continue;
    const double cost = costs.CostOf(job.network);
    Account& account = accounts_[job.agreement.index()];
    paid_[id.index()] = {.serial = job.serial, .owed = CanPay(view, job, costs)};
    const double least = -MostSaved(FloorOf(view, job), cost);
    account = {.level = std::max(least, LevelOf(view, job, account, cost) - cost),
               .at = view.now(),
               .opened = true};
  }
}

bool FloorCredits::Owed(const SystemView& view, JobId id, const Entitlement& costs) const {
  const Job& job = view.job(id);
  if (id.index() >= paid_.size() || FloorOf(view, job) == 0) return false;
  const Paid& paid = paid_[id.index()];
  return job.started() ? paid.serial == job.serial && paid.owed : CanPay(view, job, costs);
}

}  // namespace fairlead
