// The outcomes file: one line for each request and what became of it.
//
// CSV with the columns request, tenant, network, arrival_ns, start_ns, finish_ns, deadline_ns,
// outcome. Arrival, start and finish are on the run's axis; the deadline is relative to arrival,
// as in the requests file, so that the two can be laid side by side. start_ns is empty where no
// segment ever started, finish_ns where the request was dropped or rejected. Lines are sorted by
// request number, so that equal outcomes are equal bytes, whatever the order of ends.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/report/outcome_log.h"

namespace fairlead {

// Who the ids of a log stand for: at the end of a run, the engine's tenants and networks.
struct OutcomeNames {
  std::span<const Tenant> tenants;
  std::span<const NetworkGraph> networks;
};

std::string FormatOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names);
// The same, piece by piece. Whoever opened the stream asks it whether all was well.
void WriteOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names, std::ostream& out);

}  // namespace fairlead
