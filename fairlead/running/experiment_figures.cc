#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fairlead/base/csv.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/running/experiment_numbers.h"

namespace fairlead {
namespace {

struct DrawnPoint {
  double x = 0;
  double y = 0;
  std::optional<double> half_width{};  // of y
  std::string at{};                    // the world, where points are worlds
};

// A figure while it is put together: lines, and the same as a table.
class FigureDrawing {
 public:
  FigureDrawing(const FigureSpec& spec, const std::string& world) : spec_(spec) {
    name_ = world.empty() ? spec.name : spec.name + "-" + world;
    plot_.label = world.empty() ? spec.title : spec.title + ", " + world;
    plot_.x.label = spec.x_label;
    plot_.y.label = spec.y_label;
    if (spec.percent) plot_.y.format = FormatPercent;
    if (spec.kind == FigureSpec::Kind::kWorlds && spec.percent) plot_.x.format = FormatPercent;
    if (spec.log) plot_.y.kind = ScaleKind::kLog;
  }

  void Add(const std::string& policy, const std::vector<DrawnPoint>& points, bool marks = true) {
    XySeries series{
        .name = policy, .style = StyleOf(plot_.series.size()), .points = {}, .marks = marks};
    for (const DrawnPoint& point : points) {
      const std::string error =
          point.half_width.has_value() ? fmt::format("{}", *point.half_width) : "";
      csv_ += fmt::format("{},{},{},{},{}\n", CsvField(policy), CsvField(point.at), point.x,
                          point.y, error);
      series.points.push_back({.x = point.x,
                               .y = point.y,
                               .title = fmt::format("{} {}: {:.4f} +- {:.4f}", policy, point.at,
                                                    point.y, point.half_width.value_or(0))});
    }
    plot_.series.push_back(std::move(series));
  }

  ExperimentFigure Finish(std::string caption) && {
    return {{.name = name_,
             .title = plot_.label,
             .svg = DrawXyPlot(plot_),
             .caption = std::move(caption)},
            "policy,world,x,y,half_width\n" + csv_};
  }

 private:
  const FigureSpec& spec_;
  std::string name_;
  XyPlot plot_;
  std::string csv_;
};

std::vector<std::string> WorldsOf(const FigureSpec& spec, const ExperimentRows& rows) {
  std::vector<std::string> worlds;
  for (const std::string& world : rows.worlds()) {
    if (FitsPatterns(world, spec.worlds)) worlds.push_back(world);
  }
  return worlds;
}

Result<Estimate> EstimateAt(const std::string& of, const ExperimentRows& rows,
                            ExperimentRows::At at) {
  ASSIGN_OR_RETURN(const auto values, BySeed(of, rows, std::move(at)));
  return values.empty() ? Estimate{.mean = std::nan("")} : EstimateMean(values);
}

Status AddPoints(const FigureSpec& spec, const ExperimentRows& rows, ExperimentResults& results) {
  for (const std::string& world : WorldsOf(spec, rows)) {
    FigureDrawing drawing(spec, world);
    std::size_t most = 0;
    for (const std::string& policy : rows.policies()) {
      std::vector<DrawnPoint> points;
      for (const double x : rows.Points(world)) {
        std::vector<double> values;
        for (const std::uint64_t seed : rows.seeds()) {
          ASSIGN_OR_RETURN(const double value, Evaluate(spec.y, rows, {world, x, policy, seed}));
          if (std::isfinite(value)) values.push_back(value);
        }
        if (values.empty()) continue;
        const Estimate estimate = EstimateMean(values);
        points.push_back({x, estimate.mean, estimate.half_width});
      }
      most = std::max(most, points.size());
      if (!points.empty()) drawing.Add(policy, points);
    }
    if (most > 1)
      results.figures.push_back(
          std::move(drawing).Finish("Means over seeds; the intervals stand in the table."));
  }
  return {};
}

Status AddOverWorlds(const FigureSpec& spec, const ExperimentRows& rows,
                     ExperimentResults& results) {
  FigureDrawing drawing(spec, "");
  for (const std::string& policy : rows.policies()) {
    std::vector<DrawnPoint> points;
    for (const std::string& world : WorldsOf(spec, rows)) {
      ASSIGN_OR_RETURN(const Estimate x,
                       EstimateAt(spec.x, rows, {.world = world, .policy = policy}));
      ASSIGN_OR_RETURN(const Estimate y,
                       EstimateAt(spec.y, rows, {.world = world, .policy = policy}));
      if (std::isfinite(x.mean) && std::isfinite(y.mean))
        points.push_back({x.mean, y.mean, y.half_width, world});
    }
    if (!points.empty()) drawing.Add(policy, points);
  }
  results.figures.push_back(
      std::move(drawing).Finish("A line for each policy, a point for each world."));
  return {};
}

void AddDistributions(const FigureSpec& spec, const ExperimentRows& rows,
                      ExperimentResults& results) {
  for (const std::string& world : WorldsOf(spec, rows)) {
    FigureDrawing drawing(spec, world);
    for (const std::string& policy : rows.policies()) {
      std::vector<double> all;
      for (const ExperimentRow& row : rows.all()) {
        if (row.world != world || row.policy != policy) continue;
        for (const auto& [name, values] : row.figures) {
          if (name == spec.x) all.insert(all.end(), values.begin(), values.end());
        }
      }
      std::erase_if(all, [](double value) { return !std::isfinite(value); });
      std::ranges::sort(all);
      constexpr int kSteps = 100;
      std::vector<DrawnPoint> points;
      for (int i = 0; i <= kSteps && !all.empty(); ++i) {
        const double share = static_cast<double>(i) / kSteps;
        points.push_back({Quantile(all, share), share});
      }
      if (!points.empty()) drawing.Add(policy, points, false);
    }
    results.figures.push_back(
        std::move(drawing).Finish("The share with at most that, over all points and seeds."));
  }
}

// A square list, of each policy in the run that has most of y.
void AddMatrices(const FigureSpec& spec, const ExperimentRows& rows, ExperimentResults& results) {
  for (const std::string& policy : rows.policies()) {
    const ExperimentRow* worst = nullptr;
    for (const ExperimentRow& row : rows.all()) {
      if (row.policy == policy && (worst == nullptr || row.Of(spec.y) > worst->Of(spec.y)))
        worst = &row;
    }
    if (worst == nullptr) continue;
    const auto list =
        std::ranges::find(worst->figures, spec.x, [](const auto& figure) { return figure.first; });
    if (list == worst->figures.end()) continue;
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(list->second.size())));
    HtmlTable table{.caption = fmt::format("{}: {}, seed {}", spec.title, policy, worst->seed),
                    .columns = {"agent"},
                    .rows = {}};
    for (std::size_t j = 0; j < n; ++j) table.columns.push_back(fmt::format("of A{}'s", j + 1));
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<HtmlCell>& row = table.rows.emplace_back();
      row.push_back({.text = fmt::format("A{}", i + 1)});
      for (std::size_t j = 0; j < n; ++j)
        row.push_back({.text = fmt::format("{:.4f}", list->second[i * n + j])});
    }
    results.tables.push_back(std::move(table));
  }
}

// Policies by numbers, a table for each world.
Status AddTables(const ExperimentGrid& grid, const ExperimentRows& rows,
                 ExperimentResults& results) {
  for (const std::string& world : rows.worlds()) {
    HtmlTable table{.caption = world, .columns = {"policy"}, .rows = {}, .sortable = true};
    std::vector<const NumberSpec*> columns;
    for (const NumberSpec& spec : grid.numbers) {
      if (spec.name.find("{policy}") == std::string::npos || !FitsPatterns(world, spec.worlds) ||
          !spec.with.empty() || spec.over != NumberSpec::Over::kSeeds)
        continue;
      columns.push_back(&spec);
      table.columns.push_back(spec.name.substr(0, spec.name.find("/{")));
    }
    for (const std::string& policy : rows.policies()) {
      std::vector<HtmlCell> row = {{.text = policy}};
      for (const NumberSpec* spec : columns) {
        ASSIGN_OR_RETURN(const Estimate estimate,
                         EstimateAt(spec->of, rows, {.world = world, .policy = policy}));
        row.push_back(
            {.text = std::isfinite(estimate.mean) ? fmt::format("{:.4f}", estimate.mean) : "-",
             .note = estimate.half_width.has_value() ? fmt::format("± {:.4f}", *estimate.half_width)
                                                     : "",
             .order = estimate.mean});
      }
      table.rows.push_back(std::move(row));
    }
    if (!columns.empty()) results.tables.push_back(std::move(table));
  }
  return {};
}

}  // namespace

Status AddFigures(const ExperimentGrid& grid, const ExperimentRows& rows,
                  ExperimentResults& results) {
  for (const FigureSpec& spec : grid.figures) {
    switch (spec.kind) {
      case FigureSpec::Kind::kPoints: RETURN_IF_ERROR(AddPoints(spec, rows, results)); break;
      case FigureSpec::Kind::kWorlds: RETURN_IF_ERROR(AddOverWorlds(spec, rows, results)); break;
      case FigureSpec::Kind::kDistribution: AddDistributions(spec, rows, results); break;
      case FigureSpec::Kind::kMatrix: AddMatrices(spec, rows, results); break;
    }
  }
  return AddTables(grid, rows, results);
}

}  // namespace fairlead
