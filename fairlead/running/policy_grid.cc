#include "fairlead/running/policy_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/report_plots.h"
#include "fairlead/running/run.h"
#include "fairlead/running/share_grid.h"
#include "fairlead/scenario/embedded_files.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

constexpr int kQuickPart = 10;  // of a scenario's time

Result<std::unique_ptr<const World>> ShippedWorld(const GridWorld& grid, bool quick) {
  const std::string path = fmt::format("scenarios/{}.yaml", grid.scenario);
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) return Fail("{}: not in this program", path);
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(path, std::string(found->text), grid.settings));
  if (quick) {
    scenario.horizon /= kQuickPart;
    scenario.warm_up /= kQuickPart;
  }
  return BuildWorld(std::move(scenario), &ReadFile);
}

}  // namespace

Result<PolicyGrid> PolicyGrid::Run(const GridWorld& of, std::span<const std::string> policies,
                                   const ExperimentPlan& plan, Part part) {
  PolicyGrid grid;
  grid.name_ = of.name.empty() ? of.scenario : of.name;
  grid.policies_.assign(policies.begin(), policies.end());
  grid.seeds_ = static_cast<std::size_t>(std::min(SeedsOf(plan), part.seeds));
  ASSIGN_OR_RETURN(const auto world, ShippedWorld(of, plan.quick));
  RunPlan runs;
  for (const std::string& policy : policies) {
    for (std::size_t s = 0; s < grid.seeds_; ++s)
      runs.specs.push_back({.policy = policy, .seed = plan.seed + s, .bounds = false});
  }
  std::mutex mutex;
  std::vector<double> done(runs.specs.size(), 0);
  double sum = 0;
  runs.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  runs.stop = plan.stop;
  runs.progressed = [&](std::size_t spec, double share) {
    if (!plan.progressed) return;
    const std::lock_guard lock(mutex);
    sum += share - std::exchange(done[spec], share);
    plan.progressed(part.begin + part.share * sum / static_cast<double>(done.size()));
  };
  ASSIGN_OR_RETURN(grid.runs_, RunAll(*world, runs));
  if (grid.runs_.size() != runs.specs.size()) return Fail("interrupted");
  return grid;
}

std::span<const RunFigures> PolicyGrid::Of(std::string_view policy) const {
  const auto found = std::ranges::find(policies_, policy);
  CHECK(found != policies_.end());
  return std::span(runs_).subspan(static_cast<std::size_t>(found - policies_.begin()) * seeds_,
                                  seeds_);
}

std::vector<double> PolicyGrid::BySeed(std::string_view policy, Measure measure) const {
  std::vector<double> values;
  for (const RunFigures& run : Of(policy)) values.push_back(measure(run));
  return values;
}

void PolicyGrid::AddNumbers(std::string_view name, Measure measure,
                            ExperimentResults& results) const {
  for (const std::string& policy : policies_)
    AddNumber(results, fmt::format("{}/{}/{}", name, name_, policy), BySeed(policy, measure));
}

HtmlTable PolicyGrid::Table(std::string caption, std::span<const Column> columns) const {
  HtmlTable table{.caption = std::move(caption), .columns = {"policy"}, .sortable = true};
  for (const Column& column : columns) table.columns.push_back(column.name);
  for (const std::string& policy : policies_) {
    std::vector<HtmlCell>& row = table.rows.emplace_back();
    row.push_back({.text = policy});
    for (const Column& column : columns) {
      const Estimate estimate = EstimateMean(BySeed(policy, column.measure));
      row.push_back(
          {.text = fmt::format("{:.2f}", column.scale * estimate.mean),
           .note = fmt::format("± {:.2f}", column.scale * estimate.half_width.value_or(0)),
           .order = estimate.mean});
    }
  }
  return table;
}

namespace {

std::vector<PolicyRuns> RunsOf(const PolicyGrid& grid) {
  std::vector<PolicyRuns> all;
  for (const std::string& policy : grid.policies()) {
    PolicyRuns& runs = all.emplace_back();
    runs.policy = policy;
    for (const RunFigures& run : grid.Of(policy)) runs.runs.push_back(&run);
  }
  return all;
}

HtmlFigure Named(HtmlFigure figure, const std::string& name) {
  figure.name += "-" + name;
  figure.title += ", " + name;
  return figure;
}

}  // namespace

HtmlFigure PolicyGrid::HitRates() const { return Named(HitRateFigure(RunsOf(*this)), name_); }
HtmlFigure Frontier(std::span<const PolicyGrid> grids, std::string name, std::string title,
                    const FrontierAxis& x, const FrontierAxis& y) {
  XyPlot plot{.label = title,
              .x = {.label = x.label, .format = FormatPercent},
              .y = {.label = y.label, .format = FormatPercent},
              .series = {}};
  const auto policies = grids.front().policies();
  for (std::size_t p = 0; p < policies.size(); ++p) {
    XySeries series{.name = policies[p], .style = StyleOf(p), .points = {}};
    for (const PolicyGrid& grid : grids) {
      const double across = EstimateMean(grid.BySeed(policies[p], x.measure)).mean;
      const double up = EstimateMean(grid.BySeed(policies[p], y.measure)).mean;
      series.points.push_back({.x = across,
                               .y = up,
                               .title = fmt::format("{}, {}: {:.1f} %, {:.1f} %", policies[p],
                                                    grid.name(), 100 * across, 100 * up)});
    }
    plot.series.push_back(std::move(series));
  }
  return {.name = std::move(name),
          .title = std::move(title),
          .svg = DrawXyPlot(plot),
          .caption =
              "A line for each policy, a point for each world; further up and to the right is "
              "better."};
}

HtmlFigure PolicyGrid::Targets() const { return Named(TargetFigure(RunsOf(*this)), name_); }

}  // namespace fairlead
