#include "fairlead/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fairlead/plots/axis.h"

namespace fairlead {
namespace {

enum class Unit : std::uint8_t { kNumber, kShare, kTime };
enum class Shown : std::uint8_t { kIfKnown, kIfNotZero };

struct Column {
  std::string_view path;
  std::string_view heading;
  std::string_view bound = {};  // the fluid bound on it, if there is one
  Unit unit = Unit::kNumber;
  Shown shown = Shown::kIfKnown;
};
constexpr Column kColumns[] = {
    {"hit_rate", "hit rate", "bounds.hit_rate", Unit::kShare},
    {"agreements.min", "worst agreement", "bounds.worst_tenant", Unit::kShare},
    {"agreements.median", "median agreement", {}, Unit::kShare},
    {"agreements.jain", "Jain\u2019s index"},
    {"agreements.met_share", "agreements met", {}, Unit::kShare},
    {"latency.p50", "median latency", {}, Unit::kTime},
    {"latency.p99", "99 % latency", {}, Unit::kTime},
    {"antt", "ANTT"},
    {"window_violations", "windows violated", {}, Unit::kNumber, Shown::kIfNotZero},
    {"revenue", "revenue", {}, Unit::kNumber, Shown::kIfNotZero},
    {"energy_j", "energy, J", {}, Unit::kNumber, Shown::kIfNotZero},
    {"bandwidth_utilisation", "memory in use", {}, Unit::kShare},
    {"hand_overs.share", "time for hand-overs", {}, Unit::kShare, Shown::kIfNotZero},
    {"guard.strikes", "guard\u2019s strikes"},
    {"guard.fallbacks", "fallback took over"},
    {"guard.under_fallback_ns", "time under fallback", {}, Unit::kTime},
};

enum class Cells : std::uint8_t { kMeans, kDifferences };

// Differences of shares are points, since 2 % less could mean two things.
std::string Format(double value, Unit unit, Cells cells) {
  switch (unit) {
    case Unit::kShare:
      return fmt::format("{:.1f}{}", value * 100, cells == Cells::kMeans ? " %" : " pts");
    case Unit::kTime: return FormatTime(std::round(value));
    case Unit::kNumber: break;
  }
  return std::abs(value) < 10 ? fmt::format("{:.3f}", value) : FormatCompact(value);
}

HtmlCell CellOf(const Estimate& estimate, Unit unit, Cells cells) {
  if (estimate.count == 0) return {.text = "\u2013"};
  HtmlCell cell{.text = Format(estimate.mean, unit, cells)};
  if (cells == Cells::kDifferences && estimate.mean > 0) cell.text = "+" + cell.text;
  if (!estimate.half_width.has_value()) return cell;
  cell.note = "\u00b1 " + Format(*estimate.half_width, unit, cells);
  cell.strong = cells == Cells::kDifferences && std::abs(estimate.mean) > *estimate.half_width;
  return cell;
}

// Of the policies' figures, those that some policy has.
std::vector<Column> ColumnsOf(const Summary& summary) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    const auto has = [&](const PolicySummary& policy) {
      const Estimate estimate = FindEstimate(policy.figures, column.path);
      return estimate.count > 0 && (column.shown == Shown::kIfKnown || estimate.mean != 0);
    };
    if (std::ranges::any_of(summary.policies, has)) columns.push_back(column);
  }
  return columns;
}

HtmlTable TableOf(std::string caption, std::string_view first, std::span<const Column> columns) {
  HtmlTable table{.caption = std::move(caption), .columns = {std::string(first)}, .rows = {}};
  for (const Column& column : columns) table.columns.emplace_back(column.heading);
  return table;
}

void AddRow(HtmlTable& table, std::string name, const std::vector<SummaryFigure>& figures,
            std::span<const Column> columns, Cells cells) {
  std::vector<HtmlCell> row = {{.text = std::move(name)}};
  for (const Column& column : columns)
    row.push_back(CellOf(FindEstimate(figures, column.path), column.unit, cells));
  table.rows.push_back(std::move(row));
}

}  // namespace

HtmlTable PolicyTable(const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary);
  HtmlTable table = TableOf(
      "Means over seeds; below each, half of its 95 % interval where there "
      "are several seeds. A dash stands for what is not defined.",
      "policy", columns);
  for (const PolicySummary& policy : summary.policies)
    AddRow(table, policy.policy, policy.figures, columns, Cells::kMeans);
  if (summary.policies.empty()) return table;
  const std::vector<SummaryFigure>& any = summary.policies.front().figures;  // common arrivals
  if (FindEstimate(any, "bounds.hit_rate").count == 0) return table;
  std::vector<HtmlCell> bounds = {{.text = "fluid bounds"}};
  for (const Column& column : columns) {
    bounds.push_back(column.bound.empty()
                         ? HtmlCell{}
                         : CellOf(FindEstimate(any, column.bound), column.unit, Cells::kMeans));
  }
  table.rows.push_back(std::move(bounds));
  return table;
}

HtmlTable DifferenceTable(const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary);
  HtmlTable table = TableOf(
      "The first policy minus the second on common seeds. Strong: the 95 % "
      "interval leaves out zero.",
      "policies", columns);
  for (const PolicyDifference& difference : summary.differences) {
    AddRow(table, difference.policy + " \u2212 " + difference.against, difference.figures, columns,
           Cells::kDifferences);
  }
  return table;
}

}  // namespace fairlead
