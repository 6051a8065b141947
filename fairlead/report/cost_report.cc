#include "fairlead/report/cost_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fairlead/base/csv.h"
#include "fairlead/costs/network_costs.h"

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

std::string CostsAsCsv(std::span<const NetworkCostReport> reports) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,utilisation\n";
  for (const NetworkCostReport& report : reports) {
    for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
      for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
        const auto& cost = report.Cost(layer, a);
        if (!cost.has_value()) continue;
        text += fmt::format("{},{},{},{},{},{},{:.6f}\n", CsvField(report.network().name),
                            CsvField(report.network().layers[layer].name),
                            CsvField(report.accelerators()[a].name), Nanoseconds(cost->latency),
                            cost->DramBytes(), cost->Segment().energy_pj, cost->utilisation);
      }
    }
  }
  return text;
}

std::string CostsAsProfile(std::span<const NetworkCostReport> reports) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n";
  for (const NetworkCostReport& report : reports) {
    for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
      const auto& after = report.network().layers[layer].after;
      const std::string waits = after.empty() ? "-" : fmt::format("{}", fmt::join(after, " "));
      for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
        const auto& cost = report.Cost(layer, a);
        if (!cost.has_value()) continue;
        text += fmt::format("{},{},{},{},{},{},{}\n", CsvField(report.network().name), layer,
                            CsvField(report.accelerators()[a].name), Nanoseconds(cost->latency),
                            cost->DramBytes(), cost->Segment().energy_pj, waits);
      }
    }
  }
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

std::string_view Name(Bound bound) {
  switch (bound) {
    case Bound::kArithmetic: return "array";
    case Bound::kBuffer: return "buffer";
    case Bound::kMemory: return "memory";
  }
  return {};
}

Json CostJson(const LayerCost& cost) {
  return {{"latency_ns", Nanoseconds(cost.latency)},
          {"dram_read_bytes", cost.dram_read_bytes},
          {"dram_write_bytes", cost.dram_write_bytes},
          {"energy_pj", cost.Segment().energy_pj},
          {"energy_by_level_pj",
           {{"arithmetic", cost.energy.arithmetic_pj},
            {"elements", cost.energy.element_pj},
            {"buffers", cost.energy.buffer_pj},
            {"dram", cost.energy.dram_pj}}},
          {"utilisation", cost.utilisation}};
}

Json ReportJson(const NetworkCostReport& report) {
  Json layers = Json::array();
  for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
    Json costs = Json::object();
    for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
      const auto& cost = report.Cost(layer, a);
      Json& entry = costs[report.accelerators()[a].name];
      if (!cost.has_value()) continue;
      entry = CostJson(*cost);
      entry["bound"] = Name(cost->bound);
    }
    const LayerShape shape = report.Shape(layer);
    layers.push_back({{"layer", report.network().layers[layer].name},
                      {"kind", Name(shape.kind)},
                      {"macs", shape.Macs()},
                      {"costs", costs}});
  }
  Json totals = Json::object();
  for (std::size_t a = 0; a < report.accelerators().size(); ++a)
    totals[report.accelerators()[a].name] = CostJson(report.Total(a));
  return {{"network", report.network().name},
          {"batch", report.batch()},
          {"totals", totals},
          {"layers", layers}};
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
  Json list = Json::array();
  for (const NetworkCostReport& report : reports) list.push_back(ReportJson(report));
  return list.dump(2) + "\n";
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

}  // namespace fairlead
