// What layers cost on accelerators, for people (a table that explains itself, a roofline chart) and
// for programs (CSV, JSON).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/costs/accelerator_model.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

struct CostReportOptions {
  std::int64_t batch = 1;
  int units = 0;  // of accelerators that have several; 0: all
};

// A network on accelerators, costed. The network and the accelerators must outlive it.
class NetworkCostReport {
 public:
  NetworkCostReport(const LayeredNetwork& network, std::span<const AcceleratorModel> accelerators,
                    const CostReportOptions& options);

  const LayeredNetwork& network() const { return network_; }
  std::span<const AcceleratorModel> accelerators() const { return accelerators_; }
  LayerShape Shape(std::size_t layer) const;
  // None where the accelerator cannot run the layer.
  const std::optional<LayerCost>& Cost(std::size_t layer, std::size_t accelerator) const {
    return costs_[layer * accelerators_.size() + accelerator];
  }
  // All layers that can run there, one after the other.
  LayerCost Total(std::size_t accelerator) const;
  std::int64_t batch() const { return options_.batch; }

 private:
  const LayeredNetwork& network_;
  std::span<const AcceleratorModel> accelerators_;
  CostReportOptions options_;
  std::vector<std::optional<LayerCost>> costs_;
};

// Whether energy is modelled: where arithmetic takes none, that of the memory alone says nothing.
bool HasEnergy(const LayerCost& cost);

// `network,layer,accelerator,latency_ns,dram_bytes,energy_pj,utilisation`, of all reports.
std::string CostsAsCsv(std::span<const NetworkCostReport> reports);
// A profile, as scenarios and simulate --profile read it; of one input at a time.
std::string CostsAsProfile(std::span<const NetworkCostReport> reports);
std::string CostsAsJson(std::span<const NetworkCostReport> reports);
std::string CostsAsTable(const NetworkCostReport& report);
// A page with the roofline chart of each accelerator and the tables.
std::string CostsAsHtml(std::span<const NetworkCostReport> reports);

}  // namespace fairlead
