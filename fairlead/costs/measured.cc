#include "fairlead/costs/measured.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {
namespace {

constexpr double kLongestMicroseconds = 1e12;
// What the other operators take at least, where timing says that they take nothing.
constexpr double kLeastShareOfOthers = 0.01;

struct MeasuredLayer {
  std::int64_t bytes = 0;
  std::vector<std::optional<double>> us;  // by column
};

struct MeasuredNetwork {
  std::string name;
  std::vector<const MeasuredLayer*> layers;
  std::vector<double> us;  // of the whole, by column
};

class Reader {
 public:
  explicit Reader(const Measurements& measurements) : m_(measurements) {}

  Result<Profile> Read() {
    RETURN_IF_ERROR(ReadLayers());
    RETURN_IF_ERROR(ReadModels());
    RETURN_IF_ERROR(ReadNetworks());
    for (const MeasuredColumn& column : m_.columns) {
      if (std::ranges::find(profile_.kinds, column.kind) == profile_.kinds.end())
        profile_.kinds.emplace_back(column.kind);
    }
    for (const MeasuredNetwork& network : networks_) RETURN_IF_ERROR(Add(network));
    return std::move(profile_);
  }

 private:
  std::vector<std::string_view> LatencyColumns() const {
    std::vector<std::string_view> names;
    for (const MeasuredColumn& column : m_.columns) names.push_back(column.column);
    return names;
  }

  Status ReadLayers() {
    std::vector<std::string_view> optional = LatencyColumns();
    for (const std::string_view extra :
         {"macs", "in_bytes", "weight_bytes", "out_bytes", "from_network"})
      optional.push_back(extra);
    ASSIGN_OR_RETURN(const CsvTable table,
                     CsvTable::Parse(m_.layers.file, m_.layers.text,
                                     {"id", "kind", "n", "cin", "cout", "kh", "kw", "stride",
                                      "pad_h", "pad_w", "groups", "h", "w"},
                                     optional));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSIGN_OR_RETURN(const std::int64_t id, table.Integer(row, "id", 0, 1'000'000'000));
      MeasuredLayer layer;
      ASSIGN_OR_RETURN(layer.bytes, BytesOf(table, row));
      for (const MeasuredColumn& column : m_.columns) {
        std::optional<double>& us = layer.us.emplace_back();
        if (!table.Has(column.column)) continue;
        ASSIGN_OR_RETURN(us, table.Number(row, column.column, 0, kLongestMicroseconds));
      }
      if (!layers_.try_emplace(id, std::move(layer)).second)
        return FailAt(table.PlaceOf(row, "id"), "layer {} stands twice", id);
    }
    return {};
  }

  // Inputs, weights and outputs once. Linear layers leave the fields of kernels empty.
  Result<std::int64_t> BytesOf(const CsvTable& table, std::size_t row) const {
    const auto field = [&](std::string_view column, std::int64_t low,
                           std::int64_t otherwise) -> Result<std::int64_t> {
      if (table.Text(row, column).empty()) return otherwise;
      return table.Integer(row, column, low, 1'000'000);
    };
    ASSIGN_OR_RETURN(const std::int64_t n, field("n", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t inputs, table.Integer(row, "cin", 1, 1'000'000));
    ASSIGN_OR_RETURN(const std::int64_t outputs, table.Integer(row, "cout", 1, 1'000'000));
    ASSIGN_OR_RETURN(const std::int64_t kh, field("kh", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t kw, field("kw", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t stride, field("stride", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t pad_h, field("pad_h", 0, 0));
    ASSIGN_OR_RETURN(const std::int64_t pad_w, field("pad_w", 0, 0));
    ASSIGN_OR_RETURN(const std::int64_t groups, field("groups", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t h, field("h", 1, 1));
    ASSIGN_OR_RETURN(const std::int64_t w, field("w", 1, 1));
    if (h + 2 * pad_h < kh || w + 2 * pad_w < kw)
      return FailAt(table.PlaceOf(row, "kh"), "a kernel of {} x {} on {} x {}", kh, kw, h, w);
    const std::int64_t p = (h + 2 * pad_h - kh) / stride + 1;
    const std::int64_t q = (w + 2 * pad_w - kw) / stride + 1;
    const std::int64_t inputs_of_group = inputs / groups;
    const double elements =
        static_cast<double>(n) * (static_cast<double>(inputs * h) * static_cast<double>(w) +
                                  static_cast<double>(outputs * p) * static_cast<double>(q)) +
        static_cast<double>(outputs * kh) * static_cast<double>(inputs_of_group * kw);
    if (elements > 1e14) return FailAt(table.PlaceOf(row, "id"), "the layer is too large");
    return m_.word_bytes * static_cast<std::int64_t>(elements);
  }

  Status ReadModels() {
    ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Parse(m_.models.file, m_.models.text,
                                                           {"model", "position", "layer_id"}, {}));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSIGN_OR_RETURN(const std::string_view model, table.Name(row, "model"));
      ASSIGN_OR_RETURN(const std::int64_t id, table.Integer(row, "layer_id", 0, 1'000'000'000));
      const auto layer = layers_.find(id);
      if (layer == layers_.end())
        return FailAt(table.PlaceOf(row, "layer_id"), "{} has no layer {}", m_.layers.file, id);
      std::vector<const MeasuredLayer*>& layers = sequences_[std::string(model)];
      ASSIGN_OR_RETURN(const std::int64_t position, table.Integer(row, "position", 0, 1'000'000));
      if (position != static_cast<std::int64_t>(layers.size()))
        return FailAt(table.PlaceOf(row, "position"), "position {}; expected {}", position,
                      layers.size());
      layers.push_back(&layer->second);
    }
    return {};
  }

  Status ReadNetworks() {
    std::vector<std::string_view> required = {"model"};
    for (const std::string_view column : LatencyColumns()) required.push_back(column);
    ASSIGN_OR_RETURN(const CsvTable table,
                     CsvTable::Parse(m_.networks.file, m_.networks.text, required, {}));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSIGN_OR_RETURN(const std::string_view model, table.Name(row, "model"));
      const auto sequence = sequences_.find(std::string(model));
      if (sequence == sequences_.end())
        return FailAt(table.PlaceOf(row, "model"), "{} has no layers of '{}'", m_.models.file,
                      model);
      MeasuredNetwork network{.name = std::string(model), .layers = sequence->second, .us = {}};
      std::ranges::replace(network.name, '_', '-');
      for (const MeasuredColumn& column : m_.columns) {
        ASSIGN_OR_RETURN(const double us,
                         table.Number(row, column.column, 1e-3, kLongestMicroseconds));
        network.us.push_back(us);
      }
      networks_.push_back(std::move(network));
    }
    return {};
  }

  // How the time of a whole network divides on one column: what each layer's own time is multiplied
  // by, and what the other operators take.
  struct Division {
    std::size_t column = 0;  // where the layers were timed
    double scale = 1;
    double others_us = 0;
  };

  Result<Division> Divide(const MeasuredNetwork& network, std::size_t column) const {
    std::size_t timed = column;
    while (!network.layers.front()->us[timed].has_value()) {
      if (timed == 0 || m_.columns[timed - 1].kind != m_.columns[column].kind)
        return Fail("{}: column {} is missing", m_.layers.file, m_.columns[column].column);
      --timed;
    }
    double sum = 0;
    for (const MeasuredLayer* layer : network.layers) sum += *layer->us[timed];
    Division division{.column = timed};
    // What the layers would have taken here, had they been timed.
    sum *= network.us[column] / network.us[timed];
    division.scale = network.us[column] / network.us[timed];
    division.others_us = network.us[column] - sum;
    const double least = kLeastShareOfOthers * network.us[column];
    if (division.others_us < least) {
      division.scale *= (network.us[column] - least) / sum;
      division.others_us = least;
    }
    return division;
  }

  Status Add(const MeasuredNetwork& network) {
    const NetworkId id{profile_.networks.size()};
    std::vector<SegmentSpec> specs;
    for (std::size_t i = 0; i <= network.layers.size(); ++i) {
      specs.push_back({i == network.layers.size() ? "others" : fmt::format("layer{}", i), {}});
      if (i > 0) specs.back().after = {static_cast<std::uint32_t>(i - 1)};
    }
    ASSIGN_OR_RETURN(NetworkGraph graph, NetworkGraph::Create(network.name, specs));
    profile_.networks.push_back(std::move(graph));
    for (std::size_t c = 0; c < m_.columns.size(); ++c) {
      ASSIGN_OR_RETURN(const Division division, Divide(network, c));
      const auto kind = std::ranges::find(profile_.kinds, m_.columns[c].kind);
      const KindId kind_id{static_cast<std::size_t>(kind - profile_.kinds.begin())};
      const Configuration configuration{.units = m_.columns[c].units};
      const auto add = [&](std::size_t layer, double us, std::int64_t bytes) {
        const auto ns = std::max<std::int64_t>(1, std::llround(us * 1000));
        profile_.rows.push_back(
            {id, SegmentId{layer}, kind_id, configuration, {Duration{ns}, bytes, 0}});
      };
      for (std::size_t i = 0; i < network.layers.size(); ++i)
        add(i, *network.layers[i]->us[division.column] * division.scale, network.layers[i]->bytes);
      add(network.layers.size(), division.others_us, BytesOfOthers(network.name));
    }
    return {};
  }

  std::int64_t BytesOfOthers(const std::string& name) const {
    const auto zoo = Zoo();
    const auto network = std::ranges::find(zoo, name, &LayeredNetwork::name);
    std::int64_t elements = 0;
    if (network == zoo.end()) return 0;
    for (const NetworkLayer& layer : network->layers) {
      if (!layer.shape.Multiplies()) elements += layer.shape.Inputs() + layer.shape.Outputs();
    }
    return elements * m_.word_bytes;
  }

  const Measurements& m_;
  std::map<std::int64_t, MeasuredLayer> layers_;
  std::map<std::string, std::vector<const MeasuredLayer*>> sequences_;
  std::vector<MeasuredNetwork> networks_;
  Profile profile_;
};

}  // namespace

Result<Profile> ProfileOf(const Measurements& measurements) { return Reader(measurements).Read(); }

namespace {

auto WhatOf(const CostRow& row) {
  return std::tuple(row.network, row.segment, row.kind, row.configuration.batch,
                    row.configuration.version);
}

Duration Between(Duration low, Duration high, double share) {
  if (low <= Duration::zero() || high <= Duration::zero()) return low;
  const double a = std::log(static_cast<double>(low.count()));
  const double b = std::log(static_cast<double>(high.count()));
  return Duration{std::llround(std::exp(a + share * (b - a)))};
}

}  // namespace

Profile WithAllUnits(Profile profile) {
  std::ranges::sort(profile.rows, [](const CostRow& a, const CostRow& b) {
    return std::pair(WhatOf(a), a.configuration.units) <
           std::pair(WhatOf(b), b.configuration.units);
  });
  std::vector<CostRow> all;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const CostRow& low = profile.rows[i];
    all.push_back(low);
    if (i + 1 == profile.rows.size() || WhatOf(profile.rows[i + 1]) != WhatOf(low)) continue;
    const CostRow& high = profile.rows[i + 1];
    const double fewer = std::log(low.configuration.units);
    const double more = std::log(high.configuration.units);
    for (int units = low.configuration.units + 1; units < high.configuration.units; ++units) {
      const double share = (std::log(units) - fewer) / (more - fewer);
      CostRow row = low;
      row.configuration.units = units;
      row.cost.latency = Between(low.cost.latency, high.cost.latency, share);
      if (low.cost.pressed_latency > Duration::zero() ||
          high.cost.pressed_latency > Duration::zero())
        row.cost.pressed_latency = Between(low.cost.Pressed(), high.cost.Pressed(), share);
      all.push_back(row);
    }
  }
  profile.rows = std::move(all);
  return profile;
}

}  // namespace fairlead
