#include "fairlead/running/training/learning_curve.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"

namespace fairlead {
namespace {

// The figures of a point, by their column.
struct Column {
  std::string_view name;
  double& (*of)(CurvePoint&);
};
constexpr Column kColumns[] = {
    {"seconds", [](CurvePoint& p) -> double& { return p.seconds; }},
    {"loss", [](CurvePoint& p) -> double& { return p.loss; }},
    {"value", [](CurvePoint& p) -> double& { return p.value; }},
    {"hit_rate", [](CurvePoint& p) -> double& { return p.evaluation.hit_rate; }},
    {"worst", [](CurvePoint& p) -> double& { return p.evaluation.worst; }},
    {"std", [](CurvePoint& p) -> double& { return p.evaluation.deviation; }},
    {"met", [](CurvePoint& p) -> double& { return p.evaluation.met; }},
    {"shortfall", [](CurvePoint& p) -> double& { return p.evaluation.shortfall; }},
    {"worst_margin", [](CurvePoint& p) -> double& { return p.evaluation.worst_margin; }},
};

HtmlFigure Figure(const LearningCurve& curve, const Column& column, std::string title) {
  std::map<std::string, XySeries> by_world;
  for (CurvePoint point : curve.points) {
    XySeries& series = by_world[point.evaluation.world];
    series.points.push_back({.x = point.seconds / 60,
                             .y = column.of(point),
                             .title = fmt::format("{} after round {}: {:.4f}", point.phase,
                                                  point.round, column.of(point))});
  }
  XyPlot plot{.label = title, .x = {.label = "minutes"}, .y = {.label = title}};
  for (auto& [world, series] : by_world) {
    series.name = world;
    series.style = StyleOf(plot.series.size());
    plot.series.push_back(std::move(series));
  }
  return {
      .name = std::string(column.name),
      .title = std::move(title),
      .svg = DrawXyPlot(plot),
      .caption = "By real time, one line for each world; on traffic that was not learned from."};
}

}  // namespace

std::string FormatCurve(const LearningCurve& curve) {
  std::string text = "round,phase,decisions,world";
  for (const Column& column : kColumns) text += fmt::format(",{}", column.name);
  text += '\n';
  for (CurvePoint point : curve.points) {
    text += fmt::format("{},{},{},{}", point.round, point.phase, point.decisions,
                        point.evaluation.world);
    for (const Column& column : kColumns) text += fmt::format(",{:.6g}", column.of(point));
    text += '\n';
  }
  return text;
}

Result<LearningCurve> ParseCurve(std::string_view file, std::string_view text) {
  std::vector<std::string_view> columns = {"round", "phase", "decisions", "world"};
  for (const Column& column : kColumns) columns.push_back(column.name);
  ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Parse(file, text, columns, {}));
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  LearningCurve curve;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    CurvePoint& point = curve.points.emplace_back();
    ASSIGN_OR_RETURN(const std::int64_t round, table.Integer(row, "round", 0, INT32_MAX));
    ASSIGN_OR_RETURN(const std::int64_t decisions, table.Integer(row, "decisions", 0, kMost));
    point.round = static_cast<int>(round);
    point.decisions = static_cast<std::uint64_t>(decisions);
    point.phase = table.Text(row, "phase");
    point.evaluation.world = table.Text(row, "world");
    for (const Column& column : kColumns) {
      ASSIGN_OR_RETURN(column.of(point), table.Number(row, column.name, -1e12, 1e12));
    }
  }
  return curve;
}

std::string CurvePage(const LearningCurve& curve, std::string_view title) {
  HtmlPage page(title);
  page.Section("Learning curves");
  std::vector<HtmlFigure> figures;
  const std::pair<std::string_view, std::string> shown[] = {
      {"hit_rate", "overall hit rate"},
      {"worst", "hit rate of the worst agreement"},
      {"std", "standard deviation over agreements"},
      {"met", "share of agreements at their target"},
      {"loss", "loss of the phase"},
      {"value", "value that the critic gives the actor"}};
  for (const auto& [name, words] : shown) {
    for (const Column& column : kColumns) {
      if (column.name == name) figures.push_back(Figure(curve, column, words));
    }
  }
  page.Figures(figures);
  page.FoldedVerbatim("The same as CSV", FormatCurve(curve));
  return std::move(page).Finish();
}

}  // namespace fairlead
