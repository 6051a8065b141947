#include <string>
#include <utility>

#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/recording/json_writer.h"
#include "fairlead/recording/recording_header.h"
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

}  // namespace fairlead
