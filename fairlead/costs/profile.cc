#include "fairlead/costs/profile.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::int64_t kLongestLatency = 1'000'000'000'000'000;  // 11 days
constexpr std::int64_t kMostVersions = 16;
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
constexpr std::int64_t kMostEnergy = 1'000'000'000'000'000'000;
constexpr std::int64_t kMostLayers = 100'000;  // of a network
constexpr std::size_t kMostKinds = 1'000;
constexpr std::size_t kMostEntries = 10'000'000;  // of a cost table: layers times kinds
// All rows together stay below this, so that no sum over the layers of a network overflows.
constexpr std::int64_t kLargestSum = 4'000'000'000'000'000'000;

// An `after` field that says outright that a layer waits for nothing.
constexpr std::string_view kNothing = "-";

// What the rows said about one layer.
struct LayerDraft {
  bool seen = false;
  std::string after;  // as written in its first row
  std::int64_t alive_bytes = 0;
  std::size_t first_row = 0;
};

struct NetworkDraft {
  std::string name;
  std::vector<LayerDraft> layers;
  std::size_t first_row = 0;
};

class Parser {
 public:
  explicit Parser(const CsvTable& table) : table_(table) {}

  Result<Profile> Parse() {
    if (table_.rows() == 0)
      return Fail("{}: no rows; expected one for each layer and kind of accelerator",
                  table_.file());
    profile_.rows.reserve(table_.rows());
    for (std::size_t row = 0; row < table_.rows(); ++row) RETURN_IF_ERROR(AddRow(row));
    if (layers_ * profile_.kinds.size() > kMostEntries)
      return Fail("{}: {} layers on {} kinds of accelerators; at most {} times", table_.file(),
                  layers_, profile_.kinds.size(), kMostEntries);
    for (const NetworkDraft& draft : drafts_) RETURN_IF_ERROR(AddNetwork(draft));
    return std::move(profile_);
  }

 private:
  Result<std::int64_t> OrDefault(std::size_t row, std::string_view column, std::int64_t fallback,
                                 std::int64_t low, std::int64_t high) {
    if (table_.Text(row, column).empty()) return fallback;
    return table_.Integer(row, column, low, high);
  }

  Status AddTo(std::int64_t& sum, std::size_t row, std::string_view column, std::int64_t value) {
    if (value > kLargestSum - sum)
      return FailAt(table_.PlaceOf(row, column), "up to here {} adds up to more than {}", column,
                    kLargestSum);
    sum += value;
    return {};
  }

  Status AddRow(std::size_t row) {
    ASSIGN_OR_RETURN(const std::string_view network_text, table_.Name(row, "network"));
    ASSIGN_OR_RETURN(const std::string_view kind_text, table_.Name(row, "accelerator"));
    const std::string network_name(network_text);
    const std::string kind_name(kind_text);
    ASSIGN_OR_RETURN(const std::int64_t layer, table_.Integer(row, "layer", 0, kMostLayers - 1));
    ASSIGN_OR_RETURN(const std::int64_t latency,
                     table_.Integer(row, "latency_ns", 0, kLongestLatency));
    ASSIGN_OR_RETURN(const std::int64_t bytes, table_.Integer(row, "dram_bytes", 0, kMostBytes));
    ASSIGN_OR_RETURN(const std::int64_t energy, OrDefault(row, "energy_pj", 0, 0, kMostEnergy));
    ASSIGN_OR_RETURN(const std::int64_t batch, OrDefault(row, "batch", 1, 1, 1'000'000));
    ASSIGN_OR_RETURN(const std::int64_t units, OrDefault(row, "units", 1, 1, 1'000'000));
    ASSIGN_OR_RETURN(const std::int64_t alive, OrDefault(row, "alive_bytes", 0, 0, kMostBytes));
    ASSIGN_OR_RETURN(const std::int64_t version,
                     OrDefault(row, "version", 0, 0, kMostVersions - 1));
    ASSIGN_OR_RETURN(const std::int64_t pressed,
                     OrDefault(row, "pressed_ns", 0, 0, kLongestLatency));
    if (latency == 0 && bytes > 0)
      return FailAt(table_.PlaceOf(row, "latency_ns"), "{} bytes in no time", bytes);
    RETURN_IF_ERROR(AddTo(latencies_, row, "latency_ns", latency));
    RETURN_IF_ERROR(AddTo(pressed_, row, "pressed_ns", pressed));
    RETURN_IF_ERROR(AddTo(bytes_, row, "dram_bytes", bytes));
    RETURN_IF_ERROR(AddTo(energies_, row, "energy_pj", energy));
    RETURN_IF_ERROR(AddTo(alive_bytes_, row, "alive_bytes", alive));

    const auto network = network_ids_.try_emplace(network_name, drafts_.size()).first->second;
    if (network == drafts_.size())
      drafts_.push_back({.name = network_name, .layers = {}, .first_row = row});
    const auto kind = kind_ids_.try_emplace(kind_name, profile_.kinds.size()).first->second;
    if (kind == profile_.kinds.size()) profile_.kinds.push_back(kind_name);
    if (profile_.kinds.size() > kMostKinds)
      return FailAt(table_.PlaceOf(row, "accelerator"), "more than {} kinds of accelerators",
                    kMostKinds);

    const auto index = static_cast<std::size_t>(layer);
    RETURN_IF_ERROR(AddLayer(row, drafts_[network], index, alive));

    const CostRow entry{.network = NetworkId{network},
                        .segment = SegmentId{index},
                        .kind = KindId{kind},
                        .configuration = {.units = static_cast<int>(units),
                                          .batch = static_cast<int>(batch),
                                          .version = static_cast<int>(version)},
                        .cost = {Duration{latency}, bytes, energy, Duration{pressed}}};
    const std::string key =
        fmt::format("{} {} {} {} {} {}", network, layer, kind, batch, units, version);
    if (!rows_seen_.insert(key).second)
      return FailAt(table_.PlaceOf(row, "layer"), "layer {} of '{}' on {} stands twice", layer,
                    network_name, kind_name);
    profile_.rows.push_back(entry);
    return {};
  }

  Status AddLayer(std::size_t row, NetworkDraft& draft, std::size_t layer, std::int64_t alive) {
    if (draft.layers.size() <= layer) {
      layers_ += layer + 1 - draft.layers.size();
      if (layers_ > table_.rows())  // each needs a row of its own
        return FailAt(table_.PlaceOf(row, "layer"), "layers before {} of '{}' are missing", layer,
                      draft.name);
      draft.layers.resize(layer + 1);
    }
    const std::string_view after = table_.Text(row, "after");
    LayerDraft& known = draft.layers[layer];
    if (!known.seen) {
      known = {.seen = true, .after = std::string(after), .alive_bytes = alive, .first_row = row};
    } else if (known.after != after) {
      return FailAt(table_.PlaceOf(row, "after"),
                    "layer {} of '{}' waits for '{}' here and for '{}' in an earlier row", layer,
                    draft.name, after, known.after);
    } else if (known.alive_bytes != alive) {
      return FailAt(table_.PlaceOf(row, "alive_bytes"),
                    "layer {} of '{}' leaves {} bytes here and {} in an earlier row", layer,
                    draft.name, alive, known.alive_bytes);
    }
    return {};
  }

  Status AddNetwork(const NetworkDraft& draft) {
    const bool chain = std::ranges::all_of(
        draft.layers, [](const LayerDraft& layer) { return layer.after.empty(); });
    std::vector<SegmentSpec> specs(draft.layers.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (!draft.layers[i].seen)
        return FailAt(table_.PlaceOf(draft.first_row, "network"),
                      "layer {} of '{}' is missing; its last one is {}", i, draft.name,
                      draft.layers.size() - 1);
      specs[i].name = std::to_string(i);
      if (chain) {
        if (i > 0) specs[i].after = {static_cast<std::uint32_t>(i - 1)};
        continue;
      }
      auto after = ParseAfter(draft.layers[i].after, specs.size());
      if (!after.has_value())
        return FailAt(table_.PlaceOf(draft.layers[i].first_row, "after"),
                      "after of layer {} of '{}': {}", i, draft.name, after.error().message);
      specs[i].after = std::move(*after);
    }
    auto graph = NetworkGraph::Create(draft.name, specs);
    if (!graph.has_value())
      return FailAt(table_.PlaceOf(draft.first_row, "network"), "{}", graph.error().message);
    profile_.networks.push_back(std::move(*graph));
    if (!table_.Has("alive_bytes")) return {};
    std::vector<std::int64_t>& alive = profile_.alive_bytes.emplace_back();
    for (const LayerDraft& layer : draft.layers) alive.push_back(layer.alive_bytes);
    return {};
  }

  static Result<std::vector<std::uint32_t>> ParseAfter(std::string_view text, std::size_t layers) {
    std::vector<std::uint32_t> after;
    if (text == kNothing) return after;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end > 0) {
        ASSIGN_OR_RETURN(const std::int64_t layer, ParseInteger(text.substr(0, end)));
        if (layer < 0 || layer >= static_cast<std::int64_t>(layers))
          return Fail("there is no layer {}", layer);
        after.push_back(static_cast<std::uint32_t>(layer));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::vector<std::uint32_t> sorted = after;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) return Fail("layer {} stands twice", *twice);
    return after;
  }

  const CsvTable& table_;
  Profile profile_;
  std::vector<NetworkDraft> drafts_;
  std::size_t layers_ = 0;  // of all networks
  std::int64_t latencies_ = 0;
  std::int64_t pressed_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t energies_ = 0;
  std::int64_t alive_bytes_ = 0;
  std::unordered_map<std::string, std::size_t> network_ids_;
  std::unordered_map<std::string, std::size_t> kind_ids_;
  std::unordered_set<std::string> rows_seen_;
};

// By the kinds of the platform.
HandOverCosts HandOversOf(const Profile& profile, const Platform& platform) {
  std::vector<KindId> kinds;
  for (const AcceleratorKind& kind : platform.kinds) {
    const auto found = std::ranges::find(profile.kinds, kind.name);
    kinds.push_back(found == profile.kinds.end()
                        ? KindId{}
                        : KindId{static_cast<std::size_t>(found - profile.kinds.begin())});
  }
  return profile.hand_overs.Renumbered(kinds);
}

}  // namespace

Result<Profile> ParseProfile(std::string_view file, std::string_view text) {
  ASSIGN_OR_RETURN(
      const CsvTable table,
      CsvTable::Parse(file, text,
                      {"network", "layer", "accelerator", "latency_ns", "dram_bytes", "energy_pj"},
                      {"after", "batch", "units", "alive_bytes", "version", "pressed_ns"}));
  return Parser(table).Parse();
}

std::string FormatProfile(const Profile& profile) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units";
  const bool alive = !profile.alive_bytes.empty();
  const bool versions = std::ranges::any_of(
      profile.rows, [](const CostRow& row) { return row.configuration.version > 0; });
  const bool pressed = std::ranges::any_of(
      profile.rows, [](const CostRow& row) { return row.cost.pressed_latency > Duration::zero(); });
  if (alive) text += ",alive_bytes";
  if (versions) text += ",version";
  if (pressed) text += ",pressed_ns";
  text += '\n';
  for (const CostRow& row : profile.rows) {
    const NetworkGraph& network = profile.networks[row.network.index()];
    // Where no layer waits for another, empty fields would mean a chain.
    std::string after(network.Sources().size() == network.size() && network.size() > 1 ? kNothing
                                                                                       : "");
    for (SegmentId predecessor : network.Predecessors(row.segment)) {
      if (!after.empty()) after += ' ';
      after += std::to_string(predecessor.value);
    }
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}", CsvField(network.name()),
                   row.segment.value, CsvField(profile.kinds[row.kind.index()]),
                   row.cost.latency.count(), row.cost.dram_bytes, row.cost.energy_pj, after,
                   row.configuration.batch, row.configuration.units);
    if (alive)
      fmt::format_to(std::back_inserter(text), ",{}",
                     profile.alive_bytes[row.network.index()][row.segment.index()]);
    if (versions) fmt::format_to(std::back_inserter(text), ",{}", row.configuration.version);
    if (pressed) fmt::format_to(std::back_inserter(text), ",{}", row.cost.pressed_latency.count());
    text += '\n';
  }
  return text;
}

CostTable MakeCostTable(const Profile& profile, const Platform& platform) {
  std::vector<KindId> kinds;
  for (const std::string& name : profile.kinds) kinds.push_back(platform.FindKind(name));
  CostTable table(profile.networks, platform);
  if (profile.hand_overs.kinds() > 0) table.SetHandOvers(HandOversOf(profile, platform));
  for (const CostRow& row : profile.rows) {
    const KindId kind = kinds[row.kind.index()];
    if (!kind.valid()) continue;
    SegmentCost cost = row.cost;
    cost.latency += table.hand_overs().HandOver(kind);
    if (cost.pressed_latency > Duration::zero())
      cost.pressed_latency += table.hand_overs().HandOver(kind);
    table.Set(row.network, row.segment, kind, row.configuration, cost);
  }
  for (std::size_t n = 0; n < profile.alive_bytes.size(); ++n) {
    for (std::size_t s = 0; s < profile.alive_bytes[n].size(); ++s)
      table.SetAliveBytes(NetworkId{n}, SegmentId{s}, profile.alive_bytes[n][s]);
  }
  table.Seal(profile.networks);
  return table;
}

Status CheckRunnable(const Profile& profile, const Platform& platform) {
  const CostTable costs = MakeCostTable(profile, platform);
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    for (std::size_t s = 0; s < profile.networks[n].size(); ++s) {
      bool possible = false;
      for (std::size_t k = 0; k < platform.kinds.size(); ++k)
        possible = possible || costs.Alone(NetworkId{n}, SegmentId{s}, KindId{k}) != nullptr;
      if (!possible)
        return Fail("layer {} of '{}' cannot run on any accelerator of this platform", s,
                    profile.networks[n].name());
    }
  }
  return {};
}

}  // namespace fairlead
