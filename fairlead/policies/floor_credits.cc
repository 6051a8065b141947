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

void FloorCredits::Pay(const SystemView& view, const Job& job, double amount, double cost) {
  Account& account = accounts_[job.agreement.index()];
  const double most = MostSaved(FloorOf(view, job), cost);
  const double level = LevelOf(view, job, account, cost) - amount;
  account = {.level = std::clamp(level, -most, most), .at = view.now(), .opened = true};
}

void FloorCredits::Start(const SystemView& view, JobId id, const Entitlement& costs) {
  const Job& job = view.job(id);
  if (id.index() >= begun_.size() || begun_[id.index()].serial == job.serial ||
      FloorOf(view, job) == 0)
    return;
  const bool owed = CanPay(view, job, costs);
  begun_[id.index()] = {.serial = job.serial, .owed = owed};
  const double cost = costs.CostOf(job.network);
  if (owed) Pay(view, job, cost, cost);
}

void FloorCredits::End(const SystemView& view, const Event& event, const Entitlement& costs) {
  const Job& job = view.job(event.job);
  if (event.job.index() >= begun_.size() || begun_[event.job.index()].serial != job.serial ||
      FloorOf(view, job) == 0)
    return;
  const bool owed = begun_[event.job.index()].owed;
  const double cost = costs.CostOf(job.network);
  if (event.outcome == Outcome::kHit) {
    if (!owed) Pay(view, job, cost, cost);
  } else if (owed && job.work_left > Duration::zero()) {
    Pay(view, job, -cost * Seconds(job.work_left) / Seconds(view.costs().FastestTotal(job.network)),
        cost);
  }
}

void FloorCredits::Observe(const SystemView& view, const Event& event, const Entitlement& costs) {
  switch (event.kind) {
    case EventKind::kJobArrived:
      if (begun_.size() <= event.job.index()) begun_.resize(2 * event.job.index() + 1);
      if (accounts_.size() < view.ledger().size()) accounts_.resize(view.ledger().size());
      return;
    case EventKind::kSegmentStarted:
      for (const JobId id : view.assignment(event.assignment).jobs) Start(view, id, costs);
      return;
    case EventKind::kJobFinished: return End(view, event, costs);
    default: return;
  }
}

bool FloorCredits::Owed(const SystemView& view, JobId id, const Entitlement& costs) const {
  const Job& job = view.job(id);
  if (id.index() >= begun_.size() || FloorOf(view, job) == 0) return false;
  const Begun& begun = begun_[id.index()];
  return job.started() ? begun.serial == job.serial && begun.owed : CanPay(view, job, costs);
}

}  // namespace fairlead
