#include "fairlead/running/network_source.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/costs/segmentation.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 10;  // layers
constexpr std::size_t kLongestName = 200;
constexpr std::string_view kModelFile = "model.onnx";

// Nothing that leads out of the folder.
bool IsFileName(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         std::ranges::all_of(name, good);
}

Granularity GranularityOf(const Scenario& scenario) {
  const SegmentsConfig& segments = scenario.networks.segments;
  switch (segments.unit) {
    case SegmentsConfig::Unit::kLayers: return Granularity::Layers();
    case SegmentsConfig::Unit::kWhole: return Granularity::Whole();
    case SegmentsConfig::Unit::kBlocks:
      return Granularity::Blocks(static_cast<std::size_t>(segments.layers_per_block));
    case SegmentsConfig::Unit::kAuto: break;
  }
  return Granularity::Blocks(kBlock);
}

Result<OperatorGraph> GraphOf(const NetworkOrder& order, const std::string& folder,
                              const FileReader& read) {
  const std::string file = order.name + std::string(kOnnxEnding);
  if (order.file.has_value()) return ImportOperators(file, *order.file, {});
  if (const auto path = NetworkFileIn(folder, order.name)) {
    ASSIGN_OR_RETURN(const std::string bytes, read(*path));
    return ImportOperators(file, bytes, {});
  }
  if (FindInZoo(order.name) != nullptr)
    return FindGraphByName(order.name, read, {.weights_seed = 1});
  return Fail("there is no network '{}'", order.name);
}

}  // namespace

std::optional<std::string> NetworkFileIn(const std::string& folder, const std::string& network) {
  if (folder.empty() || !IsFileName(network)) return std::nullopt;
  std::error_code none;
  const fs::path file = fs::path(folder) / (network + std::string(kOnnxEnding));
  if (fs::is_regular_file(file, none)) return file.string();
  std::int64_t best = -1;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(folder) / network, none)) {
    const auto version = ParseInteger(entry.path().filename().string());
    if (version.has_value() && *version > best &&
        fs::is_regular_file(entry.path() / kModelFile, none))
      best = *version;
  }
  if (best < 0) return std::nullopt;
  return (fs::path(folder) / network / std::to_string(best) / kModelFile).string();
}

std::vector<std::string> NetworkNamesIn(const std::string& folder) {
  std::set<std::string> names;
  if (folder.empty()) return {};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool file = name.ends_with(kOnnxEnding);
    const std::string network = file ? name.substr(0, name.size() - kOnnxEnding.size()) : name;
    if (NetworkFileIn(folder, network).has_value()) names.insert(network);
  }
  return {names.begin(), names.end()};
}

NetworkSource NetworkSourceOf(const World& world, FileReader read) {
  const std::string& models = world.scenario.serve->models;
  const std::string folder = models.empty() ? "" : Beside(world.scenario.file, models);
  NetworkSource source;
  source.names = [folder] { return NetworkNamesIn(folder); };
  source.has = [folder](const std::string& network) {
    return NetworkFileIn(folder, network).has_value() || FindInZoo(network) != nullptr;
  };
  source.find = [folder, read = std::move(read), granularity = GranularityOf(world.scenario)](
                    const NetworkOrder& order) -> Result<RunnableNetwork> {
    ASSIGN_OR_RETURN(OperatorGraph graph, GraphOf(order, folder, read));
    RunnableNetwork network{.graph = FuseOperators(std::move(graph)), .bounds = {}};
    if (network.graph.operators.empty()) return Fail("'{}' computes nothing", order.name);
    network.bounds = EqualBounds(network.graph.operators.size(), granularity);
    return network;
  };
  return source;
}

}  // namespace fairlead
