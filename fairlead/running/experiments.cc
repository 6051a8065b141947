#include "fairlead/running/experiments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "fairlead/base/csv.h"
#include "fairlead/base/random.h"
#include "fairlead/base/units.h"
#include "fairlead/running/experiment_numbers.h"
#include "fairlead/running/worker_threads.h"
#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

using Rows = std::vector<ExperimentRow>;

constexpr std::string_view kRunsHeader = "task,lines,world,x,policy,seed,figure,values\n";

// A figure a line, a list with blanks between its values. A task is there in full if it has as many
// lines as each of them says.
std::string FormatTask(std::string_view id, const Rows& rows) {
  std::size_t lines = 0;
  for (const ExperimentRow& row : rows) lines += row.figures.size();
  std::string text;
  for (const ExperimentRow& row : rows) {
    const std::string run = fmt::format("{},{},{},{},{},{}", id, lines, CsvField(row.world), row.x,
                                        CsvField(row.policy), row.seed);
    for (const auto& [figure, values] : row.figures)
      text += fmt::format("{},{},{}\n", run, figure, fmt::join(values, " "));
  }
  return text;
}

Status ReadLine(const CsvTable& line, Rows& rows) {
  ASSIGN_OR_RETURN(const double x, line.Number(0, "x", -1e300, 1e300));
  ASSIGN_OR_RETURN(const std::int64_t seed, line.Integer(0, "seed", 0, INT64_MAX));
  ExperimentRow row{std::string(line.Text(0, "world")), x, std::string(line.Text(0, "policy")),
                    static_cast<std::uint64_t>(seed)};
  if (rows.empty() || rows.back().world != row.world || rows.back().x != row.x ||
      rows.back().policy != row.policy || rows.back().seed != row.seed)
    rows.push_back(std::move(row));
  std::vector<double> values;
  const std::string_view list = line.Text(0, "values");
  for (const std::string_view word : SplitAt(list, ' ')) {
    const auto value = ParseNumber(word);
    if (value.has_value())
      values.push_back(*value);
    else if (!list.empty())
      values.push_back(std::nan(""));
  }
  rows.back().figures.emplace_back(line.Text(0, "figure"), std::move(values));
  return {};
}

// What a run that was ended before had finished. Its last line may be cut off.
Result<std::map<std::string, Rows, std::less<>>> ReadRuns(const std::string& path) {
  std::map<std::string, Rows, std::less<>> tasks;
  if (path.empty() || !std::filesystem::exists(path)) return tasks;
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  text.resize(text.rfind('\n') + 1);
  std::map<std::string, std::int64_t, std::less<>> missing;
  RETURN_IF_ERROR(CsvTable::ForEachRow(
      path, text, {"task", "lines", "world", "x", "policy", "seed", "figure", "values"}, {},
      [&](const CsvTable& line) -> Status {
        const std::string task(line.Text(0, "task"));
        ASSIGN_OR_RETURN(const std::int64_t lines, line.Integer(0, "lines", 1, INT64_MAX));
        --missing.try_emplace(task, lines).first->second;
        return ReadLine(line, tasks[task]);
      }));
  std::erase_if(tasks, [&](const auto& task) { return missing.at(task.first) != 0; });
  return tasks;
}

struct PlannedTask {
  std::size_t grid;
  std::string id;
  ExperimentTask task;
  std::optional<Rows> rows{};
};

Result<std::vector<PlannedTask>> PlanTasks(const ExperimentFile& file, const ExperimentPlan& plan,
                                           std::span<const ExperimentKind> kinds,
                                           std::vector<ExperimentGrid>& grids) {
  std::vector<ExperimentKind> known = {{"scheduling", SchedulingTasks}, {"sharing", SharingTasks}};
  known.insert(known.end(), kinds.begin(), kinds.end());
  std::vector<PlannedTask> planned;
  bool compared = plan.policies.empty();
  for (const ExperimentGrid& of : file.grids) {
    ExperimentGrid& grid = grids.emplace_back(of);
    const auto kind = std::ranges::find(known, grid.runs, &ExperimentKind::name);
    if (kind == known.end())
      return Fail("experiment {}: there is no kind of runs '{}'", file.name, grid.runs);
    std::string files;  // policies of one's own, which may have changed
    for (const std::string& policy : plan.policies) {
      if (of.policies.empty()) continue;
      compared = true;
      grid.policies.push_back({policy, {{"policy", policy}}});
      const std::filesystem::path path = policy.substr(0, policy.find(':'));
      if (path.extension() == ".so" && std::filesystem::exists(path))
        files +=
            fmt::format("\n{}", std::filesystem::last_write_time(path).time_since_epoch().count());
    }
    ASSIGN_OR_RETURN(auto tasks, kind->tasks(grid, plan));
    for (ExperimentTask& task : tasks) {
      const std::string key =
          fmt::format("{} {}\n{}{}", FAIRLEAD_VERSION, grid.runs, task.key, files);
      planned.push_back(
          {grids.size() - 1, fmt::format("{:016x}", StableHash(key)), std::move(task)});
    }
  }
  if (!compared) return Fail("experiment {}: it compares no policies", file.name);
  return planned;
}

// On all threads. What has finished is written down at once.
Status RunTasks(std::vector<PlannedTask>& tasks, const ExperimentPlan& plan) {
  ASSIGN_OR_RETURN(const auto before, ReadRuns(plan.runs_file));
  std::size_t done = 0;
  std::string text(kRunsHeader);
  for (PlannedTask& task : tasks) {
    const auto found = before.find(task.id);
    if (found == before.end()) continue;
    task.rows = found->second;
    ++done;
    text += FormatTask(task.id, *task.rows);
  }
  std::ofstream runs;
  if (!plan.runs_file.empty()) {
    const std::string part = plan.runs_file + ".part";
    std::ofstream(part) << text;
    std::error_code failed;
    std::filesystem::rename(part, plan.runs_file, failed);
    runs.open(plan.runs_file, std::ios::app);
    if (failed || !runs) return Fail("{}: it cannot be written", plan.runs_file);
  }
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  std::optional<Error> error;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  WorkOnThreads(plan.jobs > 0 ? plan.jobs : cores, [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      if (tasks[i].rows.has_value()) continue;
      if (plan.stop.stop_requested()) return;
      auto rows = tasks[i].task.run();
      const std::lock_guard lock(mutex);
      if (plan.stop.stop_requested()) return;  // it may have been cut short
      if (!rows.has_value()) {
        if (!error.has_value()) error = rows.error();
        next = tasks.size();
        return;
      }
      tasks[i].rows = std::move(*rows);
      if (runs.is_open()) runs << FormatTask(tasks[i].id, *tasks[i].rows) << std::flush;
      if (plan.progressed)
        plan.progressed(static_cast<double>(++done) / static_cast<double>(tasks.size()));
    }
  });
  if (error.has_value()) return tl::unexpected(*error);
  if (plan.stop.stop_requested()) return Fail("interrupted");
  if (runs.is_open() && !runs) return Fail("{}: it cannot be written", plan.runs_file);
  return {};
}

}  // namespace

Result<ExperimentResults> RunExperiment(const ExperimentFile& file, const ExperimentPlan& plan,
                                        std::span<const ExperimentKind> kinds) {
  std::vector<ExperimentGrid> grids;
  ASSIGN_OR_RETURN(auto tasks, PlanTasks(file, plan, kinds, grids));
  RETURN_IF_ERROR(RunTasks(tasks, plan));
  ExperimentResults results;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    Rows rows;
    for (PlannedTask& task : tasks) {
      if (task.grid == g) std::ranges::move(*task.rows, std::back_inserter(rows));
    }
    const ExperimentRows all(grids[g], std::move(rows));
    RETURN_IF_ERROR(AddNumbers(grids[g].numbers, all, results));
    RETURN_IF_ERROR(AddFigures(grids[g], all, results));
  }
  return results;
}

}  // namespace fairlead
