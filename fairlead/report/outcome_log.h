// The log of a run: how each request ended, kept for results and for the outcomes file.
#pragma once

#include <span>
#include <vector>

#include "fairlead/base/histogram.h"
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

}  // namespace fairlead
