#include "fairlead/running/share_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "fairlead/running/worker_threads.h"
#include "fairlead/scenario/embedded_files.h"

namespace fairlead {

Result<SharingScenario> ShippedSharingScenario(std::string_view name) {
  const std::string path = fmt::format("scenarios/sharing/{}.yaml", name);
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) return Fail("{}: not in this program", path);
  return ParseSharingScenario(path, std::string(found->text));
}

Result<ShareGrid> ShareGrid::Run(const SharingScenario& scenario,
                                 std::span<const ShareGridCase> cases, const ExperimentPlan& plan,
                                 bool envy) {
  ShareGrid grid;
  grid.seeds_ = SeedsOf(plan);
  grid.cases_ = cases.size();
  std::vector<std::size_t> worlds;
  for (std::size_t w = 0; w < scenario.worlds.size(); ++w) {
    if (plan.quick && w % 2 == 1) continue;
    worlds.push_back(w);
    grid.loads_.push_back(scenario.queue_utilities[w]);
  }
  const std::size_t tasks = worlds.size() * static_cast<std::size_t>(grid.seeds_);
  grid.runs_.resize(tasks * cases.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto run_task = [&](std::size_t task) -> Status {
    const std::size_t w = worlds[task / static_cast<std::size_t>(grid.seeds_)];
    const std::uint64_t seed = plan.seed + task % static_cast<std::size_t>(grid.seeds_);
    const RoundWorld& world = scenario.worlds[w];
    const RoundArrivals arrivals(world, seed);
    ASSIGN_OR_RETURN(const ShareYardsticks yardsticks, MeasureYardsticks(world, arrivals));
    const ShareCase in{world, arrivals, yardsticks, seed, envy};
    for (std::size_t c = 0; c < cases.size(); ++c) {
      if (plan.stop.stop_requested()) return Fail("interrupted");
      ASSIGN_OR_RETURN(ShareRun run, MeasureShare(in, cases[c].entry));
      run.queue_utility = scenario.queue_utilities[w];
      grid.runs_[task * cases.size() + c] = std::move(run);
    }
    return {};
  };
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  WorkOnThreads(threads, [&] {
    for (std::size_t task = next++; task < tasks; task = next++) {
      if (Status status = run_task(task); !status.has_value()) {
        const std::lock_guard lock(mutex);
        if (!error.has_value()) error = status.error();
        return;
      }
    }
  });
  if (error.has_value()) return tl::unexpected<Error>(*error);
  return grid;
}

const ShareRun& ShareGrid::At(int world, int seed, std::size_t a_case) const {
  return runs_[static_cast<std::size_t>(world * seeds_ + seed) * cases_ + a_case];
}

std::vector<double> ShareGrid::BySeed(std::size_t a_case, Measure measure) const {
  std::vector<double> values;
  for (int s = 0; s < seeds_; ++s) {
    double sum = 0;
    for (int w = 0; w < worlds(); ++w) sum += measure(At(w, s, a_case));
    values.push_back(sum / worlds());
  }
  return values;
}

std::vector<double> ShareGrid::BySeed(std::size_t a_case, Measure measure, int world) const {
  std::vector<double> values;
  for (int s = 0; s < seeds_; ++s) values.push_back(measure(At(world, s, a_case)));
  return values;
}

std::vector<double> ShareGrid::RatioBySeed(std::size_t a_case, std::size_t other,
                                           Measure measure) const {
  std::vector<double> values;
  for (int s = 0; s < seeds_; ++s) {
    double sum = 0;
    for (int w = 0; w < worlds(); ++w) sum += measure(At(w, s, a_case)) / measure(At(w, s, other));
    values.push_back(sum / worlds());
  }
  return values;
}

std::string ShareGrid::Plot(std::span<const ShareGridCase> cases, Measure measure,
                            std::string_view label, std::string_view unit) const {
  XyPlot plot{.label = std::string(label),
              .x = {.label = "queue utility", .format = FormatPercent},
              .y = {.label = std::string(unit)},
              .series = {}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    XySeries series{.name = cases[c].name, .style = StyleOf(c), .points = {}};
    for (int w = 0; w < worlds(); ++w) {
      const Estimate estimate = EstimateMean(BySeed(c, measure, w));
      series.points.push_back(
          {.x = load(w),
           .y = estimate.mean,
           .title = fmt::format("{}: {:.4f} +- {:.4f}", cases[c].name, estimate.mean,
                                estimate.half_width.value_or(0))});
    }
    plot.series.push_back(std::move(series));
  }
  return DrawXyPlot(plot);
}

void AddNumber(ExperimentResults& results, std::string name, std::span<const double> values) {
  results.numbers.push_back({.name = std::move(name), .estimate = EstimateMean(values)});
}

}  // namespace fairlead
