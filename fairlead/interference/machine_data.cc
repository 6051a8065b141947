#include "fairlead/interference/machine_data.h"

#include <algorithm>
#include <map>

#include "fairlead/base/csv.h"

namespace fairlead {
namespace {

constexpr double kMostMicroseconds = 1e12;
constexpr double kLeastMicroseconds = 1e-3;
constexpr std::int64_t kMostId = 1'000'000'000;

// The names in the first line that begin with "us_", in their order.
std::vector<std::string> LatencyColumns(std::string_view text) {
  std::vector<std::string> columns;
  CsvLines lines("", text);
  if (!lines.Next()) return columns;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("us_")) columns.emplace_back(lines[i]);
  }
  return columns;
}

std::vector<std::string_view> With(std::vector<std::string_view> names,
                                   const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

class MachineReader {
 public:
  Result<MachineData> Read(const TableText& layers, const TableText& models,
                           const TableText& networks) {
    RETURN_IF_ERROR(ReadLayers(layers));
    if (!models.text.empty()) RETURN_IF_ERROR(ReadModels(models, layers.file));
    if (!networks.text.empty()) RETURN_IF_ERROR(ReadNetworks(networks, models.file));
    return std::move(machine_);
  }

 private:
  Status ReadLayers(const TableText& input) {
    const std::vector<std::string> columns = LatencyColumns(input.text);
    if (columns.empty()) return Fail("{}: no column of latencies; expected us_p0, ...", input.file);
    ASSIGN_OR_RETURN(
        const CsvTable table,
        CsvTable::Parse(
            input.file, input.text,
            With({"id", "kind", "macs", "in_bytes", "weight_bytes", "out_bytes"}, columns),
            {"n", "cin", "cout", "kh", "kw", "stride", "pad_h", "pad_w", "groups", "h", "w",
             "from_network"}));
    machine_.partitions = columns.size();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      MeasuredLayer layer;
      ASSIGN_OR_RETURN(layer.id, table.Integer(row, "id", 0, kMostId));
      ASSIGN_OR_RETURN(const std::string_view kind, table.Word(row, "kind"));
      layer.convolution = kind == "conv" || kind == "depthwise";
      if (!layer.convolution && kind != "linear")
        return FailAt(table.PlaceOf(row, "kind"), "unknown kind '{}'; expected conv or linear",
                      kind);
      ASSIGN_OR_RETURN(layer.macs, table.Number(row, "macs", 0, 1e15));
      ASSIGN_OR_RETURN(layer.in_bytes, table.Number(row, "in_bytes", 0, 1e15));
      ASSIGN_OR_RETURN(layer.weight_bytes, table.Number(row, "weight_bytes", 0, 1e15));
      ASSIGN_OR_RETURN(layer.out_bytes, table.Number(row, "out_bytes", 0, 1e15));
      for (const std::string& column : columns) {
        ASSIGN_OR_RETURN(const double us,
                         table.Number(row, column, kLeastMicroseconds, kMostMicroseconds));
        layer.us.push_back(us);
      }
      if (!by_id_.try_emplace(layer.id, machine_.layers.size()).second)
        return FailAt(table.PlaceOf(row, "id"), "layer {} stands twice", layer.id);
      machine_.layers.push_back(std::move(layer));
    }
    if (machine_.layers.empty()) return Fail("{}: no layers", input.file);
    return {};
  }

  Status ReadModels(const TableText& input, const std::string& layers_file) {
    ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Parse(input.file, input.text,
                                                           {"model", "position", "layer_id"}, {}));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSIGN_OR_RETURN(const std::string_view model, table.Name(row, "model"));
      ASSIGN_OR_RETURN(const std::int64_t id, table.Integer(row, "layer_id", 0, kMostId));
      const auto layer = by_id_.find(id);
      if (layer == by_id_.end())
        return FailAt(table.PlaceOf(row, "layer_id"), "{} has no layer {}", layers_file, id);
      sequences_[std::string(model)].push_back(layer->second);
    }
    return {};
  }

  Status ReadNetworks(const TableText& input, const std::string& models_file) {
    const std::vector<std::string> columns = LatencyColumns(input.text);
    if (columns.size() != machine_.partitions)
      return Fail("{}: {} columns of latencies; the layers have {}", input.file, columns.size(),
                  machine_.partitions);
    ASSIGN_OR_RETURN(const CsvTable table,
                     CsvTable::Parse(input.file, input.text, With({"model"}, columns), {}));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSIGN_OR_RETURN(const std::string_view model, table.Name(row, "model"));
      const auto sequence = sequences_.find(std::string(model));
      if (sequence == sequences_.end())
        return FailAt(table.PlaceOf(row, "model"), "{} has no layers of '{}'", models_file, model);
      MeasuredNetwork network{.name = std::string(model), .layers = sequence->second, .us = {}};
      std::ranges::replace(network.name, '_', '-');
      for (const std::string& column : columns) {
        ASSIGN_OR_RETURN(const double us,
                         table.Number(row, column, kLeastMicroseconds, kMostMicroseconds));
        network.us.push_back(us);
      }
      machine_.networks.push_back(std::move(network));
    }
    return {};
  }

  MachineData machine_;
  std::map<std::int64_t, std::size_t> by_id_;
  std::map<std::string, std::vector<std::size_t>> sequences_;
};

}  // namespace

Result<MachineData> ReadMachineData(const TableText& layers, const TableText& models,
                                    const TableText& networks) {
  return MachineReader().Read(layers, models, networks);
}

Result<std::vector<CoRun>> ReadCoRuns(const MachineData& machine, const TableText& input) {
  std::map<std::int64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < machine.layers.size(); ++i) by_id.emplace(machine.layers[i].id, i);
  std::vector<std::string> beside;
  for (std::size_t p = 0; p < machine.partitions; ++p) beside.push_back(fmt::format("on_p{}", p));
  ASSIGN_OR_RETURN(
      const CsvTable table,
      CsvTable::Parse(input.file, input.text, With({"layer_id", "partition", "us"}, beside), {}));
  const auto find = [&](std::size_t row, std::string_view column,
                        std::int64_t id) -> Result<std::size_t> {
    const auto found = by_id.find(id);
    if (found == by_id.end()) return FailAt(table.PlaceOf(row, column), "there is no layer {}", id);
    return found->second;
  };
  std::vector<CoRun> runs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    CoRun run;
    ASSIGN_OR_RETURN(const std::int64_t id, table.Integer(row, "layer_id", 0, kMostId));
    ASSIGN_OR_RETURN(run.layer, find(row, "layer_id", id));
    const auto last = static_cast<std::int64_t>(machine.partitions) - 1;
    ASSIGN_OR_RETURN(const std::int64_t partition, table.Integer(row, "partition", 0, last));
    run.partition = static_cast<std::size_t>(partition);
    for (std::size_t p = 0; p < machine.partitions; ++p) {
      ASSIGN_OR_RETURN(const std::int64_t other, table.Integer(row, beside[p], -1, kMostId));
      if (other >= 0 && p == run.partition)
        return FailAt(table.PlaceOf(row, beside[p]), "the measured layer's own partition");
      std::optional<std::size_t>& place = run.beside.emplace_back();
      if (other < 0) continue;
      ASSIGN_OR_RETURN(place, find(row, beside[p], other));
    }
    ASSIGN_OR_RETURN(run.us, table.Number(row, "us", kLeastMicroseconds, kMostMicroseconds));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<NetworkMixture>> ReadMixtures(const MachineData& machine,
                                                 const TableText& input) {
  std::vector<std::string> columns;
  for (std::size_t p = 0; p < machine.partitions; ++p) columns.push_back(fmt::format("p{}", p));
  for (std::size_t p = 0; p < machine.partitions; ++p) columns.push_back(fmt::format("us_p{}", p));
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse(input.file, input.text, With({}, columns), {}));
  std::vector<NetworkMixture> mixtures;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    NetworkMixture mixture;
    for (std::size_t p = 0; p < machine.partitions; ++p) {
      std::string name(table.Text(row, columns[p]));
      std::ranges::replace(name, '_', '-');
      std::optional<std::size_t>& network = mixture.networks.emplace_back();
      mixture.us.push_back(0);
      if (name.empty()) continue;
      const auto found = std::ranges::find(machine.networks, name, &MeasuredNetwork::name);
      if (found == machine.networks.end())
        return FailAt(table.PlaceOf(row, columns[p]), "there is no network '{}'", name);
      network = static_cast<std::size_t>(found - machine.networks.begin());
      ASSIGN_OR_RETURN(mixture.us.back(), table.Number(row, columns[machine.partitions + p],
                                                       kLeastMicroseconds, kMostMicroseconds));
    }
    mixtures.push_back(std::move(mixture));
  }
  return mixtures;
}

}  // namespace fairlead
