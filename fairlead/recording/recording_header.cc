#include "fairlead/recording/recording_header.h"

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/recording/json_fields.h"
#include "fairlead/scheduling/input_check.h"
#include "fairlead/scheduling/input_fields.h"

namespace fairlead {
namespace {

OrderedJson JsonOf(const EngineOptions& options) {
  return {{"period", Nanoseconds(options.period)},
          {"late", options.late == LateJobs::kDrop ? "drop" : "finish"},
          {"measured_from", Nanoseconds(options.measured_from)},
          {"wrong_plan", options.wrong_plan == WrongPlan::kSkip ? "skip" : "stop"},
          {"failure_limit", options.failure_limit}};
}

OrderedJson JsonOf(const NetworkGraph& network) {
  OrderedJson names = OrderedJson::array();
  OrderedJson after = OrderedJson::array();
  for (std::size_t s = 0; s < network.size(); ++s) {
    names.push_back(network.SegmentName(SegmentId{s}));
    OrderedJson list = OrderedJson::array();
    for (SegmentId predecessor : network.Predecessors(SegmentId{s}))
      list.push_back(predecessor.value);
    after.push_back(std::move(list));
  }
  return {{"name", network.name()}, {"segments", std::move(names)}, {"after", std::move(after)}};
}

OrderedJson JsonOf(const CostRow& row) {
  OrderedJson json =
      OrderedJson::array({row.network.value, row.segment.value, row.kind.value,
                          row.configuration.units, row.configuration.batch,
                          Nanoseconds(row.cost.latency), row.cost.dram_bytes, row.cost.energy_pj});
  // Few have these.
  if (row.configuration.version != 0 || row.cost.pressed_latency > Duration::zero()) {
    json.push_back(row.configuration.version);
    json.push_back(Nanoseconds(row.cost.pressed_latency));
  }
  return json;
}

OrderedJson JsonOf(const Platform& platform) {
  OrderedJson kinds = OrderedJson::array();
  for (const AcceleratorKind& kind : platform.kinds)
    kinds.push_back({{"name", kind.name}, {"units", kind.units}});
  OrderedJson accelerators = OrderedJson::array();
  for (const Accelerator& accelerator : platform.accelerators)
    accelerators.push_back({{"name", accelerator.name}, {"kind", accelerator.kind.value}});
  return {{"bandwidth", platform.bandwidth},
          {"kinds", std::move(kinds)},
          {"accelerators", std::move(accelerators)}};
}

template <typename List>
OrderedJson JsonOfAll(const List& list) {
  OrderedJson all = OrderedJson::array();
  for (const auto& one : list) all.push_back(JsonOf(one));
  return all;
}

// What costs nothing is left out, and so is all of it where nothing costs anything.
void AddHandOvers(OrderedJson& json, const CostTable& costs,
                  std::span<const NetworkGraph> networks) {
  const HandOverCosts& hand_overs = costs.hand_overs();
  if (hand_overs.None()) return;
  OrderedJson moves = OrderedJson::array();
  OrderedJson kinds = OrderedJson::array();
  for (std::size_t k = 0; k < hand_overs.kinds(); ++k) {
    kinds.push_back(OrderedJson::array({Nanoseconds(hand_overs.HandOver(KindId{k})),
                                        Nanoseconds(hand_overs.TakeOver(KindId{k}))}));
    for (std::size_t to = 0; to < hand_overs.kinds(); ++to) {
      const MoveCost& move = hand_overs.Move(KindId{k}, KindId{to});
      if (move != MoveCost{})
        moves.push_back(OrderedJson::array({k, to, Nanoseconds(move.fixed), move.bandwidth}));
    }
  }
  OrderedJson alive = OrderedJson::array();
  for (std::size_t n = 0; n < networks.size(); ++n) {
    OrderedJson bytes = OrderedJson::array();
    for (std::size_t s = 0; s < networks[n].size(); ++s)
      bytes.push_back(costs.AliveBytes(NetworkId{n}, SegmentId{s}));
    alive.push_back(std::move(bytes));
  }
  json["hand_overs"] = {
      {"kinds", std::move(kinds)}, {"moves", std::move(moves)}, {"alive", std::move(alive)}};
}

}  // namespace

std::string FormatRecordingHeader(const RecordingHeader& header, const EngineWorld& world) {
  OrderedJson costs = OrderedJson::array();
  world.beliefs->ForEach([&costs](const CostRow& row) { costs.push_back(JsonOf(row)); });
  OrderedJson switching = OrderedJson::array();
  for (std::size_t k = 0; k < world.beliefs->kinds(); ++k) {
    const SegmentCost& cost = world.beliefs->Switching(KindId{k});
    switching.push_back(
        OrderedJson::array({Nanoseconds(cost.latency), cost.dram_bytes, cost.energy_pj}));
  }
  OrderedJson json{{"fairlead", header.version},
                   {"scenario", header.scenario},
                   {"seed", header.seed},
                   {"policy", header.policy},
                   {"policy_name", header.policy_name},
                   {"engine", JsonOf(header.engine)},
                   {"platform", JsonOf(*world.platform)},
                   {"networks", JsonOfAll(world.networks)},
                   {"costs", std::move(costs)},
                   {"switching", std::move(switching)},
                   {"tenants", JsonOfAll(world.tenants)},
                   {"agreements", JsonOfAll(world.agreements)},
                   {"extras", OrderedJson(header.extras)}};
  AddHandOvers(json, *world.beliefs, world.networks);
  if (const auto* slowdowns = world.beliefs->slowdowns()) json["slowdowns"] = slowdowns->Numbers();
  return Dump(json);
}

std::string FormatRecorded(const Tenant& tenant) { return Dump(JsonOf(tenant)); }

std::string FormatRecorded(const ServiceAgreement& agreement) { return Dump(JsonOf(agreement)); }

std::string FormatRecorded(const AgreementHistory& history) { return Dump(JsonOf(history)); }

std::string FormatRecorded(const GuardOptions& guard) { return Dump(JsonOf(guard)); }

std::string FormatRecorded(const NewNetwork& network) { return Dump(JsonOf(network)); }

std::string FormatRecorded(const std::string& text) { return Dump(OrderedJson(text)); }

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 2> kLateNames = {"finish", "drop"};
constexpr std::array<std::string_view, 2> kWrongPlanNames = {"stop", "skip"};

template <typename ObjectType>
Status ParseObject(std::string_view text, ObjectType& object) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return ReadObject(json, std::string(ObjectFields<ObjectType>::kName), object);
}

Status ReadEngineOptions(const Json& json, EngineOptions& options) {
  JsonFields fields(json, "engine");
  Duration measured_from{};
  fields.Time("period", options.period);
  fields.Choice("late", options.late, kLateNames);
  fields.Time("measured_from", measured_from);
  fields.Choice("wrong_plan", options.wrong_plan, kWrongPlanNames);
  fields.Whole("failure_limit", options.failure_limit, 0, UINT32_MAX);
  options.measured_from = Instant{measured_from};
  return fields.Done();
}

Result<Platform> ReadPlatform(const Json& json) {
  Platform platform;
  JsonFields fields(json, "platform");
  fields.Whole("bandwidth", platform.bandwidth, 0, Nanoseconds(kLongestDuration));
  const Json* kinds = fields.List("kinds", kMostRecordedKinds);
  const Json* accelerators = fields.List("accelerators", kMostRecordedAccelerators);
  RETURN_IF_ERROR(fields.Done());
  for (const Json& entry : *kinds) {
    AcceleratorKind kind;
    JsonFields of_kind(entry, fmt::format("platform.kinds[{}]", platform.kinds.size()));
    of_kind.Text("name", kind.name);
    of_kind.Whole("units", kind.units, 1, kMostRecordedUnits);
    RETURN_IF_ERROR(of_kind.Done());
    platform.kinds.push_back(std::move(kind));
  }
  const auto last_kind = static_cast<std::int64_t>(platform.kinds.size()) - 1;
  for (const Json& entry : *accelerators) {
    Accelerator accelerator;
    JsonFields of_one(entry,
                      fmt::format("platform.accelerators[{}]", platform.accelerators.size()));
    of_one.Text("name", accelerator.name);
    of_one.Whole("kind", accelerator.kind.value, 0, last_kind);
    RETURN_IF_ERROR(of_one.Done());
    platform.accelerators.push_back(std::move(accelerator));
  }
  return platform;
}

Result<NetworkGraph> ReadNetwork(const Json& json, const std::string& where) {
  std::string name;
  JsonFields fields(json, where);
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
std::optional<SegmentCost> CostAt(const Json& list, std::size_t first, Duration longest) {
  const auto latency = WholeOf(list[first], 0, Nanoseconds(longest));
  const auto bytes = WholeOf(list[first + 1], 0, Nanoseconds(kLongestDuration));
  const auto energy = WholeOf(list[first + 2], 0, Nanoseconds(kLongestDuration));
  if (!latency.has_value() || !bytes.has_value() || !energy.has_value()) return std::nullopt;
  return SegmentCost{Duration{*latency}, *bytes, *energy};
}

std::optional<CostRow> ReadCostRow(const Json& json, std::span<const NetworkGraph> networks,
                                   std::size_t kinds) {
  if (!json.is_array() || (json.size() != 8 && json.size() != 10)) return std::nullopt;
  const auto network = WholeOf(json[0], 0, static_cast<std::int64_t>(networks.size()) - 1);
  if (!network.has_value()) return std::nullopt;
  const std::size_t segments = networks[static_cast<std::size_t>(*network)].size();
  const auto segment = WholeOf(json[1], 0, static_cast<std::int64_t>(segments) - 1);
  const auto kind = WholeOf(json[2], 0, static_cast<std::int64_t>(kinds) - 1);
  const auto units = WholeOf(json[3], 1, kMostRecordedUnits);
  const auto batch = WholeOf(json[4], 1, kMostRecordedUnits);
  auto cost = CostAt(json, 5, kLongestRecordedTotal);
  const bool more = json.size() > 8;
  const auto version =
      more ? WholeOf(json[8], 0, kMostRecordedUnits) : std::optional<std::int64_t>(0);
  const auto pressed = more ? WholeOf(json[9], 0, Nanoseconds(kLongestRecordedTotal))
                            : std::optional<std::int64_t>(0);
  if (!version.has_value() || !pressed.has_value() || !segment.has_value() || !kind.has_value() ||
      !units.has_value() || !batch.has_value() || !cost.has_value())
    return std::nullopt;
  cost->pressed_latency = Duration{*pressed};
  return CostRow{NetworkId{static_cast<std::size_t>(*network)},
                 SegmentId{static_cast<std::size_t>(*segment)},
                 KindId{static_cast<std::size_t>(*kind)},
                 {static_cast<int>(*units), static_cast<int>(*batch), static_cast<int>(*version)},
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
          "latency, dram_bytes, energy_pj, each within its range; perhaps version and pressed "
          "latency",
          i);
    if (last.has_value() && order(*last) >= order(*row))
      return Fail("costs[{}]: expected rows in ascending order, each once", i);
    if (row->cost.latency > kLongestRecordedTotal - total)
      return Fail("costs[{}]: the latencies add up to more than {} ns", i,
                  Nanoseconds(kLongestRecordedTotal));
    total += row->cost.latency;
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
    const auto cost = complete ? CostAt(rows[k], 0, kLongestRecordedSwitching) : std::nullopt;
    if (!cost.has_value())
      return Fail("switching[{}]: expected a latency, dram_bytes and energy_pj", k);
    costs.SetSwitching(KindId{k}, *cost);
  }
  return {};
}

// [hand_over, take_over] of each kind.
Status ReadHandOverKinds(const Json& rows, HandOverCosts& costs) {
  constexpr std::int64_t kLongest = HandOverCosts::kLongestPart.count();
  if (rows.size() != costs.kinds())
    return Fail("hand_overs.kinds: expected an entry for each of {} kinds", costs.kinds());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool complete = rows[k].is_array() && rows[k].size() == 2;
    const auto hand_over = complete ? WholeOf(rows[k][0], 0, kLongest) : std::nullopt;
    const auto take_over = complete ? WholeOf(rows[k][1], 0, kLongest) : std::nullopt;
    if (!hand_over.has_value() || !take_over.has_value())
      return Fail("hand_overs.kinds[{}]: expected what a boundary costs, and taking over", k);
    costs.SetHandOver(KindId{k}, Duration{*hand_over});
    costs.SetTakeOver(KindId{k}, Duration{*take_over});
  }
  return {};
}

// [from, to, fixed, bandwidth].
Status ReadMoves(const Json& rows, HandOverCosts& costs) {
  const auto last = static_cast<std::int64_t>(costs.kinds()) - 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool complete = rows[i].is_array() && rows[i].size() == 4;
    const auto at = [&](std::size_t field, std::int64_t most) {
      return complete ? WholeOf(rows[i][field], 0, most) : std::nullopt;
    };
    const auto from = at(0, last);
    const auto to = at(1, last);
    const auto fixed = at(2, HandOverCosts::kLongestPart.count());
    const auto bandwidth = at(3, HandOverCosts::kMostBandwidth);
    if (!from.has_value() || !to.has_value() || !fixed.has_value() || !bandwidth.has_value())
      return Fail("hand_overs.moves[{}]: expected two kinds, nanoseconds and bytes per second", i);
    costs.SetMove(KindId{static_cast<std::size_t>(*from)}, KindId{static_cast<std::size_t>(*to)},
                  {Duration{*fixed}, *bandwidth});
  }
  return {};
}

Status ReadAlive(const Json& lists, std::span<const NetworkGraph> networks, CostTable& costs) {
  constexpr std::int64_t kMostBytes = 4'000'000'000'000'000'000;
  if (lists.size() != networks.size())
    return Fail("hand_overs.alive: expected a list for each of {} networks", networks.size());
  for (std::size_t n = 0; n < networks.size(); ++n) {
    if (!lists[n].is_array() || lists[n].size() != networks[n].size())
      return Fail("hand_overs.alive[{}]: expected a number for each of {} segments", n,
                  networks[n].size());
    for (std::size_t s = 0; s < networks[n].size(); ++s) {
      const auto bytes = WholeOf(lists[n][s], 0, kMostBytes);
      if (!bytes.has_value())
        return Fail("hand_overs.alive[{}][{}]: expected a number of bytes", n, s);
      costs.SetAliveBytes(NetworkId{n}, SegmentId{s}, *bytes);
    }
  }
  return {};
}

// Recordings of worlds where they cost nothing, and old ones, have none.
Status ReadHandOvers(const Json* json, std::span<const NetworkGraph> networks, CostTable& costs) {
  if (json == nullptr) return {};
  JsonFields fields(*json, "hand_overs");
  const Json* kinds = fields.List("kinds", kMostRecordedKinds);
  const Json* moves = fields.List("moves", INT64_MAX);
  const Json* alive = fields.List("alive", INT64_MAX);
  RETURN_IF_ERROR(fields.Done());
  HandOverCosts hand_overs(costs.kinds());
  RETURN_IF_ERROR(ReadHandOverKinds(*kinds, hand_overs));
  RETURN_IF_ERROR(ReadMoves(*moves, hand_overs));
  costs.SetHandOvers(std::move(hand_overs));
  return ReadAlive(*alive, networks, costs);
}

// Recordings of worlds where nothing is believed of that, and old ones, have none.
Status ReadSlowdowns(const Json* json, const Platform& platform, CostTable& costs,
                     std::size_t networks) {
  if (json == nullptr) return {};
  const std::size_t places = networks * platform.accelerators.size();
  if (places == 0 || places > BesideSlowdowns::kMostPlaces)
    return Fail("slowdowns: expected with 1 to {} pairs of networks and accelerators, not {}",
                BesideSlowdowns::kMostPlaces, places);
  if (json->size() != places * (1 + places + platform.accelerators.size()))
    return Fail("slowdowns: {} numbers, where {} networks on {} accelerators have others",
                json->size(), networks, platform.accelerators.size());
  std::vector<BesideSlowdowns::Log> numbers;
  for (std::size_t i = 0; i < json->size(); ++i) {
    const auto number = WholeOf((*json)[i], INT32_MIN, INT32_MAX);
    if (!number.has_value()) return Fail("slowdowns[{}]: expected a whole number", i);
    numbers.push_back(static_cast<BesideSlowdowns::Log>(*number));
  }
  auto slowdowns = std::make_shared<BesideSlowdowns>(networks, platform.accelerators.size());
  CHECK(slowdowns->SetNumbers(numbers));
  costs.SetSlowdowns(std::move(slowdowns));
  return {};
}

Status ReadPeople(const Json& tenants, const Json& agreements, RecordedWorld& world) {
  for (const Json& entry : tenants) {
    const std::string where = fmt::format("tenants[{}]", world.tenants.size());
    RETURN_IF_ERROR(ReadObject(entry, where, world.tenants.emplace_back()));
  }
  std::int64_t windows = 0;
  for (const Json& entry : agreements) {
    const std::string where = fmt::format("agreements[{}]", world.agreements.size());
    ServiceAgreement agreement;
    RETURN_IF_ERROR(ReadObject(entry, where, agreement));
    if (agreement.tenant.index() >= world.tenants.size())
      return Fail("{}.tenant: there are only {}", where, world.tenants.size());
    if (agreement.network.index() >= world.networks.size())
      return Fail("{}.network: there are only {}", where, world.networks.size());
    windows += agreement.window;
    if (windows > kMostWindows)
      return Fail("{}.window: all windows together exceed {}", where, kMostWindows);
    world.agreements.push_back(agreement);
  }
  return {};
}

Status ReadRun(JsonFields& fields, RecordingHeader& header) {
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
  JsonFields fields(json, "");
  RETURN_IF_ERROR(ReadRun(fields, header));
  const Json* platform_json = fields.Get("platform");
  const Json* network_list = fields.List("networks", kMostRecordedSegments);
  const Json* rows = fields.List("costs", INT64_MAX);
  const Json* switching = fields.List("switching", kMostRecordedKinds);
  const Json* hand_overs =
      json.is_object() && json.contains("hand_overs") ? fields.Get("hand_overs") : nullptr;
  const Json* slowdowns = json.is_object() && json.contains("slowdowns")
                              ? fields.List("slowdowns", INT64_MAX)
                              : nullptr;
  const Json* tenants = fields.List("tenants", INT64_MAX);
  const Json* agreements = fields.List("agreements", INT64_MAX);
  RETURN_IF_ERROR(fields.Done());

  ASSIGN_OR_RETURN(Platform platform, ReadPlatform(*platform_json));
  ASSIGN_OR_RETURN(std::vector<NetworkGraph> networks,
                   ReadNetworks(*network_list, platform.kinds.size()));
  CostTable costs(networks, platform);
  RETURN_IF_ERROR(ReadCosts(*rows, networks, costs));
  RETURN_IF_ERROR(ReadSwitching(*switching, costs));
  RETURN_IF_ERROR(ReadHandOvers(hand_overs, networks, costs));
  RETURN_IF_ERROR(ReadSlowdowns(slowdowns, platform, costs, networks.size()));
  costs.Seal(networks);
  RecordingOpening opening{std::move(header),
                           {std::move(platform), std::move(networks), std::move(costs), {}, {}}};
  RETURN_IF_ERROR(ReadPeople(*tenants, *agreements, opening.world));
  return opening;
}

Status ParseRecorded(std::string_view text, Tenant& tenant) { return ParseObject(text, tenant); }

Status ParseRecorded(std::string_view text, ServiceAgreement& agreement) {
  return ParseObject(text, agreement);
}

Status ParseRecorded(std::string_view text, AgreementHistory& history) {
  return ParseObject(text, history);
}

// The default is to come back, and a key that is missing means never.
Status ParseRecorded(std::string_view text, GuardOptions& guard) {
  guard.back.reset();
  return ParseObject(text, guard);
}

Status ParseRecorded(std::string_view text, NewNetwork& network) {
  return ParseObject(text, network);
}

Status ParseRecorded(std::string_view text, std::string& out) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_string()) return Fail("expected a text in quotes");
  out = json.get<std::string>();
  return {};
}

}  // namespace fairlead
