#include "fairlead/report/sweep_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/printable.h"
#include "fairlead/base/units.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

struct SweptColumn {
  std::string_view title;
  std::string_view unit;
  std::string_view figure;
  double size;
  int decimals;
};
constexpr SweptColumn kSweptColumns[] = {
    {"requests", "", "requests", 1, 0},        {"hits", "%", "hit_rate", 0.01, 1},
    {"worst", "%", "agreements.min", 0.01, 1}, {"met", "%", "agreements.met_share", 0.01, 1},
    {"p99", "ms", "latency.p99", 1e6, 2},      {"memory", "%", "bandwidth_utilisation", 0.01, 1},
};

std::string CellOf(const SweptColumn& column, const PolicySummary& policy) {
  const Estimate estimate = FindEstimate(policy.figures, column.figure);
  if (estimate.count == 0) return "-";
  return fmt::format("{:.{}f}", estimate.mean / column.size, column.decimals);
}

std::string NameOf(const SweepResults& results, const SweptPoint& point) {
  std::string name;
  for (std::size_t k = 0; k < results.keys.size(); ++k)
    name += fmt::format("{}{}={}", k == 0 ? "" : ", ", results.keys[k], point.values[k]);
  return OnOneLine(name);
}

}  // namespace

std::string FormatSweepTable(const SweepResults& results, AgreementsShown shown) {
  std::vector<Cells> rows(2);
  for (const std::string& key : results.keys) {
    // Of a long key its end says what it is.
    const std::size_t dot = key.size() > 20 ? key.find_last_of('.') : std::string::npos;
    rows[0].push_back(OnOneLine(dot == std::string::npos ? key : key.substr(dot + 1)));
    rows[1].emplace_back();
  }
  rows[0].emplace_back("policy");
  rows[1].emplace_back();
  for (const SweptColumn& column : kSweptColumns) {
    rows[0].emplace_back(column.title);
    rows[1].emplace_back(column.unit);
  }
  std::string agreements;
  std::string objectives;
  for (const SweptPoint& point : results.points) {
    for (const PolicySummary& policy : Summarise(point.runs).policies) {
      auto& row = rows.emplace_back();
      for (const std::string& value : point.values) row.push_back(OnOneLine(value));
      row.push_back(policy.policy);
      for (const SweptColumn& column : kSweptColumns) row.push_back(CellOf(column, policy));
    }
    if (shown == AgreementsShown::kAll)
      agreements += NameOf(results, point) + ":\n" + FormatAgreements(point.runs, shown);
    if (const std::string text = FormatObjectives(point.verdicts); !text.empty())
      objectives += NameOf(results, point) + ": " + text;
  }
  return Aligned(rows, results.keys.size() + 1) + agreements + objectives;
}

std::string FormatSweepJson(const SweepResults& results) {
  JsonText json;
  json.Put("keys", results.keys);
  json.BeginList("points");
  for (const SweptPoint& point : results.points) {
    json.BeginObject();
    json.BeginObject("set");
    for (std::size_t k = 0; k < results.keys.size(); ++k)
      json.Put(results.keys[k], point.values[k]);
    json.End();
    PutResults(json, point.heading, point.runs, point.verdicts);
    json.End();
  }
  return std::move(json).Finish();
}

std::string FormatSweepCsv(const SweepResults& results) {
  std::string text = AgreementsCsvHeader(results.keys);
  for (const SweptPoint& point : results.points)
    text += AgreementsCsvLines(point.runs, point.values);
  return text;
}

namespace {

// The values of a key on an axis: by their size, or one after the other where they are words.
class SweptAxis {
 public:
  SweptAxis(const SweepResults& results, std::size_t key) : key_(key) {
    for (const SweptPoint& point : results.points) {
      if (std::ranges::find(values_, point.values[key]) == values_.end())
        values_.push_back(point.values[key]);
    }
    axis_.label = results.keys[key];
    if (Read([](std::string_view text) { return ParseNumber(text); })) return;
    if (Read([](std::string_view text) -> Result<double> {
          ASSIGN_OR_RETURN(const Duration time, ParseDuration(text));
          return static_cast<double>(time.count());
        })) {
      axis_.format = FormatTime;
      return;
    }
    if (Read([](std::string_view text) -> Result<double> {
          ASSIGN_OR_RETURN(const std::int64_t bandwidth, ParseBandwidth(text));
          return static_cast<double>(bandwidth);
        })) {
      axis_.format = [](double value) { return FormatCompact(value) + "B/s"; };
      return;
    }
    if (Read([](std::string_view text) { return ParseRate(text); })) {
      axis_.format = FormatPercent;
      return;
    }
    if (Read([](std::string_view text) {
          return ParseNumber(text.ends_with("/s") ? text.substr(0, text.size() - 2) : "");
        })) {
      axis_.format = [](double value) { return FormatCompact(value) + "/s"; };
      return;
    }
    for (std::size_t i = 0; i < values_.size(); ++i) places_[values_[i]] = static_cast<double>(i);
    axis_.range = Range{-0.5, static_cast<double>(values_.size()) - 0.5};
    axis_.format = [values = values_](double value) {
      const double nearest = std::max(0.0, value + 0.5);
      const auto i = static_cast<std::size_t>(nearest);
      return i < values.size() && value == static_cast<double>(i) ? values[i] : std::string();
    };
  }

  double operator()(const SweptPoint& point) const { return places_.at(point.values[key_]); }
  const Axis& axis() const { return axis_; }

 private:
  template <typename Parse>
  bool Read(Parse parse) {
    places_.clear();
    for (const std::string& value : values_) {
      const Result<double> number = parse(std::string_view(value));
      if (!number.has_value()) return false;
      places_[value] = *number;
    }
    double least = places_.begin()->second;
    double greatest = least;
    for (const auto& [text, number] : places_) {
      least = std::min(least, number);
      greatest = std::max(greatest, number);
    }
    if (least > 0 && greatest / least >= 16) axis_.kind = ScaleKind::kLog;
    return true;
  }

  std::size_t key_;
  std::vector<std::string> values_;
  std::map<std::string, double> places_;
  Axis axis_;
};

struct SweptFigure {
  std::string_view path;
  std::string_view title;
  bool share;
  std::string_view bound = {};
};
constexpr SweptFigure kSweptFigures[] = {
    {"hit_rate", "Hit rate", true, "bounds.hit_rate"},
    {"agreements.min", "Worst agreement", true, "bounds.worst_tenant"},
    {"agreements.met_share", "Agreements met", true},
    {"latency.p99", "99 % latency", false},
};

using Points = std::vector<const SweptPoint*>;

std::optional<HtmlFigure> DrawSwept(const SweptFigure& figure, const SweptAxis& axis,
                                    const Points& points) {
  XyPlot plot{.label = fmt::format("{} along {}", figure.title, axis.axis().label),
              .x = axis.axis(),
              .y = {.label = std::string(figure.title),
                    .format = figure.share ? NumberFormat(FormatPercent) : FormatTime}};
  if (figure.path == "agreements.met_share") plot.y.range = Range{0, 1};
  XySeries bound{.name = "fluid bound", .style = kBoundStyle};
  for (const SweptPoint* point : points) {
    const Summary summary = Summarise(point->runs);
    for (const PolicySummary& policy : summary.policies) {
      auto own = std::ranges::find(plot.series, policy.policy, &XySeries::name);
      if (own == plot.series.end()) {
        plot.series.push_back({.name = policy.policy, .style = StyleOf(plot.series.size())});
        own = plot.series.end() - 1;
      }
      const Estimate estimate = FindEstimate(policy.figures, figure.path);
      if (estimate.count == 0) continue;
      own->points.push_back(
          {axis(*point), estimate.mean,
           fmt::format("{} at {}: {}", policy.policy, fmt::join(point->values, ", "),
                       figure.share ? FormatPercent(estimate.mean) : FormatTime(estimate.mean))});
    }
    if (figure.bound.empty() || summary.policies.empty()) continue;
    const Estimate limit = FindEstimate(summary.policies.front().figures, figure.bound);
    if (limit.count > 0) bound.points.push_back({axis(*point), limit.mean, "fluid bound"});
  }
  std::erase_if(plot.series, [](const XySeries& series) { return series.points.empty(); });
  if (plot.series.empty()) return std::nullopt;
  if (!bound.points.empty()) plot.series.push_back(std::move(bound));
  for (XySeries& series : plot.series) std::ranges::stable_sort(series.points, {}, &XyPoint::x);
  return HtmlFigure{.name = std::string(figure.path),
                    .title = std::string(figure.title),
                    .svg = DrawXyPlot(plot),
                    .caption = "Means over seeds; point at a mark to see its numbers."};
}

HtmlTable NumbersOf(const SweepResults& results) {
  HtmlTable table{.caption = "Means over seeds; press a heading to sort.",
                  .columns = results.keys,
                  .sortable = true};
  table.columns.emplace_back("policy");
  for (const SweptFigure& figure : kSweptFigures) table.columns.emplace_back(figure.title);
  for (const SweptPoint& point : results.points) {
    for (const PolicySummary& policy : Summarise(point.runs).policies) {
      auto& row = table.rows.emplace_back();
      for (std::size_t k = 0; k < point.values.size(); ++k) {
        const SweptAxis axis(results, k);
        row.push_back({.text = point.values[k], .order = axis(point)});
      }
      row.push_back({.text = policy.policy});
      for (const SweptFigure& figure : kSweptFigures) {
        const Estimate estimate = FindEstimate(policy.figures, figure.path);
        if (estimate.count == 0) {
          row.emplace_back();
          continue;
        }
        row.push_back({.text = figure.share ? fmt::format("{:.1f} %", 100 * estimate.mean)
                                            : FormatTime(estimate.mean),
                       .order = estimate.mean});
      }
    }
  }
  return table;
}

}  // namespace

std::string FormatSweepPage(const SweepResults& results) {
  HtmlPage page(fmt::format("Fairlead: along {}", fmt::join(results.keys, ", ")));
  page.Paragraph(
      fmt::format("{} combinations of {}.", results.points.size(), fmt::join(results.keys, ", ")));
  if (!results.points.empty()) {
    // A set of figures for each combination of the other keys.
    std::vector<std::pair<std::string, Points>> sets;
    for (const SweptPoint& point : results.points) {
      std::string others;
      for (std::size_t k = 1; k < results.keys.size(); ++k)
        others += fmt::format("{}{} = {}", k == 1 ? "" : ", ", results.keys[k], point.values[k]);
      auto set = std::ranges::find(sets, others, &std::pair<std::string, Points>::first);
      if (set == sets.end()) {
        sets.push_back({others, {}});
        set = sets.end() - 1;
      }
      set->second.push_back(&point);
    }
    const SweptAxis axis(results, 0);
    for (const auto& [others, points] : sets) {
      page.Section(others.empty() ? "Along " + results.keys[0] : others);
      std::vector<HtmlFigure> figures;
      for (const SweptFigure& figure : kSweptFigures) {
        if (auto drawn = DrawSwept(figure, axis, points)) figures.push_back(std::move(*drawn));
      }
      page.Figures(figures);
    }
    page.Section("In numbers");
    page.Table(NumbersOf(results));
  }
  page.Rerun({}, results.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
