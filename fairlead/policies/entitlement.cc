#include "fairlead/policies/entitlement.h"

#include <algorithm>
#include <cmath>

#include "fairlead/scheduling/machine_share.h"

namespace fairlead {
namespace {

constexpr double kTimes = 4;          // a tenant's weight counts against the others'
constexpr double kBurstSeconds = 4;   // of its part of the machine
constexpr double kLeastBurst = 2;     // requests
constexpr double kHalfForgotten = 2;  // seconds, after which what was asked counts half
constexpr double kLeastFlood = 0.5;   // of all that is asked
constexpr double kNoFlood = 0.8;      // of the part: below that a tenant floods no more
constexpr double kFewest = 8;         // requests that make a flood

}  // namespace

void Entitlement::Observe(const SystemView& view, const Event& event) {
  switch (event.kind) {
    case EventKind::kJobArrived: return Arrive(view, event.job);
    case EventKind::kAcceleratorJoined:
    case EventKind::kAcceleratorLeft:
    case EventKind::kTenantJoined:
    case EventKind::kTenantLeft:
    case EventKind::kAgreementChanged:
    case EventKind::kPolicyChanged: changed_ = true; return;
    default: return;
  }
}

void Entitlement::Refresh(const SystemView& view) {
  if (!changed_ && costs_version_ == view.costs_version()) return;
  if (changed_) ++shares_version_;
  changed_ = false;
  costs_version_ = view.costs_version();
  ++version_;
  costs_.resize(view.networks().size());
  for (std::size_t n = 0; n < costs_.size(); ++n) costs_[n] = MachineSeconds(view, NetworkId{n});
  buckets_.resize(view.tenants().size());
  presence_.assign(view.tenants().size(), Presence::kNone);
  const FairnessLedger& ledger = view.ledger();
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    const AgreementId id{i};
    if (!ledger.IsOpen(id)) continue;
    const ServiceAgreement& promise = ledger.Promise(id);
    Presence& presence = presence_[promise.tenant.index()];
    presence =
        std::max(presence, promise.IsPromised() ? Presence::kPromised : Presence::kBestEffort);
  }
  weights_ = promised_ = 0;
  for (std::size_t t = 0; t < presence_.size(); ++t) {
    if (presence_[t] == Presence::kNone) continue;
    weights_ += view.tenants()[t].weight;
    if (presence_[t] == Presence::kPromised) promised_ += view.tenants()[t].weight;
  }
}

double Entitlement::RateOf(const SystemView& view, TenantId id) const {
  const double weight = view.tenants()[id.index()].weight;
  const double all = presence_[id.index()] == Presence::kPromised
                         ? promised_ + std::min(weight, weights_ - promised_)
                         : weights_;
  return kTimes * weight / ((kTimes - 1) * weight + all);
}

void Entitlement::Arrive(const SystemView& view, JobId id) {
  Refresh(view);
  if (exceeding_.size() <= id.index()) exceeding_.resize(2 * id.index() + 1);
  const Job& job = view.job(id);
  NoteDemand(view, job);
  if (view.ledger().Promise(job.agreement).contract.has_value()) return;
  const double rate = RateOf(view, job.tenant);
  const double cost = costs_[job.network.index()];
  const double most = std::max(kBurstSeconds * rate, kLeastBurst * cost);
  Bucket& bucket = buckets_[job.tenant.index()];
  if (!bucket.opened) {
    bucket.level = most;
    bucket.at = view.now();
    bucket.opened = true;
  }
  bucket.level = std::min(most, bucket.level + rate * Seconds(view.now() - bucket.at));
  bucket.at = view.now();
  if (bucket.level >= cost) {
    bucket.level -= cost;
    return;
  }
  exceeding_[id.index()] = job.serial;
}

void Entitlement::NoteDemand(const SystemView& view, const Job& job) {
  if (!job.covered) return;
  const double cost = costs_[job.network.index()];
  const auto add = [&](double& asked, Instant& at) {
    asked = cost + asked * std::exp2(-Seconds(view.now() - at) / kHalfForgotten);
    at = view.now();
  };
  Bucket& bucket = buckets_[job.tenant.index()];
  add(bucket.asked, bucket.asked_at);
  add(asked_, asked_at_);
  if (view.ledger().Promise(job.agreement).contract.has_value()) return;
  const double part =
      std::max(RateOf(view, job.tenant), kLeastFlood) * (bucket.floods ? kNoFlood : 1);
  const bool floods = bucket.asked > part * asked_ && bucket.asked > kFewest * cost;
  if (floods == bucket.floods) return;
  bucket.floods = floods;
  ++version_;
}

}  // namespace fairlead
