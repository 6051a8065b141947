#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "fairlead/report/provision_report.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json();
}

template <typename Value>
Json ByKind(const ProvisionResults& results, const std::vector<Value>& values) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < results.kinds.size(); ++kind)
    json[results.kinds[kind]] = values[kind];
  return json;
}

Json TriedJson(const ProvisionResults& results, const TriedPlatform& tried) {
  return {{"platform", ByKind(results, tried.counts)},
          {"cost", tried.cost},
          {"verdict", ToString(tried.verdict)},
          {"kept", OrNull(tried.kept)},
          {"worst", OrNull(tried.worst)},
          {"weakest", tried.weakest.empty() ? Json() : Json(tried.weakest)},
          {"worst_margin", OrNull(tried.worst_margin)}};
}

Json Gain(const std::optional<double>& after, const std::optional<double>& before) {
  if (!after.has_value() || !before.has_value()) return {};
  return *after - *before;
}

}  // namespace

std::string FormatProvisionJson(const QuoteHeading& heading, const ProvisionResults& results) {
  Json json = {{"platform", Json()}, {"cost", Json()}};
  if (results.smallest.has_value()) {
    const TriedPlatform& found = results.tried[*results.smallest];
    json["platform"] = ByKind(results, found.counts);
    json["cost"] = found.cost;
  }
  json["confidence"] = results.confidence;
  json["reason"] = results.reason;
  json["policy"] = results.policy;
  json["scenario"] = heading.scenario;
  json["version"] = heading.version;
  json["costs"] = ByKind(results, results.costs);
  json["max"] = results.most;
  json["excluded"] = results.excluded;
  json["traffic"] = {{"first_seed", results.first_seed},
                     {"drawn", results.drawn},
                     {"simulated", results.simulated}};
  json["current"] = TriedJson(results, results.current);
  json["next"] = Json::array();
  for (std::size_t kind = 0; kind < results.next.size(); ++kind) {
    Json next = TriedJson(results, results.next[kind]);
    next["adds"] = results.kinds[kind];
    next["kept_gain"] = Gain(results.next[kind].kept, results.current.kept);
    next["margin_gain"] = Gain(results.next[kind].worst, results.current.worst);
    json["next"].push_back(std::move(next));
  }
  json["tried"] = Json::array();
  for (const TriedPlatform& tried : results.tried)
    json["tried"].push_back(TriedJson(results, tried));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
