// What importers of public traces share: from somebody's record of a cluster to a requests file.
//
// A trace knows tenants and when they asked, but no networks of ours and no deadlines: those are
// given, and networks are dealt in turn to whatever the trace tells apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/workload/requests_file.h"

namespace fairlead {

struct TraceOptions {
  std::vector<std::string> networks;  // not empty
  Duration deadline = std::chrono::milliseconds{50};
  double scale = 1;     // requests for each one of the trace; > 0
  double speedup = 1;   // the trace's time over ours; > 0
  std::size_t top = 0;  // only so many tenants, those who ask most; 0: all
  std::uint64_t seed = 1;
};

struct ImportedRequests {
  RequestRows rows;
  std::int64_t left_out = 0;  // records that cannot be requests: they never started
};

// More are refused: a trace of weeks needs a scale, or fewer tenants.
inline constexpr std::size_t kMostTraceRequests = 10'000'000;

// Numbers names by their first appearance. The names are views of the trace's text.
class Appearances {
 public:
  std::uint32_t IndexOf(std::string_view name);
  std::span<const std::string_view> names() const { return names_; }

 private:
  std::unordered_map<std::string_view, std::uint32_t> index_;
  std::vector<std::string_view> names_;
};

// Which tenants are among the `top` by their totals; ties go to the first. All with a top of 0.
std::vector<bool> KeepLargest(std::span<const std::int64_t> totals, std::size_t top);

// A count times a scale, rounded at random so that the mean is exact.
std::int64_t ScaledCount(std::int64_t count, double scale, RandomStream& random);

// Collects the requests of a trace, and puts them in order. Linear but for sorting.
class TraceRequests {
 public:
  // Options and file outlive it.
  TraceRequests(std::string_view file, const TraceOptions& options);

  // `kind` is what the trace tells apart: it decides on the network. Fails on one too many.
  Status Add(std::uint32_t tenant, std::uint32_t kind, std::int64_t trace_nanoseconds);
  // Time 0 is that of the trace, or the first request. Tenants are named by their indices.
  RequestRows Finish(std::span<const std::string_view> tenants, std::int64_t origin);
  std::int64_t earliest() const { return earliest_; }

 private:
  std::string_view file_;
  const TraceOptions& options_;
  std::vector<RequestRow> rows_;
  std::int64_t earliest_ = INT64_MAX;
};

// The trace of Alibaba's PAI clusters of 2020 (Weng et al., NSDI 2022): jobs of two months.
//
// CSV without header rows. pai_job_table: job_name, inst_id, user, status, start_time, end_time;
// pai_task_table: job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem,
// plan_gpu, gpu_type. Times are seconds; empty or 0 where something never started. A first line
// that names the columns is passed over.
//
// A user becomes a tenant and a start an arrival; the first one is at time 0. Without tasks every
// job is a request, and users are dealt the networks in turn; with tasks every task is one, and
// networks are dealt to the pairs of task name and kind of GPU.

struct AlibabaPaiText {
  std::string_view jobs_file;
  std::string_view jobs;
  std::string_view tasks_file;
  std::string_view tasks;  // a view of nothing (null): jobs alone
};

// Records that never started, and tasks of jobs that are not in the table, are left out.
Result<ImportedRequests> ParseAlibabaPai2020(const AlibabaPaiText& text,
                                             const TraceOptions& options);

// The Azure Functions trace of 2019 (Shahrad et al., USENIX ATC 2020): how often each function was
// invoked in each minute of a day.
//
// CSV with the header HashOwner,HashApp,HashFunction,Trigger,1,...,1440: a line for each function,
// then the number of invocations by minute. Files cut to fewer minutes are read too.
//
// An owner becomes a tenant; functions are dealt the networks in turn, by their first appearance;
// invocations are spread evenly at random over their minute. What is drawn for a function depends
// on the seed and its names alone, so that keeping fewer tenants changes nothing for the others.

// Reads the text twice: first who asks how often, then the arrivals of those who are kept.
Result<ImportedRequests> ParseAzureFunctions2019(std::string_view file, std::string_view text,
                                                 const TraceOptions& options);

}  // namespace fairlead
