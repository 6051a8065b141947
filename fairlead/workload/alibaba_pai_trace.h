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
#pragma once

#include <string_view>

#include "fairlead/workload/trace_requests.h"

namespace fairlead {

struct AlibabaPaiText {
  std::string_view jobs_file;
  std::string_view jobs;
  std::string_view tasks_file;
  std::string_view tasks;  // a view of nothing (null): jobs alone
};

// Records that never started, and tasks of jobs that are not in the table, are left out.
Result<ImportedRequests> ParseAlibabaPai2020(const AlibabaPaiText& text,
                                             const TraceOptions& options);

}  // namespace fairlead
