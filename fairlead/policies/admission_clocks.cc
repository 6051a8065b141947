#include "fairlead/policies/admission_clocks.h"

#include <algorithm>

namespace fairlead {

void AdmissionClocks::Prepare(const SystemView& view) {
  const auto accelerators = view.accelerators();
  lanes_.resize(accelerators.size());
  of_kind_.resize(view.costs().kinds());
  first_.resize(view.costs().kinds());
  for (std::size_t a = 0; a < lanes_.size(); ++a) {
    lanes_[a].clock = accelerators[a].believed_free;
    of_kind_[accelerators[a].kind.index()].push_back(AcceleratorId{a});
  }
}

void AdmissionClocks::Begin(const SystemView& view) {
  if (lanes_.empty()) Prepare(view);
  if (rule_ == ClockRule::kCorrected) {
    for (std::size_t a = 0; a < lanes_.size(); ++a)
      lanes_[a].clock = Corrected(view, AcceleratorId{a});
  }
  for (std::size_t kind = 0; kind < first_.size(); ++kind) FindFirst(view, KindId{kind});
}

Instant AdmissionClocks::Corrected(const SystemView& view, AcceleratorId accelerator) const {
  const Instant free = view.accelerators()[accelerator.index()].believed_free;
  return std::max(view.now(), free) + lanes_[accelerator.index()].owed;
}

void AdmissionClocks::FindFirst(const SystemView& view, KindId kind) {
  AcceleratorId& first = first_[kind.index()];
  first = {};
  for (AcceleratorId a : of_kind_[kind.index()]) {
    if (view.accelerators()[a.index()].online &&
        (!first.valid() || lanes_[a.index()].clock < lanes_[first.index()].clock))
      first = a;
  }
}

void AdmissionClocks::Set(const SystemView& view, AcceleratorId accelerator, Instant clock) {
  lanes_[accelerator.index()].clock = clock;
  FindFirst(view, view.accelerators()[accelerator.index()].kind);
}

AdmissionClocks::Debt& AdmissionClocks::DebtTo(JobId job) {
  if (debts_.size() <= job.index()) debts_.resize(job.index() + 1);
  return debts_[job.index()];
}

void AdmissionClocks::Promise(const SystemView& view, JobId job, AcceleratorId home, Duration work,
                              Instant finish) {
  Debt& debt = DebtTo(job);
  debt.home = home;
  debt.left = work;
  lanes_[home.index()].owed += work;
  Set(view, home, finish);
}

void AdmissionClocks::Move(const SystemView& view, JobId job, SegmentId segment,
                           AcceleratorId where, Duration latency, Duration at_home) {
  Debt& debt = DebtTo(job);
  if (!PayGuest(debt, segment)) PayAtHome(debt, at_home);
  debt.guests.push_back({segment, where, latency});
  lanes_[where.index()].owed += latency;
  Set(view, where, std::max(view.now(), At(where)) + latency);
}

void AdmissionClocks::Serve(JobId job, SegmentId segment, Duration latency) {
  Debt& debt = DebtTo(job);
  if (!PayGuest(debt, segment)) PayAtHome(debt, latency);
}

void AdmissionClocks::PayAtHome(Debt& debt, Duration latency) {
  if (!debt.home.valid()) return;
  const Duration paid = std::min(latency, debt.left);
  debt.left -= paid;
  lanes_[debt.home.index()].owed -= paid;
}

bool AdmissionClocks::PayGuest(Debt& debt, SegmentId segment) {
  const auto guest = std::ranges::find(debt.guests, segment, &Guest::segment);
  if (guest == debt.guests.end()) return false;
  lanes_[guest->where.index()].owed -= guest->latency;
  debt.guests.erase(guest);
  return true;
}

void AdmissionClocks::Forget(JobId job) {
  if (job.index() >= debts_.size()) return;
  Debt& debt = debts_[job.index()];
  PayAtHome(debt, debt.left);
  while (!debt.guests.empty()) PayGuest(debt, debt.guests.back().segment);
  debt.home = {};
}

void AdmissionClocks::Lose(AcceleratorId accelerator, Instant now) {
  if (!lanes_.empty()) lanes_[accelerator.index()].clock = now;
}

}  // namespace fairlead
