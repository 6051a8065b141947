#include "fairlead/report/outcome_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>
#include <vector>

#include "fairlead/base/csv.h"

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

namespace {

constexpr std::size_t kPiece = 1 << 16;

std::vector<const LoggedJob*> ByRequest(std::span<const LoggedJob> jobs) {
  std::vector<const LoggedJob*> sorted;
  sorted.reserve(jobs.size());
  for (const LoggedJob& job : jobs) sorted.push_back(&job);
  std::ranges::stable_sort(sorted, {}, [](const LoggedJob* job) { return job->request; });
  return sorted;
}

template <typename Named, typename NameOf>
std::vector<std::string> Fields(std::span<const Named> list, NameOf name_of) {
  std::vector<std::string> fields;
  for (const Named& named : list) fields.push_back(CsvField(name_of(named)));
  return fields;
}

std::string TimeOrNothing(Instant time) {
  return time == kNever ? std::string{} : std::to_string(Nanoseconds(time));
}

}  // namespace

void WriteOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names, std::ostream& out) {
  const auto tenants = Fields(names.tenants, [](const Tenant& tenant) { return tenant.name; });
  const auto networks =
      Fields(names.networks, [](const NetworkGraph& network) { return network.name(); });
  std::string piece = "request,tenant,network,arrival_ns,start_ns,finish_ns,deadline_ns,outcome\n";
  for (const LoggedJob* job : ByRequest(jobs)) {
    fmt::format_to(std::back_inserter(piece), "{},{},{},{},{},{},{},{}\n", job->request,
                   tenants[job->tenant.index()], networks[job->network.index()],
                   Nanoseconds(job->arrival), TimeOrNothing(job->start), TimeOrNothing(job->finish),
                   Nanoseconds(job->deadline - job->arrival), ToString(job->outcome));
    if (piece.size() < kPiece) continue;
    out << piece;
    piece.clear();
  }
  out << piece;
}

std::string FormatOutcomes(std::span<const LoggedJob> jobs, const OutcomeNames& names) {
  std::ostringstream text;
  WriteOutcomes(jobs, names, text);
  return std::move(text).str();
}

}  // namespace fairlead
