#include "apps/network_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/help_text.h"
#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/base/result.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json NetworksJson() {
  Json list = Json::array();
  for (const LayeredNetwork& network : Zoo()) {
    list.push_back({{"name", network.name},
                    {"layers", network.layers.size()},
                    {"parameters", network.Parameters()},
                    {"macs", network.Macs()},
                    {"input", network.input},
                    {"activations", network.Activations()}});
  }
  return list;
}

void PrintNetworks() {
  fmt::print("{:<20}{:>6}{:>12}{:>9}{:>13}  {}\n", "network", "layers", "parameters", "GMACs",
             "activations", "input");
  for (const LayeredNetwork& network : Zoo()) {
    fmt::print("{:<20}{:>6}{:>10.2f} M{:>9.3f}{:>11.2f} M  {}\n", network.name,
               network.layers.size(), static_cast<double>(network.Parameters()) / 1e6,
               static_cast<double>(network.Macs()) / 1e9,
               static_cast<double>(network.Activations()) / 1e6, network.input);
    fmt::print("    {}\n", Wrapped(network.description, 4, 4));
  }
}

// The names of what a layer waits for.
std::vector<std::string_view> Waits(const LayeredNetwork& network, const NetworkLayer& layer) {
  std::vector<std::string_view> names;
  names.reserve(layer.after.size());
  for (std::uint32_t before : layer.after) names.push_back(network.layers[before].name);
  return names;
}

// "3x64 7x7/2": inputs and outputs, kernel and stride; what multiplies nothing has no inputs here.
std::string ShapeText(const LayerShape& shape) {
  std::string text =
      shape.Multiplies() ? fmt::format("{}x{}", shape.c, shape.k) : fmt::format("{}", shape.k);
  if (shape.kind == LayerKind::kLinear) return text;
  if (shape.r * shape.s > 1 || shape.Multiplies()) text += fmt::format(" {}x{}", shape.r, shape.s);
  if (shape.stride > 1) text += fmt::format("/{}", shape.stride);
  if (shape.groups > 1) text += fmt::format(" in {} groups", shape.groups);
  return text;
}

Json LayersJson(const LayeredNetwork& network) {
  Json list = Json::array();
  for (const NetworkLayer& layer : network.layers) {
    const LayerShape& shape = layer.shape;
    list.push_back({{"name", layer.name},
                    {"kind", Name(shape.kind)},
                    {"shape",
                     {{"n", shape.n},
                      {"k", shape.k},
                      {"c", shape.c},
                      {"p", shape.p},
                      {"q", shape.q},
                      {"r", shape.r},
                      {"s", shape.s},
                      {"stride", shape.stride},
                      {"groups", shape.groups},
                      {"operands", shape.operands}}},
                    {"parameters", layer.parameters},
                    {"macs", shape.Macs()},
                    {"output", {shape.k, shape.p, shape.q}},
                    {"after", Waits(network, layer)}});
  }
  return list;
}

// A layer that waits for another than the one above it says so in a line of its own.
void PrintLayers(const LayeredNetwork& network) {
  std::size_t names = 5;
  std::size_t shapes = 5;
  for (const NetworkLayer& layer : network.layers) {
    names = std::max(names, layer.name.size());
    shapes = std::max(shapes, ShapeText(layer.shape).size());
  }
  fmt::print("{:<{}}  {:<13}  {:<{}}  {:>10}  {:>8}  {}\n", "layer", names, "kind", "shape", shapes,
             "parameters", "MMACs", "output");
  bool branches = false;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    const LayerShape& shape = layer.shape;
    fmt::print("{:<{}}  {:<13}  {:<{}}  {:>10}  {:>8.2f}  {}x{}x{}\n", layer.name, names,
               Name(shape.kind), ShapeText(shape), shapes, layer.parameters,
               static_cast<double>(shape.Macs()) / 1e6, shape.k, shape.p, shape.q);
    const bool after_previous = layer.after.size() == 1 && layer.after.front() + 1 == l;
    if (after_previous || (l == 0 && layer.after.empty())) continue;
    branches = true;
    const auto waits = Waits(network, layer);
    fmt::print("    {}\n", Wrapped(waits.empty() ? "after nothing"
                                                 : fmt::format("after {}", fmt::join(waits, " ")),
                                   4, 8));
  }
  if (branches)
    fmt::print("\nA layer waits for the one above it, unless a line below it names others.\n");
}

}  // namespace

int ListNetworks(const ListOptions& options) {
  const bool json = options.form == OutputForm::kJson;
  if (options.one.empty()) {
    if (json)
      fmt::print("{}\n", NetworksJson().dump(2));
    else
      PrintNetworks();
    return kDone;
  }
  const auto found = FindNetworkByName(options.one, &ReadInput);
  if (!found.has_value()) return Complain(found.error(), kBadInput);
  for (const std::string& warning : found->warnings) Tell("{}\n", warning);
  if (json)
    fmt::print("{}\n", LayersJson(found->network).dump(2));
  else
    PrintLayers(found->network);
  return kDone;
}

}  // namespace fairlead
