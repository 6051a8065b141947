#include "fairlead/report/cost_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/plots/svg.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/json_text.h"

namespace fairlead {

NetworkCostReport::NetworkCostReport(const LayeredNetwork& network,
                                     std::span<const AcceleratorModel> accelerators,
                                     const CostReportOptions& options)
    : network_(network), accelerators_(accelerators), options_(options) {
  costs_.resize(network.layers.size() * accelerators.size());
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    LayerCosts costs(accelerators[a]);
    const int all = accelerators[a].UnitChoices().back();
    const int units = options.units == 0 ? all : std::min(options.units, all);
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
      const LayerShape shape = Shape(layer);
      if (accelerators[a].CanRun(shape))
        costs_[layer * accelerators.size() + a] = costs.Of(shape, units);
    }
  }
}

LayerShape NetworkCostReport::Shape(std::size_t layer) const {
  return network_.layers[layer].shape.Batched(options_.batch);
}

LayerCost NetworkCostReport::Total(std::size_t accelerator) const {
  LayerCost total;
  double busy = 0;
  for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
    const auto& cost = Cost(layer, accelerator);
    if (!cost.has_value()) continue;
    total.latency += cost->latency;
    total.dram_read_bytes += cost->dram_read_bytes;
    total.dram_write_bytes += cost->dram_write_bytes;
    total.energy.arithmetic_pj += cost->energy.arithmetic_pj;
    total.energy.element_pj += cost->energy.element_pj;
    total.energy.buffer_pj += cost->energy.buffer_pj;
    total.energy.dram_pj += cost->energy.dram_pj;
    busy += cost->utilisation * static_cast<double>(Nanoseconds(cost->latency));
  }
  if (total.latency > Duration{})
    total.utilisation = busy / static_cast<double>(Nanoseconds(total.latency));
  return total;
}

namespace {

// A line for each layer that an accelerator can run: up to the traffic by a name of the layer, then
// what `rest` says.
template <typename NameOf, typename RestOf>
std::string LinesOf(std::span<const NetworkCostReport> reports, const NameOf& name_of,
                    const RestOf& rest) {
  std::string text;
  for (const NetworkCostReport& report : reports) {
    for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
      for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
        const auto& cost = report.Cost(layer, a);
        if (!cost.has_value()) continue;
        const NetworkLayer& named = report.network().layers[layer];
        text += fmt::format("{},{},{},{},{},{},{}\n", CsvField(report.network().name),
                            name_of(layer, named), CsvField(report.accelerators()[a].name),
                            Nanoseconds(cost->latency), cost->DramBytes(),
                            cost->Segment().energy_pj, rest(*cost, named));
      }
    }
  }
  return text;
}

}  // namespace

std::string CostsAsCsv(std::span<const NetworkCostReport> reports) {
  return "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,utilisation\n" +
         LinesOf(
             reports, [](std::size_t, const NetworkLayer& layer) { return CsvField(layer.name); },
             [](const LayerCost& cost, const NetworkLayer&) {
               return fmt::format("{:.6f}", cost.utilisation);
             });
}

std::string CostsAsProfile(std::span<const NetworkCostReport> reports) {
  return "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n" +
         LinesOf(
             reports, [](std::size_t number, const NetworkLayer&) { return number; },
             [](const LayerCost&, const NetworkLayer& layer) {
               return layer.after.empty() ? "-" : fmt::format("{}", fmt::join(layer.after, " "));
             });
}

namespace {

std::string_view Name(Bound bound) {
  switch (bound) {
    case Bound::kArithmetic: return "array";
    case Bound::kBuffer: return "buffer";
    case Bound::kMemory: return "memory";
  }
  return {};
}

void PutCost(JsonText& json, const LayerCost& cost) {
  json.Put("latency_ns", Nanoseconds(cost.latency), "dram_read_bytes", cost.dram_read_bytes,
           "dram_write_bytes", cost.dram_write_bytes, "energy_pj", cost.Segment().energy_pj);
  json.Object("energy_by_level_pj", "arithmetic", cost.energy.arithmetic_pj, "elements",
              cost.energy.element_pj, "buffers", cost.energy.buffer_pj, "dram",
              cost.energy.dram_pj);
  json.Put("utilisation", cost.utilisation);
}

void PutReport(JsonText& json, const NetworkCostReport& report) {
  json.BeginObject();
  json.Put("network", report.network().name, "batch", report.batch());
  json.BeginObject("totals");
  for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
    json.BeginObject(report.accelerators()[a].name);
    PutCost(json, report.Total(a));
    json.End();
  }
  json.End();
  json.BeginList("layers");
  for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
    const LayerShape shape = report.Shape(layer);
    json.BeginObject();
    json.Put("layer", report.network().layers[layer].name, "kind", Name(shape.kind), "macs",
             shape.Macs());
    json.BeginObject("costs");
    for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
      const std::string& name = report.accelerators()[a].name;
      const auto& cost = report.Cost(layer, a);
      if (!cost.has_value()) {
        json.Put(name, nullptr);
        continue;
      }
      json.BeginObject(name);
      PutCost(json, *cost);
      json.Put("bound", Name(cost->bound));
      json.End();
    }
    json.End();
    json.End();
  }
  json.End();
  json.End();
}

// "64->256 56x56 3x3/2": inputs, outputs, output size, kernel and stride.
std::string ShapeText(const LayerShape& shape) {
  std::string text =
      shape.Multiplies() ? fmt::format("{}->{}", shape.c, shape.k) : fmt::format("{}", shape.k);
  if (shape.kind != LayerKind::kLinear) text += fmt::format(" {}x{}", shape.p, shape.q);
  if (shape.r * shape.s > 1) text += fmt::format(" {}x{}", shape.r, shape.s);
  if (shape.stride > 1) text += fmt::format("/{}", shape.stride);
  return text;
}

std::string Microseconds(Duration duration) {
  return fmt::format("{:.1f}", static_cast<double>(Nanoseconds(duration)) / 1e3);
}

double Megabytes(const LayerCost& cost) { return static_cast<double>(cost.DramBytes()) / 1e6; }

constexpr std::size_t kWidestTable = 80;
constexpr std::size_t kOfAccelerator = 29;  // columns
constexpr std::size_t kOfKind = 14;
constexpr std::size_t kOfShape = 31;

// What stands before the costs of each layer, as far as there is room.
struct LayerColumns {
  std::size_t name = 5;
  bool kind = false;
  bool shape = false;

  std::size_t width() const { return name + (kind ? kOfKind : 0) + (shape ? kOfShape : 0); }
};

std::string LayerText(const LayerColumns& columns, std::string_view name, std::string_view kind,
                      std::string_view shape, std::string_view macs) {
  std::string text = fmt::format("{:<{}}", name, columns.name);
  if (columns.kind) text += fmt::format(" {:<13}", kind);
  if (columns.shape) text += fmt::format(" {:<21}{:>9}", shape, macs);
  return text;
}

// A table of some of the accelerators, side by side.
std::string GroupText(const NetworkCostReport& report, const LayerColumns& columns,
                      std::size_t first, std::size_t last) {
  std::string text = std::string(columns.width(), ' ');
  for (std::size_t a = first; a < last; ++a)
    text += fmt::format(" {:^28}", report.accelerators()[a].name);
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n" + LayerText(columns, "layer", "kind", "shape", "MMACs");
  for (std::size_t a = first; a < last; ++a)
    text += fmt::format("  {:>9} {:<6} {:>6} {:>3}", "us", "bound", "MB", "%");
  text += "\n";
  for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
    const LayerShape shape = report.Shape(layer);
    text +=
        LayerText(columns, report.network().layers[layer].name, Name(shape.kind), ShapeText(shape),
                  fmt::format("{:.1f}", static_cast<double>(shape.Macs()) / 1e6));
    for (std::size_t a = first; a < last; ++a) {
      const auto& cost = report.Cost(layer, a);
      text += cost.has_value()
                  ? fmt::format("  {:>9} {:<6} {:>6.2f} {:>3.0f}", Microseconds(cost->latency),
                                Name(cost->bound), Megabytes(*cost), 100 * cost->utilisation)
                  : fmt::format("  {:>9} {:<6} {:>6} {:>3}", "-", "", "", "");
    }
    text += "\n";
  }
  return text;
}

// Within 80 columns: kinds and shapes stand there if there is room beside all accelerators; where
// these have none side by side, they follow each other in several tables.
std::string LayersText(const NetworkCostReport& report) {
  const std::size_t all = report.accelerators().size();
  LayerColumns columns;
  for (const NetworkLayer& layer : report.network().layers)
    columns.name = std::max(columns.name, layer.name.size());
  const auto fits = [&](LayerColumns wanted) {
    return wanted.width() + all * kOfAccelerator <= kWidestTable;
  };
  const LayerColumns with_shape{.name = columns.name, .shape = true};
  const LayerColumns with_both{.name = columns.name, .kind = true, .shape = true};
  if (fits(with_both))
    columns = with_both;
  else if (fits(with_shape))
    columns = with_shape;
  const std::size_t room = kWidestTable - std::min(columns.width(), kWidestTable);
  const std::size_t in_group = std::clamp<std::size_t>(room / kOfAccelerator, 1, all);
  std::string text;
  for (std::size_t first = 0; first < all; first += in_group)
    text += (first > 0 ? "\n" : "") +
            GroupText(report, columns, first, std::min(first + in_group, all));
  return text;
}

std::string TotalsText(const NetworkCostReport& report) {
  std::string text =
      fmt::format("{:<15}{:>8}{:>8}{:>8}{:>11}{:>7}{:>8}{:>6}{:>9}\n", "in all", "ms", "MB", "mJ",
                  "arithmetic", "stores", "buffers", "DRAM", "array %");
  for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
    const LayerCost total = report.Total(a);
    if (!HasEnergy(total)) {
      text += fmt::format("{:<15}{:>8.3f}{:>8.2f}{:>8}{:>41.1f}\n", report.accelerators()[a].name,
                          static_cast<double>(Nanoseconds(total.latency)) / 1e6, Megabytes(total),
                          "-", 100 * total.utilisation);
      continue;
    }
    const double energy = total.energy.Total();
    text += fmt::format(
        "{:<15}{:>8.3f}{:>8.2f}{:>8.3f}{:>9.0f} %{:>5.0f} %{:>6.0f} %{:>4.0f} %{:>9.1f}\n",
        report.accelerators()[a].name, static_cast<double>(Nanoseconds(total.latency)) / 1e6,
        Megabytes(total), energy / 1e9, 100 * total.energy.arithmetic_pj / energy,
        100 * total.energy.element_pj / energy, 100 * total.energy.buffer_pj / energy,
        100 * total.energy.dram_pj / energy, 100 * total.utilisation);
  }
  return text;
}

}  // namespace

bool HasEnergy(const LayerCost& cost) { return cost.energy.arithmetic_pj > 0; }

std::string CostsAsJson(std::span<const NetworkCostReport> reports) {
  JsonText json(2, JsonText::Root::kList);
  for (const NetworkCostReport& report : reports) PutReport(json, report);
  return std::move(json).Finish();
}

std::string CostsAsTable(const NetworkCostReport& report) {
  const double macs =
      static_cast<double>(report.network().Macs()) * static_cast<double>(report.batch());
  return fmt::format(
      "{}: {} layers, {:.2f} GMACs, batch {}\n\n{}\n{}\n"
      "Each layer alone. us: latency. bound: what it waits for, the array\n"
      "(arithmetic), a buffer on the chip or memory. MB: traffic to memory. %: of the\n"
      "array in use. -: cannot run there. In all: one layer after the other; where the\n"
      "energy goes follows mJ. `networks NAME` has shapes.\n",
      report.network().name, report.network().layers.size(), macs / 1e9, report.batch(),
      LayersText(report), TotalsText(report));
}

// The roofline chart: each layer as a point, by what it computes for each byte and how fast, under
// the roof of the array and the slope of the memory.

namespace {

XySeries Roof(const AcceleratorModel& accelerator, const Range& shown) {
  const double peak = accelerator.PeakGmacsPerSecond();
  const double slope = accelerator.DramGbPerSecond();
  const double ridge = peak / slope;
  return {.name = fmt::format("roof: {:.4g} GMAC/s, {:.4g} GB/s", peak, slope),
          .style = kBoundStyle,
          .points = {{std::min(shown.low, ridge / 2), slope * std::min(shown.low, ridge / 2), {}},
                     {ridge, peak, {}},
                     {std::max(shown.high, 2 * ridge), peak, {}}},
          .line = true,
          .marks = false};
}

// A layer that multiplies, where an accelerator can run it.
struct LayerMark {
  double intensity;  // MACs for each byte
  double time;       // nanoseconds
  double rate;       // GMAC/s
};
std::optional<LayerMark> MarkOf(const NetworkCostReport& report, std::size_t layer, std::size_t a) {
  const auto& cost = report.Cost(layer, a);
  const auto macs = static_cast<double>(report.Shape(layer).Macs());
  if (!cost.has_value() || macs == 0) return std::nullopt;
  const auto time = static_cast<double>(Nanoseconds(cost->latency));
  return LayerMark{macs / static_cast<double>(std::max<std::int64_t>(cost->DramBytes(), 1)), time,
                   macs / time};
}

XyPlot EmptyRoofline(std::string label) {
  return {.label = std::move(label),
          .x = {.label = "MACs for each byte of memory traffic", .kind = ScaleKind::kLog},
          .y = {.label = "GMAC/s", .kind = ScaleKind::kLog}};
}

HtmlFigure Roofline(std::span<const NetworkCostReport> reports, std::size_t a) {
  const AcceleratorModel& accelerator = reports.front().accelerators()[a];
  XyPlot plot = EmptyRoofline(fmt::format("Layers under the roof of {}", accelerator.name));
  Range shown{1, 1};
  for (std::size_t r = 0; r < reports.size(); ++r) {
    const LayeredNetwork& network = reports[r].network();
    XySeries series{.name = network.name, .style = StyleOf(r), .line = false};
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
      const auto mark = MarkOf(reports[r], layer, a);
      if (!mark.has_value()) continue;
      shown = shown.With(mark->intensity);
      series.points.push_back(
          {mark->intensity, mark->rate,
           fmt::format("{}: {:.4g} us, {:.3g} GMAC/s, {:.3g} MACs a byte",
                       network.layers[layer].name, mark->time / 1e3, mark->rate, mark->intensity)});
    }
    plot.series.push_back(std::move(series));
  }
  plot.series.insert(plot.series.begin(), Roof(accelerator, shown));
  return {.name = fmt::format("roofline-{}", accelerator.name),
          .title = accelerator.name,
          .svg = DrawXyPlot(plot),
          .caption = fmt::format(
              "{}. Each mark is a layer that multiplies. On the slope it waits for memory; under "
              "the flat roof for the array, and the distance to the roof is what its shape leaves "
              "idle.",
              accelerator.description)};
}

// All accelerators in one frame, each with its roof; the area of a mark is its share of the time
// that its network takes there.
HtmlFigure AllRooflines(std::span<const NetworkCostReport> reports) {
  const std::span<const AcceleratorModel> accelerators = reports.front().accelerators();
  XyPlot plot = EmptyRoofline("Layers under the roofs of all accelerators");
  Range shown{1, 1};
  std::vector<XySeries> marks;
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    XySeries series{.name = accelerators[a].name, .style = StyleOf(a), .line = false};
    for (const NetworkCostReport& report : reports) {
      const LayeredNetwork& network = report.network();
      const double whole = std::max(static_cast<double>(Nanoseconds(report.Total(a).latency)), 1.0);
      for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
        const auto mark = MarkOf(report, layer, a);
        if (!mark.has_value()) continue;
        shown = shown.With(mark->intensity);
        const double share = mark->time / whole;
        series.points.push_back(
            {.x = mark->intensity,
             .y = mark->rate,
             .title = fmt::format("{} on {}: {:.4g} us, {:.1f} % of {}", network.layers[layer].name,
                                  accelerators[a].name, mark->time / 1e3, 100 * mark->time / whole,
                                  network.name),
             .radius = std::clamp(28 * std::sqrt(share), 1.5, 14.0)});
      }
    }
    marks.push_back(std::move(series));
  }
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    XySeries roof = Roof(accelerators[a], shown);
    roof.name.clear();
    roof.style = StyleOf(a);
    plot.series.push_back(std::move(roof));
  }
  std::ranges::move(marks, std::back_inserter(plot.series));
  return {.name = "rooflines",
          .title = "All accelerators",
          .svg = DrawXyPlot(plot),
          .caption =
              "Each mark is a layer on an accelerator; its area is its share of the time that its "
              "network takes there. Lines are the accelerators' roofs."};
}

HtmlTable Totals(const NetworkCostReport& report) {
  HtmlTable table{.caption = fmt::format("{}, one layer after the other", report.network().name),
                  .columns = {"accelerator", "ms", "MB", "mJ", "array in use"}};
  for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
    const LayerCost total = report.Total(a);
    table.Add(report.accelerators()[a].name,
              fmt::format("{:.3f}", static_cast<double>(Nanoseconds(total.latency)) / 1e6),
              fmt::format("{:.2f}", Megabytes(total)),
              HasEnergy(total) ? fmt::format("{:.3f}", total.energy.Total() / 1e9) : "\u2013",
              FormatPercent(total.utilisation));
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
