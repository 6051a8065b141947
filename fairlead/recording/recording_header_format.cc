#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fairlead/recording/recording_header.h"
#include "fairlead/scheduling/input_fields.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;  // keys stand in the order of their meaning

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Makes a JSON object of the fields of an object of scheduling/input_fields.h.
class JsonWriter {
 public:
  void Text(std::string_view key, const std::string& text) { Add(key, text); }
  template <typename Tag>
  void Known(std::string_view key, Id<Tag> id) {
    Add(key, id.value);
  }
  void Time(std::string_view key, Duration time, Duration /*longest*/) {
    Add(key, Nanoseconds(time));
  }
  void SomeTime(std::string_view key, std::optional<Duration> time, Duration /*longest*/) {
    if (time.has_value()) Add(key, Nanoseconds(*time));
  }
  template <std::integral Integer>
  void Whole(std::string_view key, Integer number, std::type_identity_t<Integer> /*low*/,
             std::type_identity_t<Integer> /*high*/) {
    Add(key, number);
  }
  void Number(std::string_view key, double number, double /*low*/, double /*high*/) {
    Add(key, number);
  }
  void Number(std::string_view key, std::optional<double> number, double /*low*/, double /*high*/) {
    Add(key, number.has_value() ? Json(*number) : Json());
  }
  template <typename Enum>
  void Choice(std::string_view key, Enum value, std::span<const std::string_view> names) {
    Add(key, names[static_cast<std::size_t>(value)]);
  }
  template <typename ObjectType>
  void Part(std::string_view key, const std::optional<ObjectType>& part) {
    if (!part.has_value()) return;
    JsonWriter writer;
    ObjectFields<ObjectType>::Walk(writer, *part);
    Add(key, std::move(writer.json()));
  }
  Json& json() { return json_; }

 private:
  void Add(std::string_view key, Json value) { json_.emplace(std::string(key), std::move(value)); }

  Json json_ = Json::object();
};

template <typename ObjectType>
Json JsonOf(const ObjectType& object) {
  JsonWriter writer;
  ObjectFields<ObjectType>::Walk(writer, object);
  return std::move(writer.json());
}

Json JsonOf(const EngineOptions& options) {
  return {{"period", Nanoseconds(options.period)},
          {"late", options.late == LateJobs::kDrop ? "drop" : "finish"},
          {"measured_from", Nanoseconds(options.measured_from)},
          {"wrong_plan", options.wrong_plan == WrongPlan::kSkip ? "skip" : "stop"},
          {"failure_limit", options.failure_limit}};
}

Json JsonOf(const NetworkGraph& network) {
  Json names = Json::array();
  Json after = Json::array();
  for (std::size_t s = 0; s < network.size(); ++s) {
    names.push_back(network.SegmentName(SegmentId{s}));
    Json list = Json::array();
    for (SegmentId predecessor : network.Predecessors(SegmentId{s}))
      list.push_back(predecessor.value);
    after.push_back(std::move(list));
  }
  return {{"name", network.name()}, {"segments", std::move(names)}, {"after", std::move(after)}};
}

Json JsonOf(const CostRow& row) {
  return Json::array({row.network.value, row.segment.value, row.kind.value, row.configuration.units,
                      row.configuration.batch, Nanoseconds(row.cost.latency), row.cost.dram_bytes,
                      row.cost.energy_pj});
}

Json JsonOf(const Platform& platform) {
  Json kinds = Json::array();
  for (const AcceleratorKind& kind : platform.kinds)
    kinds.push_back({{"name", kind.name}, {"units", kind.units}});
  Json accelerators = Json::array();
  for (const Accelerator& accelerator : platform.accelerators)
    accelerators.push_back({{"name", accelerator.name}, {"kind", accelerator.kind.value}});
  return {{"bandwidth", platform.bandwidth},
          {"kinds", std::move(kinds)},
          {"accelerators", std::move(accelerators)}};
}

template <typename List>
Json JsonOfAll(const List& list) {
  Json all = Json::array();
  for (const auto& one : list) all.push_back(JsonOf(one));
  return all;
}

}  // namespace

std::string FormatRecordingHeader(const RecordingHeader& header, const EngineWorld& world) {
  Json costs = Json::array();
  world.beliefs->ForEach([&costs](const CostRow& row) { costs.push_back(JsonOf(row)); });
  Json switching = Json::array();
  for (std::size_t k = 0; k < world.beliefs->kinds(); ++k) {
    const SegmentCost& cost = world.beliefs->Switching(KindId{k});
    switching.push_back(Json::array({Nanoseconds(cost.latency), cost.dram_bytes, cost.energy_pj}));
  }
  return Dump({{"fairlead", header.version},
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
               {"extras", Json(header.extras)}});
}

std::string FormatRecorded(const Tenant& tenant) { return Dump(JsonOf(tenant)); }

std::string FormatRecorded(const ServiceAgreement& agreement) { return Dump(JsonOf(agreement)); }

std::string FormatRecorded(const std::string& text) { return Dump(Json(text)); }

}  // namespace fairlead
