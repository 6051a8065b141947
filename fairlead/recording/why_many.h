// Where the time of many requests went, and who is to blame: why.h over all that did not hit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/why.h"

namespace fairlead {

// Of the requests that did not hit, those that are asked about.
struct WhySelection {
  std::string tenant;              // empty: all
  std::optional<Outcome> outcome;  // none: all
  std::size_t worst = 5;           // so many are told one by one
};

// What of a tenant's network was lost, or in the way.
struct TenantSum {
  std::string tenant;
  std::string network;
  std::int64_t requests = 0;
  Duration time{};
};

struct WhyMany {
  // More are not looked at one by one, but evenly chosen.
  static constexpr std::size_t kMostAccounts = 2000;

  std::int64_t requests = 0;  // of the recording, that ended
  std::int64_t missed = 0;    // of those asked about, like the next
  std::int64_t dropped = 0;
  std::int64_t rejected = 0;
  std::vector<TenantSum> losers;  // those who lost most first
  std::size_t accounts = 0;       // that the rest is of
  Duration total{};               // from arrival to end, summed like all that follows
  Duration admission{};
  Duration waited{};
  Duration deciding{};
  Duration away{};
  Duration idle{};
  Duration alone{};
  Duration switching{};
  Duration going_on{};
  Duration slowed{};
  Duration lost{};
  std::vector<TenantSum> blockers;    // whom they waited behind, the longest first
  std::vector<RequestAccount> worst;  // the latest first, then those given up

  std::int64_t selected() const { return missed + dropped + rejected; }
};

// Fails when the recording is malformed, or has no such tenant. Reads the recording twice.
Result<WhyMany> AccountForMany(const Recording& recording, const WhySelection& selection);

// For people, several lines.
std::string ToText(const WhyMany& many);

}  // namespace fairlead
