#include "fairlead/recording/recording_header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace fairlead {
namespace {

using Json = nlohmann::json;

constexpr double kLargestNumber = std::numeric_limits<double>::max();

constexpr std::array<std::string_view, 2> kLateNames = {"finish", "drop"};
constexpr std::array<std::string_view, 2> kWrongPlanNames = {"stop", "skip"};

std::optional<std::int64_t> WholeOf(const Json& json, std::int64_t low, std::int64_t high) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < low || value > high) return std::nullopt;
  return value;
}

// Reads one JSON object strictly: a key that is missing, has another type or range, or that nobody
// asked for is an error. The first complaint is kept for Done(), so that reading goes on without a
// check after each key; what could not be read keeps its value.
class Fields {
 public:
  Fields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) Complain("", "an object");
  }

  // Null when it is missing.
  const Json* Get(const char* key) {
    asked_.emplace_back(key);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    if (found != json_.end()) return &*found;
    Complain(key, "it to be there");
    return nullptr;
  }
  void Text(const char* key, std::string& out) {
    const Json* value = Get(key);
    if (value != nullptr && value->is_string()) {
      out = value->get_ref<const std::string&>();
    } else {
      Complain(key, "a text");
    }
  }
  template <typename Integer>
  void Whole(const char* key, std::int64_t low, std::int64_t high, Integer& out) {
    const Json* value = Get(key);
    const auto whole = value == nullptr ? std::nullopt : WholeOf(*value, low, high);
    if (!whole.has_value()) return Complain(key, Range("a whole number", low, high));
    out = static_cast<Integer>(*whole);
  }
  void Time(const char* key, Duration& out) {
    std::int64_t nanoseconds = 0;
    Whole(key, 0, Nanoseconds(kLongestDuration), nanoseconds);
    out = Duration{nanoseconds};
  }
  void Number(const char* key, double low, double high, double& out) {
    const Json* value = Get(key);
    if (value == nullptr || !value->is_number() || !(value->get<double>() >= low) ||
        !(value->get<double>() <= high))
      return Complain(key, Range("a number", low, high));
    out = value->get<double>();
  }
  void NumberOrNull(const char* key, double low, double high, std::optional<double>& out) {
    if (json_.is_object() && json_.contains(key) && json_[key].is_null()) {
      asked_.emplace_back(key);
      return;
    }
    out.emplace();
    Number(key, low, high, *out);
  }
  template <typename Enum>
  void Choice(const char* key, std::span<const std::string_view> names, Enum& out) {
    std::string text;
    Text(key, text);
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      return Complain(key, fmt::format("one of {}", fmt::join(names, ", ")));
    out = static_cast<Enum>(found - names.begin());
  }
  // Null after a complaint.
  const Json* List(const char* key, std::int64_t most) {
    const Json* value = Get(key);
    if (value != nullptr && value->is_array() && static_cast<std::int64_t>(value->size()) <= most)
      return value;
    Complain(key, fmt::format("a list of at most {}", most));
    return nullptr;
  }

  void Complain(std::string_view key, std::string_view expected) {
    if (!complaint_.empty()) return;
    complaint_ = fmt::format("{}: expected {}", Path(key), expected);
  }
  Status Done() {
    for (auto it = json_.begin(); complaint_.empty() && it != json_.end(); ++it) {
      if (std::ranges::find(asked_, it.key()) == asked_.end())
        complaint_ = fmt::format("{}: unknown key", Path(it.key()));
    }
    if (!complaint_.empty()) return Fail("{}", complaint_);
    return {};
  }

 private:
  template <typename Number>
  static std::string Range(std::string_view what, Number low, Number high) {
    return fmt::format("{} from {} to {}", what, low, high);
  }
  std::string Path(std::string_view key) const {
    if (key.empty()) return where_;
    return where_.empty() ? fmt::format("'{}'", key) : fmt::format("{}.{}", where_, key);
  }

  const Json& json_;
  std::string where_;
  std::vector<std::string_view> asked_;
  std::string complaint_;
};

Result<Json> ParseJson(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    return Fail("no valid JSON: {}", error.what());
  }
}

Result<Tenant> ReadTenant(const Json& json, std::string where) {
  Tenant tenant;
  Fields fields(json, std::move(where));
  fields.Text("name", tenant.name);
  fields.Number("weight", 0, kLargestNumber, tenant.weight);
  RETURN_IF_ERROR(fields.Done());
  return tenant;
}

Result<ServiceAgreement> ReadAgreement(const Json& json, std::string where) {
  ServiceAgreement agreement;
  Fields fields(json, std::move(where));
  fields.Whole("tenant", 0, UINT32_MAX - 1, agreement.tenant.value);
  fields.Whole("network", 0, UINT32_MAX - 1, agreement.network.value);
  fields.Time("deadline", agreement.deadline);
  fields.NumberOrNull("target", 0, 1, agreement.target);
  fields.Whole("window", 0, FairnessLedger::kLongestWindow, agreement.window);
  fields.Whole("max_misses", 0, FairnessLedger::kLongestWindow, agreement.max_misses);
  fields.Number("price", -kLargestNumber, kLargestNumber, agreement.price);
  fields.Number("penalty", -kLargestNumber, kLargestNumber, agreement.penalty);
  RETURN_IF_ERROR(fields.Done());
  return agreement;
}

Status ReadEngineOptions(const Json& json, EngineOptions& options) {
  Fields fields(json, "engine");
  Duration measured_from{};
  fields.Time("period", options.period);
  fields.Choice("late", kLateNames, options.late);
  fields.Time("measured_from", measured_from);
  fields.Choice("wrong_plan", kWrongPlanNames, options.wrong_plan);
  fields.Whole("failure_limit", 0, UINT32_MAX, options.failure_limit);
  options.measured_from = Instant{measured_from};
  return fields.Done();
}

Result<Platform> ReadPlatform(const Json& json) {
  Platform platform;
  Fields fields(json, "platform");
  fields.Whole("bandwidth", 0, Nanoseconds(kLongestDuration), platform.bandwidth);
  const Json* kinds = fields.List("kinds", kMostRecordedKinds);
  const Json* accelerators = fields.List("accelerators", kMostRecordedAccelerators);
  RETURN_IF_ERROR(fields.Done());
  for (const Json& entry : *kinds) {
    AcceleratorKind kind;
    Fields of_kind(entry, fmt::format("platform.kinds[{}]", platform.kinds.size()));
    of_kind.Text("name", kind.name);
    of_kind.Whole("units", 1, kMostRecordedUnits, kind.units);
    RETURN_IF_ERROR(of_kind.Done());
    platform.kinds.push_back(std::move(kind));
  }
  const auto last_kind = static_cast<std::int64_t>(platform.kinds.size()) - 1;
  for (const Json& entry : *accelerators) {
    Accelerator accelerator;
    Fields of_one(entry, fmt::format("platform.accelerators[{}]", platform.accelerators.size()));
    of_one.Text("name", accelerator.name);
    of_one.Whole("kind", 0, last_kind, accelerator.kind.value);
    RETURN_IF_ERROR(of_one.Done());
    platform.accelerators.push_back(std::move(accelerator));
  }
  return platform;
}

Result<NetworkGraph> ReadNetwork(const Json& json, const std::string& where) {
  std::string name;
  Fields fields(json, where);
  fields.Text("name", name);
  const Json* names = fields.List("segments", kMostRecordedSegments);
  const Json* after = fields.List("after", kMostRecordedSegments);
  RETURN_IF_ERROR(fields.Done());
  if (names->size() != after->size())
    return Fail("{}: {} segments, but 'after' has {} entries", where, names->size(), after->size());
  std::vector<SegmentSpec> segments(names->size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (!(*names)[s].is_string() || !(*after)[s].is_array())
      return Fail("{}: segment {}: expected a text, and a list in 'after'", where, s);
    segments[s].name = (*names)[s].get_ref<const std::string&>();
    for (const Json& entry : (*after)[s]) {
      const auto predecessor = WholeOf(entry, 0, UINT32_MAX);
      if (!predecessor.has_value())
        return Fail("{}: segment {}: 'after' lists the segments before it by number", where, s);
      segments[s].after.push_back(static_cast<std::uint32_t>(*predecessor));
    }
  }
  auto graph = NetworkGraph::Create(std::move(name), segments);
  if (!graph.has_value()) return Fail("{}: {}", where, graph.error().message);
  return graph;
}

Result<std::vector<NetworkGraph>> ReadNetworks(const Json& list, std::size_t kinds) {
  std::vector<NetworkGraph> networks;
  std::size_t segments = 0;
  for (const Json& entry : list) {
    ASSIGN_OR_RETURN(NetworkGraph network,
                     ReadNetwork(entry, fmt::format("networks[{}]", networks.size())));
    segments += network.size();
    if (segments > kMostRecordedSegments || segments * kinds > kMostRecordedCostEntries)
      return Fail("networks: too many segments; expected at most {}, and {} times kinds",
                  kMostRecordedSegments, kMostRecordedCostEntries);
    networks.push_back(std::move(network));
  }
  return networks;
}

// A latency, its traffic and its energy, from three numbers of a list.
std::optional<SegmentCost> CostAt(const Json& list, std::size_t first) {
  const auto latency = WholeOf(list[first], 0, Nanoseconds(kLongestRecordedLatency));
  const auto bytes = WholeOf(list[first + 1], 0, Nanoseconds(kLongestDuration));
  const auto energy = WholeOf(list[first + 2], 0, Nanoseconds(kLongestDuration));
  if (!latency.has_value() || !bytes.has_value() || !energy.has_value()) return std::nullopt;
  return SegmentCost{Duration{*latency}, *bytes, *energy};
}

std::optional<CostRow> ReadCostRow(const Json& json, std::span<const NetworkGraph> networks,
                                   std::size_t kinds) {
  if (!json.is_array() || json.size() != 8) return std::nullopt;
  const auto network = WholeOf(json[0], 0, static_cast<std::int64_t>(networks.size()) - 1);
  if (!network.has_value()) return std::nullopt;
  const std::size_t segments = networks[static_cast<std::size_t>(*network)].size();
  const auto segment = WholeOf(json[1], 0, static_cast<std::int64_t>(segments) - 1);
  const auto kind = WholeOf(json[2], 0, static_cast<std::int64_t>(kinds) - 1);
  const auto units = WholeOf(json[3], 1, kMostRecordedUnits);
  const auto batch = WholeOf(json[4], 1, kMostRecordedUnits);
  const auto cost = CostAt(json, 5);
  if (!segment.has_value() || !kind.has_value() || !units.has_value() || !batch.has_value() ||
      !cost.has_value())
    return std::nullopt;
  return CostRow{NetworkId{static_cast<std::size_t>(*network)},
                 SegmentId{static_cast<std::size_t>(*segment)},
                 KindId{static_cast<std::size_t>(*kind)},
                 {static_cast<int>(*units), static_cast<int>(*batch)},
                 *cost};
}

Status ReadCosts(const Json& rows, std::span<const NetworkGraph> networks, CostTable& costs) {
  const auto order = [](const CostRow& row) {
    return std::tuple(row.network, row.segment, row.kind, row.configuration);
  };
  std::optional<CostRow> last;
  Duration total{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<CostRow> row = ReadCostRow(rows[i], networks, costs.kinds());
    if (!row.has_value())
      return Fail(
          "costs[{}]: expected a list of 8 whole numbers: network, segment, kind, units, batch, "
          "latency, dram_bytes, energy_pj, each within its range",
          i);
    if (last.has_value() && order(*last) >= order(*row))
      return Fail("costs[{}]: expected rows in ascending order, each once", i);
    total += row->cost.latency;
    if (total > kLongestRecordedTotal)
      return Fail("costs[{}]: the latencies add up to more than {} ns", i,
                  Nanoseconds(kLongestRecordedTotal));
    costs.Set(row->network, row->segment, row->kind, row->configuration, row->cost);
    last = row;
  }
  return {};
}

Status ReadSwitching(const Json& rows, CostTable& costs) {
  if (rows.size() != costs.kinds())
    return Fail("switching: expected an entry for each of {} kinds", costs.kinds());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool complete = rows[k].is_array() && rows[k].size() == 3;
    const auto cost = complete ? CostAt(rows[k], 0) : std::nullopt;
    if (!cost.has_value())
      return Fail("switching[{}]: expected a latency, dram_bytes and energy_pj", k);
    costs.SetSwitching(KindId{k}, *cost);
  }
  return {};
}

Status ReadPeople(const Json& tenants, const Json& agreements, RecordedWorld& world) {
  for (const Json& entry : tenants) {
    ASSIGN_OR_RETURN(Tenant tenant,
                     ReadTenant(entry, fmt::format("tenants[{}]", world.tenants.size())));
    world.tenants.push_back(std::move(tenant));
  }
  std::int64_t windows = 0;
  for (const Json& entry : agreements) {
    const std::string where = fmt::format("agreements[{}]", world.agreements.size());
    ASSIGN_OR_RETURN(const ServiceAgreement agreement, ReadAgreement(entry, where));
    if (agreement.tenant.index() >= world.tenants.size())
      return Fail("{}.tenant: there are only {}", where, world.tenants.size());
    if (agreement.network.index() >= world.networks.size())
      return Fail("{}.network: there are only {}", where, world.networks.size());
    windows += agreement.window;
    if (windows > kMostRecordedWindows)
      return Fail("{}.window: all windows together exceed {}", where, kMostRecordedWindows);
    world.agreements.push_back(agreement);
  }
  return {};
}

Status ReadRun(Fields& fields, RecordingHeader& header) {
  fields.Text("fairlead", header.version);
  fields.Text("scenario", header.scenario);
  const Json* seed = fields.Get("seed");
  if (seed != nullptr && seed->is_number_unsigned()) {
    header.seed = seed->get<std::uint64_t>();
  } else {
    fields.Complain("seed", "a whole number from 0 to 2^64-1");
  }
  fields.Text("policy", header.policy);
  fields.Text("policy_name", header.policy_name);
  const Json* extras = fields.Get("extras");
  if (extras == nullptr || !extras->is_object()) {
    fields.Complain("extras", "an object of texts");
  } else {
    for (auto it = extras->begin(); it != extras->end(); ++it) {
      if (!it->is_string()) return Fail("extras.{}: expected a text", it.key());
      header.extras.emplace(it.key(), it->get_ref<const std::string&>());
    }
  }
  const Json* engine = fields.Get("engine");
  if (engine == nullptr) return {};
  return ReadEngineOptions(*engine, header.engine);
}

}  // namespace

EngineWorld RecordedWorld::ForEngine() const {
  return {.platform = &platform,
          .networks = networks,
          .beliefs = &beliefs,
          .tenants = tenants,
          .agreements = agreements};
}

Result<RecordingOpening> ParseRecordingHeader(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  RecordingHeader header;
  Fields fields(json, "");
  RETURN_IF_ERROR(ReadRun(fields, header));
  const Json* platform_json = fields.Get("platform");
  const Json* network_list = fields.List("networks", kMostRecordedSegments);
  const Json* rows = fields.List("costs", INT64_MAX);
  const Json* switching = fields.List("switching", kMostRecordedKinds);
  const Json* tenants = fields.List("tenants", INT64_MAX);
  const Json* agreements = fields.List("agreements", INT64_MAX);
  RETURN_IF_ERROR(fields.Done());

  ASSIGN_OR_RETURN(Platform platform, ReadPlatform(*platform_json));
  ASSIGN_OR_RETURN(std::vector<NetworkGraph> networks,
                   ReadNetworks(*network_list, platform.kinds.size()));
  CostTable costs(networks, platform);
  RETURN_IF_ERROR(ReadCosts(*rows, networks, costs));
  RETURN_IF_ERROR(ReadSwitching(*switching, costs));
  costs.Seal(networks);
  RecordingOpening opening{std::move(header),
                           {std::move(platform), std::move(networks), std::move(costs), {}, {}}};
  RETURN_IF_ERROR(ReadPeople(*tenants, *agreements, opening.world));
  return opening;
}

Result<Tenant> ParseRecordedTenant(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return ReadTenant(json, "tenant");
}

Result<ServiceAgreement> ParseRecordedAgreement(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return ReadAgreement(json, "agreement");
}

Result<std::string> ParseRecordedText(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_string()) return Fail("expected a text in quotes");
  return json.get<std::string>();
}

}  // namespace fairlead
