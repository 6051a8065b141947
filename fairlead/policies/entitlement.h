// What tenants may ask of the machine who have no contract that says so: a token bucket for each,
// which fills with a part of the machine: that of its weight, counted four times, among all
// weights. Best effort takes what promises leave: among whom a promised tenant is counted, all of
// best effort is one more like it. What a request takes out of it is its dominant share: of all
// accelerators' time, or of the memory's bandwidth.
//
// O(1) per arrival; O(segments + agreements) when accelerators, tenants, agreements or
// beliefs change: what is believed of a machine may be far from it in the beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class Entitlement {
 public:
  // To be told of every event.
  void Observe(const SystemView& view, const Event& event);
  // The tenant had asked for more than its part when this job arrived.
  bool Exceeded(JobId id, std::uint64_t serial) const {
    return id.index() < exceeding_.size() && exceeding_[id.index()] == serial;
  }
  // Of all that was asked of the machine lately, the tenant has asked for more than its part, and
  // more than half. That holds whatever is believed of the machine's speed.
  bool Floods(TenantId id) const {
    return id.index() < buckets_.size() && buckets_[id.index()].floods;
  }
  // What one request for the network takes: seconds of the whole machine.
  double CostOf(NetworkId network) const { return costs_[network.index()]; }
  // Computes costs and shares anew where something has changed. Before CostOf.
  void Refresh(const SystemView& view);
  // Grows whenever they are, and when a tenant begins or ceases to flood.
  std::uint64_t version() const { return version_; }
  // Grows whenever it was not what is believed of networks that changed.
  std::uint64_t shares_version() const { return shares_version_; }

 private:
  enum class Presence : std::uint8_t { kNone, kBestEffort, kPromised };
  struct Bucket {
    double level = 0;  // seconds of the machine
    Instant at{};
    bool opened = false;
    double asked = 0;  // lately: seconds of the machine, those of long ago for less
    Instant asked_at{};
    bool floods = false;
  };
  void Arrive(const SystemView& view, JobId id);
  void NoteDemand(const SystemView& view, const Job& job);
  // The part of the machine that a tenant is covered for.
  double RateOf(const SystemView& view, TenantId id) const;

  bool changed_ = true;
  std::uint64_t costs_version_ = 0;  // of the view, that costs_ are of
  std::uint64_t version_ = 0;
  std::uint64_t shares_version_ = 0;
  double asked_ = 0;  // of all
  Instant asked_at_{};
  double weights_ = 1;                    // of all tenants that are there
  double promised_ = 0;                   // of those who were promised something
  std::vector<double> costs_;             // per network
  std::vector<Presence> presence_;        // per tenant
  std::vector<Bucket> buckets_;           // per tenant
  std::vector<std::uint64_t> exceeding_;  // per job slot: the last serial beyond
};

}  // namespace fairlead
