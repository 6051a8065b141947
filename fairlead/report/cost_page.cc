// The roofline chart: each layer as a point, by what it computes for each byte and how fast, under
// the roof of the array and the slope of the memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fairlead/plots/series_style.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/cost_report.h"
#include "fairlead/report/html_page.h"

namespace fairlead {
namespace {

XySeries Roof(const AcceleratorModel& accelerator, double low, double high) {
  const double peak = accelerator.PeakGmacsPerSecond();
  const double slope = accelerator.DramGbPerSecond();
  const double ridge = peak / slope;
  return {.name = fmt::format("roof: {:.4g} GMAC/s, {:.4g} GB/s", peak, slope),
          .style = kBoundStyle,
          .points = {{std::min(low, ridge / 2), slope * std::min(low, ridge / 2), {}},
                     {ridge, peak, {}},
                     {std::max(high, 2 * ridge), peak, {}}},
          .line = true,
          .marks = false};
}

HtmlFigure Roofline(std::span<const NetworkCostReport> reports, std::size_t a) {
  const AcceleratorModel& accelerator = reports.front().accelerators()[a];
  XyPlot plot{.label = fmt::format("Layers under the roof of {}", accelerator.name),
              .x = {.label = "MACs for each byte of memory traffic", .kind = ScaleKind::kLog},
              .y = {.label = "GMAC/s", .kind = ScaleKind::kLog}};
  double low = 1;
  double high = 1;
  for (std::size_t r = 0; r < reports.size(); ++r) {
    XySeries series{.name = reports[r].network().name, .style = StyleOf(r), .line = false};
    for (std::size_t layer = 0; layer < reports[r].network().layers.size(); ++layer) {
      const auto& cost = reports[r].Cost(layer, a);
      const auto macs = static_cast<double>(reports[r].Shape(layer).Macs());
      if (!cost.has_value() || macs == 0) continue;
      const double intensity =
          macs / static_cast<double>(std::max<std::int64_t>(cost->DramBytes(), 1));
      const double rate = macs / static_cast<double>(Nanoseconds(cost->latency));
      low = std::min(low, intensity);
      high = std::max(high, intensity);
      series.points.push_back(
          {intensity, rate,
           fmt::format("{}: {:.4g} us, {:.3g} GMAC/s, {:.3g} MACs a byte",
                       reports[r].network().layers[layer].name,
                       static_cast<double>(Nanoseconds(cost->latency)) / 1e3, rate, intensity)});
    }
    plot.series.push_back(std::move(series));
  }
  plot.series.insert(plot.series.begin(), Roof(accelerator, low, high));
  return {.name = fmt::format("roofline-{}", accelerator.name),
          .title = accelerator.name,
          .svg = DrawXyPlot(plot),
          .caption = fmt::format(
              "{}. Each mark is a layer that multiplies. On the slope it waits for memory; under "
              "the flat roof for the array, and the distance to the roof is what its shape leaves "
              "idle.",
              accelerator.description)};
}

// The radius of a mark whose area stands for a share of the time.
double RadiusOf(double share) { return std::clamp(28 * std::sqrt(share), 1.5, 14.0); }

// All accelerators in one frame, each with its roof; the area of a mark is its share of the time
// that its network takes there.
HtmlFigure AllRooflines(std::span<const NetworkCostReport> reports) {
  const std::span<const AcceleratorModel> accelerators = reports.front().accelerators();
  XyPlot plot{.label = "Layers under the roofs of all accelerators",
              .x = {.label = "MACs for each byte of memory traffic", .kind = ScaleKind::kLog},
              .y = {.label = "GMAC/s", .kind = ScaleKind::kLog}};
  double low = 1;
  double high = 1;
  std::vector<XySeries> marks;
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    XySeries series{.name = accelerators[a].name, .style = StyleOf(a), .line = false};
    for (const NetworkCostReport& report : reports) {
      const auto whole = static_cast<double>(Nanoseconds(report.Total(a).latency));
      for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
        const auto& cost = report.Cost(layer, a);
        const auto macs = static_cast<double>(report.Shape(layer).Macs());
        if (!cost.has_value() || macs == 0) continue;
        const double intensity =
            macs / static_cast<double>(std::max<std::int64_t>(cost->DramBytes(), 1));
        const auto time = static_cast<double>(Nanoseconds(cost->latency));
        low = std::min(low, intensity);
        high = std::max(high, intensity);
        series.points.push_back(
            {.x = intensity,
             .y = macs / time,
             .title =
                 fmt::format("{} on {}: {:.4g} us, {:.1f} % of {}",
                             report.network().layers[layer].name, accelerators[a].name, time / 1e3,
                             100 * time / std::max(whole, 1.0), report.network().name),
             .radius = RadiusOf(time / std::max(whole, 1.0))});
      }
    }
    marks.push_back(std::move(series));
  }
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    XySeries roof = Roof(accelerators[a], low, high);
    roof.name.clear();
    roof.style = StyleOf(a);
    plot.series.push_back(std::move(roof));
  }
  for (XySeries& series : marks) plot.series.push_back(std::move(series));
  return {.name = "rooflines",
          .title = "All accelerators",
          .svg = DrawXyPlot(plot),
          .caption =
              "Each mark is a layer on an accelerator; its area is its share of the time that its "
              "network takes there. Lines are the accelerators' roofs."};
}

HtmlTable Totals(const NetworkCostReport& report) {
  HtmlTable table{.caption = fmt::format("{}, one layer after the other", report.network().name),
                  .columns = {"accelerator", "ms", "MB", "mJ", "array in use"},
                  .rows = {}};
  for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
    const LayerCost total = report.Total(a);
    const auto cell = [](std::string text) {
      return HtmlCell{.text = std::move(text), .note = {}};
    };
    table.rows.push_back(
        {cell(report.accelerators()[a].name),
         cell(fmt::format("{:.3f}", static_cast<double>(Nanoseconds(total.latency)) / 1e6)),
         cell(fmt::format("{:.2f}", static_cast<double>(total.DramBytes()) / 1e6)),
         cell(HasEnergy(total) ? fmt::format("{:.3f}", total.energy.Total() / 1e9) : "\u2013"),
         cell(FormatPercent(total.utilisation))});
  }
  return table;
}

}  // namespace

std::string CostsAsHtml(std::span<const NetworkCostReport> reports) {
  HtmlPage page("Costs of layers");
  std::vector<HtmlFigure> figures;
  if (reports.front().accelerators().size() > 1) figures.push_back(AllRooflines(reports));
  for (std::size_t a = 0; a < reports.front().accelerators().size(); ++a)
    figures.push_back(Roofline(reports, a));
  page.Section("Rooflines");
  page.Figures(figures);
  page.Section("In all");
  for (const NetworkCostReport& report : reports) page.Table(Totals(report));
  page.Section("Layer by layer");
  for (const NetworkCostReport& report : reports)
    page.FoldedVerbatim(report.network().name, CostsAsTable(report));
  return std::move(page).Finish();
}

}  // namespace fairlead
