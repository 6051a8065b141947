// fairlead cost
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "apps/files.h"
#include "apps/results.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/networks/layers_file.h"
#include "fairlead/report/cost_report.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

Result<std::vector<AcceleratorModel>> FindAccelerators(const CostOptions& options) {
  std::vector<AcceleratorModel> accelerators;
  for (const std::string& name : options.accelerators) {
    ASSIGN_OR_RETURN(AcceleratorModel model, FindAcceleratorModel(name, &ReadInput));
    const bool twice = std::ranges::any_of(
        accelerators, [&](const AcceleratorModel& other) { return other.name == model.name; });
    if (twice) return Fail("accelerator '{}' stands twice", model.name);
    if (const int units = model.UnitChoices().back(); options.units > units)
      return Fail("--units {}: '{}' has {}", options.units, model.name,
                  units == 1 ? "one, which cannot be divided" : std::to_string(units));
    accelerators.push_back(std::move(model));
  }
  return accelerators;
}

Result<std::vector<LayeredNetwork>> FindNetworks(const CostOptions& options) {
  if (!options.layers.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadInput(options.layers));
    return ParseLayers(options.layers, text);
  }
  if (options.networks.empty()) return Fail("nothing to price; name networks, or --layers FILE");
  std::vector<LayeredNetwork> networks;
  for (const std::string& name : options.networks) {
    ASSIGN_OR_RETURN(FoundNetwork found, FindNetworkByName(name, &ReadInput));
    for (const std::string& warning : found.warnings) Tell("{}\n", warning);
    networks.push_back(std::move(found.network));
  }
  return networks;
}

std::string Formatted(CostForm form, std::span<const NetworkCostReport> reports) {
  if (form == CostForm::kCsv) return CostsAsCsv(reports);
  if (form == CostForm::kJson) return CostsAsJson(reports);
  if (form == CostForm::kProfile) return CostsAsProfile(reports);
  std::string text;
  for (const NetworkCostReport& report : reports)
    text += (text.empty() ? "" : "\n") + CostsAsTable(report);
  return text;
}

}  // namespace

int Run(const CostOptions& options) {
  const SignalWatch signals;
  if (options.form == CostForm::kProfile && options.batch > 1)
    return Complain({"-o profile is of one input at a time; leave --batch out"}, kBadInput);
  ASSIGN_OR_COMPLAIN(const auto accelerators, FindAccelerators(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto networks, FindNetworks(options), kBadInput);
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.html), kBadInput);
  std::vector<NetworkCostReport> reports;
  for (const LayeredNetwork& network : networks)
    reports.emplace_back(network, accelerators,
                         CostReportOptions{.batch = options.batch, .units = options.units});
  return page.Finish([&] { return CostsAsHtml(reports); }, Formatted(options.form, reports));
}

}  // namespace fairlead
