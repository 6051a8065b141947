// The log of a run: how each request ended, kept for results and for the outcomes file.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

struct LoggedJob {
  RequestNumber request = 0;
  AgreementId agreement;
  TenantId tenant;
  NetworkId network;
  Instant arrival{};
  Instant start = kNever;   // of its first segment; kNever if it never started
  Instant finish = kNever;  // of its last segment; kNever if it was given up
  Instant deadline{};       // absolute
  Outcome outcome{};
  Reason reason{};
  bool covered = true;  // by its contract

  bool finished() const { return finish != kNever; }
};

// 64 bytes a request, warm-up included; adding one is O(1) on average.
class OutcomeLog final : public RunListener {
 public:
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}

  // In the order of their ends.
  std::span<const LoggedJob> jobs() const { return jobs_; }

 private:
  std::vector<LoggedJob> jobs_;
};

// From arrival to finish, in nanoseconds: of requests that arrived after the warm-up and finished.
Histogram LatencyHistogram(std::span<const LoggedJob> jobs, Instant measured_from);

// The outcomes file: one line for each request and what became of it.
//
// CSV with the columns request, tenant, network, arrival_ns, start_ns, finish_ns, deadline_ns,
// outcome. Arrival, start and finish are on the run's axis; the deadline is relative to arrival,
// as in the requests file, so that the two can be laid side by side. start_ns is empty where no
// segment ever started, finish_ns where the request was dropped or rejected. Lines are sorted by
// request number, so that equal outcomes are equal bytes, whatever the order of ends.

// Who the ids of a log stand for: at the end of a run, the engine's tenants and networks.
struct OutcomeNames {
  std::span<const Tenant> tenants;
  std::span<const NetworkGraph> networks;
};

std::string FormatOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names);
// The same, piece by piece. Whoever opened the stream asks it whether all was well.
void WriteOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names, std::ostream& out);

}  // namespace fairlead
