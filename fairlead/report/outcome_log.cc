#include "fairlead/report/outcome_log.h"

namespace fairlead {

void OutcomeLog::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  const bool finished = outcome == Outcome::kHit || outcome == Outcome::kMiss;
  jobs_.push_back({.request = job.request,
                   .agreement = job.agreement,
                   .tenant = job.tenant,
                   .network = job.network,
                   .arrival = job.arrival,
                   .start = job.first_start,
                   .finish = finished ? now : kNever,
                   .deadline = job.deadline,
                   .outcome = outcome,
                   .reason = reason,
                   .covered = job.covered});
}

Histogram LatencyHistogram(std::span<const LoggedJob> jobs, Instant measured_from) {
  Histogram latencies;
  for (const LoggedJob& job : jobs) {
    if (job.finished() && job.arrival >= measured_from)
      latencies.Add(static_cast<std::uint64_t>((job.finish - job.arrival).count()));
  }
  return latencies;
}

}  // namespace fairlead
