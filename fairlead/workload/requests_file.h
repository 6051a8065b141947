// The requests file: a list of requests with names, as people and other simulators write it.
//
// CSV with the columns request, arrival_ns, tenant, network, deadline_ns (relative to arrival;
// empty: as agreed) and optionally priority (1 unless given), in any order. Reading goes in two
// steps, since the text knows names and the world knows networks: ParseRequests checks everything
// the file alone can answer for, BuildRequests matches the names with the networks there are. Both
// are linear but for sorting.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"

namespace fairlead {

inline constexpr Duration kNotGiven{-1};

struct RequestRow {
  RequestNumber number = 0;
  Instant arrival{};
  Duration deadline{};  // kNotGiven: that of its agreement
  int priority = 1;
  std::uint32_t tenant = 0;   // of RequestRows::tenants
  std::uint32_t network = 0;  // of RequestRows::networks
};

// A name, and where the file mentions it first.
struct NameAtPlace {
  std::string name;
  Place place;
};

struct RequestRows {
  std::vector<NameAtPlace> tenants;   // each once, as the file mentions them
  std::vector<NameAtPlace> networks;  // likewise
  std::vector<RequestRow> rows;       // by arrival, then as in the file
};

// Refuses, with the place: a number that stands twice, negative or more than 4e18; times that are
// negative, not whole or beyond 4e18; names that are empty, long or unprintable; a priority
// outside 0 to 1000000.
Result<RequestRows> ParseRequests(std::string_view file, std::string_view text);

// Tenants and agreements are numbered by their first request in time order, so the order of lines
// does not matter. Agreements are best effort; their deadline is that of their first request.
struct RequestsFile {
  std::vector<Tenant> tenants;
  std::vector<ServiceAgreement> agreements;  // tenant x network
  std::vector<Request> requests;             // in time order
};

// The deadline that was agreed for requests without one; none: they are refused.
using DeadlineOf =
    std::function<std::optional<Duration>(std::string_view tenant, std::string_view network)>;

// The id of a network is its position among the names. An unknown one is refused, with the place
// and the nearest name.
Result<RequestsFile> BuildRequests(const RequestRows& rows,
                                   std::span<const std::string_view> network_names,
                                   const DeadlineOf& deadline_of = {});

// The text that gives these requests again.
std::string FormatRequests(const RequestsFile& file,
                           std::span<const std::string_view> network_names);

}  // namespace fairlead
