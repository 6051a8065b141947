#include "fairlead/workload/alibaba_pai_trace.h"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "fairlead/base/csv.h"

namespace fairlead {
namespace {

constexpr double kLatestSecond = 4e9;
constexpr double kLargestTraceNumber = 1e15;

// Job table columns.
enum JobField : std::size_t { kJobName, kInstance, kUser, kJobStatus, kJobStart, kJobEnd };
// Task table columns.
enum TaskField : std::size_t {
  kTaskJob,
  kTaskName,
  kInstances,
  kTaskStatus,
  kTaskStart,
  kTaskEnd,
  kCpus,
  kMemory,
  kGpus,
  kGpuType,
  kTaskFields
};
constexpr std::size_t kJobFields = kJobEnd + 1;

// Something that began, and whose it is.
struct Start {
  std::uint32_t user = 0;
  std::uint32_t kind = 0;  // decides on the network
  std::int64_t at = 0;     // nanoseconds
};

struct Starts {
  Appearances users;
  std::vector<Start> list;
  std::int64_t left_out = 0;
};

Status ExpectFields(const CsvLines& lines, std::size_t count, std::string_view table) {
  if (lines.size() == count) return {};
  return FailAt(lines.PlaceOf(0), "{} fields; a line of {} has {}", lines.size(), table, count);
}

// Nothing where it is empty or 0.
Result<std::optional<std::int64_t>> ReadTime(const CsvLines& lines, std::size_t field,
                                             std::string_view what) {
  if (lines[field].empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const double seconds, lines.Number(field, what, 0, kLatestSecond));
  if (seconds == 0) return std::nullopt;
  return std::llround(seconds * 1e9);
}

Status CheckNumber(const CsvLines& lines, std::size_t field, std::string_view what) {
  if (lines[field].empty()) return {};
  const auto value = lines.Number(field, what, 0, kLargestTraceNumber);
  if (!value.has_value()) return tl::unexpected(value.error());
  return {};
}

// Goes to the first line of data.
bool SkipHeader(CsvLines& lines) {
  return lines.Next() && (lines[0] != "job_name" || lines.Next());
}

using UserOfJob = std::unordered_map<std::string_view, std::uint32_t>;

// All jobs; fills the list with those that started.
Status ReadJobs(const AlibabaPaiText& text, Starts& starts, UserOfJob& user_of_job) {
  CsvLines lines(text.jobs_file, text.jobs);
  for (bool more = SkipHeader(lines); more; more = lines.Next()) {
    RETURN_IF_ERROR(ExpectFields(lines, kJobFields, "pai_job_table"));
    ASSIGN_OR_RETURN(const std::string_view job, lines.Name(kJobName, "job_name"));
    ASSIGN_OR_RETURN(const std::string_view user_name, lines.Name(kUser, "user"));
    ASSIGN_OR_RETURN(const auto start, ReadTime(lines, kJobStart, "start_time"));
    RETURN_IF_ERROR(CheckNumber(lines, kJobEnd, "end_time"));
    const std::uint32_t user = starts.users.IndexOf(user_name);
    user_of_job.try_emplace(job, user);
    if (start.has_value()) {
      starts.list.push_back({.user = user, .kind = user, .at = *start});
    } else {
      ++starts.left_out;
    }
  }
  return {};
}

// Tasks take the place of jobs.
Status ReadTasks(const AlibabaPaiText& text, const UserOfJob& user_of_job, Starts& starts) {
  starts.list.clear();
  starts.left_out = 0;
  Appearances names;
  Appearances gpus;
  std::unordered_map<std::uint64_t, std::uint32_t> kinds;  // by name and GPU
  CsvLines lines(text.tasks_file, text.tasks);
  for (bool more = SkipHeader(lines); more; more = lines.Next()) {
    RETURN_IF_ERROR(ExpectFields(lines, kTaskFields, "pai_task_table"));
    ASSIGN_OR_RETURN(const std::string_view job, lines.Name(kTaskJob, "job_name"));
    ASSIGN_OR_RETURN(const std::string_view name, lines.Name(kTaskName, "task_name"));
    ASSIGN_OR_RETURN(const auto start, ReadTime(lines, kTaskStart, "start_time"));
    RETURN_IF_ERROR(CheckNumber(lines, kInstances, "inst_num"));
    RETURN_IF_ERROR(CheckNumber(lines, kTaskEnd, "end_time"));
    RETURN_IF_ERROR(CheckNumber(lines, kCpus, "plan_cpu"));
    RETURN_IF_ERROR(CheckNumber(lines, kMemory, "plan_mem"));
    RETURN_IF_ERROR(CheckNumber(lines, kGpus, "plan_gpu"));
    const std::uint64_t pair =
        (std::uint64_t{names.IndexOf(name)} << 32) | gpus.IndexOf(lines[kGpuType]);
    const auto kind = kinds.try_emplace(pair, static_cast<std::uint32_t>(kinds.size())).first;
    const auto user = user_of_job.find(job);
    if (start.has_value() && user != user_of_job.end()) {
      starts.list.push_back({.user = user->second, .kind = kind->second, .at = *start});
    } else {
      ++starts.left_out;
    }
  }
  return {};
}

}  // namespace

Result<ImportedRequests> ParseAlibabaPai2020(const AlibabaPaiText& text,
                                             const TraceOptions& options) {
  Starts starts;
  UserOfJob user_of_job;
  RETURN_IF_ERROR(ReadJobs(text, starts, user_of_job));
  if (text.tasks.data() != nullptr) RETURN_IF_ERROR(ReadTasks(text, user_of_job, starts));

  std::vector<std::int64_t> totals(starts.users.names().size(), 0);
  for (const Start& start : starts.list) ++totals[start.user];
  const std::vector<bool> keep = KeepLargest(totals, options.top);
  RandomStream random(options.seed, "alibaba-pai");
  TraceRequests requests(text.jobs_file, options);
  for (const Start& start : starts.list) {
    const std::int64_t count = ScaledCount(1, options.scale, random);
    for (std::int64_t c = 0; c < count && keep[start.user]; ++c)
      RETURN_IF_ERROR(requests.Add(start.user, start.kind, start.at));
  }
  const std::int64_t origin = requests.earliest();
  return ImportedRequests{.rows = requests.Finish(starts.users.names(), origin),
                          .left_out = starts.left_out};
}

}  // namespace fairlead
