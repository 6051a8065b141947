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

std::string LayersText(const NetworkCostReport& report) {
  std::size_t widest = 5;
  for (const NetworkLayer& layer : report.network().layers)
    widest = std::max(widest, layer.name.size());
  std::string text = fmt::format("{:{}}  {:<13} {:<21}{:>9}", "", widest, "", "", "");
  for (const AcceleratorModel& accelerator : report.accelerators())
    text += fmt::format("  {:^28}", accelerator.name);
  text += fmt::format("\n{:<{}}  {:<13} {:<21}{:>9}", "layer", widest, "kind", "shape", "MMACs");
  for (std::size_t a = 0; a < report.accelerators().size(); ++a)
    text += fmt::format("  {:>10} {:<6} {:>6} {:>3}", "us", "bound", "MB", "%");
  text += "\n";
  for (std::size_t layer = 0; layer < report.network().layers.size(); ++layer) {
    const LayerShape shape = report.Shape(layer);
    text +=
        fmt::format("{:<{}}  {:<13} {:<21}{:>9.1f}", report.network().layers[layer].name, widest,
                    Name(shape.kind), ShapeText(shape), static_cast<double>(shape.Macs()) / 1e6);
    for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
      const auto& cost = report.Cost(layer, a);
      text += cost.has_value()
                  ? fmt::format("  {:>10} {:<6} {:>6.2f} {:>3.0f}", Microseconds(cost->latency),
                                Name(cost->bound), Megabytes(*cost), 100 * cost->utilisation)
                  : fmt::format("  {:>10} {:<6} {:>6} {:>3}", "-", "", "", "");
    }
    text += "\n";
  }
  return text;
}

std::string TotalsText(const NetworkCostReport& report) {
  std::string text =
      fmt::format("{:<14}{:>10}{:>10}{:>10}   {:>10}{:>9}{:>9}{:>7}{:>10}\n", "in all", "ms", "MB",
                  "mJ", "arithmetic", "stores", "buffers", "DRAM", "array %");
  for (std::size_t a = 0; a < report.accelerators().size(); ++a) {
    const LayerCost total = report.Total(a);
    if (!HasEnergy(total)) {
      text +=
          fmt::format("{:<14}{:>10.3f}{:>10.2f}{:>10}{:>49.1f}\n", report.accelerators()[a].name,
                      static_cast<double>(Nanoseconds(total.latency)) / 1e6, Megabytes(total), "-",
                      100 * total.utilisation);
      continue;
    }
    const double energy = total.energy.Total();
    text += fmt::format(
        "{:<14}{:>10.3f}{:>10.2f}{:>10.3f}   {:>8.0f} %{:>7.0f} %{:>7.0f} %{:>5.0f} %{:>10.1f}\n",
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
      "Each layer alone. us: latency. bound: what it waits for, the array (arithmetic), a buffer\n"
      "on the chip or memory. MB: traffic to memory. %: of the array in use. -: cannot run there.\n"
      "In all: one layer after the other; where the energy goes follows mJ.\n",
      report.network().name, report.network().layers.size(), macs / 1e9, report.batch(),
      LayersText(report), TotalsText(report));
}

}  // namespace fairlead
