#include "fairlead/workload/trace_requests.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "fairlead/base/check.h"
#include "fairlead/base/csv.h"

namespace fairlead {

std::uint32_t Appearances::IndexOf(std::string_view name) {
  const auto [entry, is_new] = index_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return entry->second;
}

std::vector<bool> KeepLargest(std::span<const std::int64_t> totals, std::size_t top) {
  if (top == 0 || top >= totals.size()) return std::vector<bool>(totals.size(), true);
  std::vector<std::size_t> order(totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return totals[i]; });
  std::vector<bool> keep(totals.size(), false);
  for (std::size_t i = 0; i < top; ++i) keep[order[i]] = true;
  return keep;
}

std::int64_t ScaledCount(std::int64_t count, double scale, RandomStream& random) {
  if (scale == 1 || count == 0) return count;
  const double wanted = static_cast<double>(count) * scale;
  const double whole = std::floor(wanted);
  const bool one_more = random.Uniform() < wanted - whole;
  return static_cast<std::int64_t>(whole) + (one_more ? 1 : 0);
}

TraceRequests::TraceRequests(std::string_view file, const TraceOptions& options)
    : file_(file), options_(options) {
  CHECK(!options.networks.empty() && options.scale > 0 && options.speedup > 0);
}

Status TraceRequests::Add(std::uint32_t tenant, std::uint32_t kind,
                          std::int64_t trace_nanoseconds) {
  if (rows_.size() == kMostTraceRequests)
    return Fail("{}: more than {} requests: scale it down, or keep fewer tenants", file_,
                kMostTraceRequests);
  earliest_ = std::min(earliest_, trace_nanoseconds);
  const auto networks = static_cast<std::uint32_t>(options_.networks.size());
  rows_.push_back({.arrival = AtNanoseconds(trace_nanoseconds),
                   .deadline = options_.deadline,
                   .tenant = tenant,
                   .network = kind % networks});
  return {};
}

RequestRows TraceRequests::Finish(std::span<const std::string_view> tenants, std::int64_t origin) {
  RequestRows result;
  for (std::string_view tenant : tenants)
    result.tenants.push_back({std::string(tenant), {std::string(file_)}});
  for (const std::string& network : options_.networks)
    result.networks.push_back({network, {std::string(file_)}});
  std::ranges::stable_sort(rows_, {}, &RequestRow::arrival);
  constexpr double kLatest = 4e18;  // as requests files allow
  RequestNumber number = 0;
  for (RequestRow& row : rows_) {
    const auto since = static_cast<double>(Nanoseconds(row.arrival) - origin);
    row.arrival =
        AtNanoseconds(static_cast<std::int64_t>(std::min(since / options_.speedup, kLatest)));
    row.number = number++;
  }
  result.rows = std::move(rows_);
  return result;
}

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

namespace {

constexpr std::string_view kNames[] = {"HashOwner", "HashApp", "HashFunction", "Trigger"};
constexpr std::size_t kFirstMinute = std::size(kNames);
constexpr std::size_t kMinutesOfDay = 1440;
constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::int64_t kMostInvocations = 1'000'000'000;  // of a function in a minute

// How many minutes there are.
Result<std::size_t> ReadHeader(std::string_view file, CsvLines& lines) {
  if (!lines.Next())
    return FailAt({std::string(file), 1, 1}, "no header row; expected HashOwner,HashApp,...");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string expected =
        i < kFirstMinute ? std::string(kNames[i]) : std::to_string(i - kFirstMinute + 1);
    if (i >= kFirstMinute + kMinutesOfDay)
      return FailAt(lines.PlaceOf(i), "column '{}' after the {} minutes of a day", lines[i],
                    kMinutesOfDay);
    if (lines[i] != expected)
      return FailAt(lines.PlaceOf(i), "column '{}'; expected '{}'", lines[i], expected);
  }
  if (lines.size() <= kFirstMinute)
    return FailAt(lines.PlaceOf(0),
                  "no minutes; expected HashOwner,HashApp,HashFunction,Trigger,"
                  "1,2,...");
  return lines.size() - kFirstMinute;
}

Status CheckLine(const CsvLines& lines, std::size_t minutes) {
  if (lines.size() != kFirstMinute + minutes)
    return FailAt(lines.PlaceOf(0), "{} fields, but the header names {} columns", lines.size(),
                  kFirstMinute + minutes);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto name = lines.Name(i, kNames[i]);
    if (!name.has_value()) return tl::unexpected(name.error());
  }
  return {};
}

// The three names of a function together, as they stand in the text.
std::string_view FunctionOf(const CsvLines& lines) {
  const char* const begin = lines[0].data();
  return {begin, static_cast<std::size_t>(lines[2].data() + lines[2].size() - begin)};
}

// Who asks how often; checks every field.
struct Owners {
  Appearances names;
  std::vector<std::int64_t> totals;
};
Result<Owners> ReadOwners(std::string_view file, std::string_view text) {
  CsvLines lines(file, text);
  ASSIGN_OR_RETURN(const std::size_t minutes, ReadHeader(file, lines));
  Owners owners;
  while (lines.Next()) {
    RETURN_IF_ERROR(CheckLine(lines, minutes));
    const std::uint32_t owner = owners.names.IndexOf(lines[0]);
    if (owner == owners.totals.size()) owners.totals.push_back(0);
    for (std::size_t i = kFirstMinute; i < lines.size(); ++i) {
      ASSIGN_OR_RETURN(const std::int64_t count,
                       lines.Integer(i, "the number of invocations", 0, kMostInvocations));
      owners.totals[owner] += count;
    }
  }
  return owners;
}

Status AddInvocations(const CsvLines& lines, std::uint32_t owner, std::uint32_t function,
                      const TraceOptions& options, TraceRequests& requests) {
  RandomStream random(options.seed, fmt::format("azure-functions/{},{}", FunctionOf(lines),
                                                lines[kFirstMinute - 1]));
  for (std::size_t i = kFirstMinute; i < lines.size(); ++i) {
    const std::int64_t start = static_cast<std::int64_t>(i - kFirstMinute) * kMinute;
    const std::int64_t given = *lines.Integer(i, "", 0, kMostInvocations);
    const std::int64_t count = ScaledCount(given, options.scale, random);
    for (std::int64_t c = 0; c < count; ++c) {
      const auto within = static_cast<std::int64_t>(random.Below(kMinute));
      RETURN_IF_ERROR(requests.Add(owner, function, start + within));
    }
  }
  return {};
}

}  // namespace

Result<ImportedRequests> ParseAzureFunctions2019(std::string_view file, std::string_view text,
                                                 const TraceOptions& options) {
  ASSIGN_OR_RETURN(Owners owners, ReadOwners(file, text));
  const std::vector<bool> keep = KeepLargest(owners.totals, options.top);
  CsvLines lines(file, text);
  lines.Next();  // the header
  Appearances functions;
  TraceRequests requests(file, options);
  while (lines.Next()) {
    const std::uint32_t owner = owners.names.IndexOf(lines[0]);
    const std::uint32_t function = functions.IndexOf(FunctionOf(lines));
    if (keep[owner]) RETURN_IF_ERROR(AddInvocations(lines, owner, function, options, requests));
  }
  return ImportedRequests{.rows = requests.Finish(owners.names.names(), 0)};
}

}  // namespace fairlead
