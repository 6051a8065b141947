#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/sweep_report.h"

namespace fairlead {
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
                    .format = figure.share ? NumberFormat(FormatPercent) : FormatTime},
              .series = {}};
  if (figure.path == "agreements.met_share") plot.y.range = Range{0, 1};
  XySeries bound{.name = "fluid bound", .style = kBoundStyle, .points = {}};
  for (const SweptPoint* point : points) {
    const Summary summary = Summarise(point->runs);
    for (const PolicySummary& policy : summary.policies) {
      auto own = std::ranges::find(plot.series, policy.policy, &XySeries::name);
      if (own == plot.series.end()) {
        plot.series.push_back(
            {.name = policy.policy, .style = StyleOf(plot.series.size()), .points = {}});
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
  page.Section("To run it again");
  page.Verbatim(results.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
