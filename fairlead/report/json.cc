#include "fairlead/report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/report/scalar_figures.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json NumberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <typename T>
Json ValueOrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

struct ValueToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::int64_t whole) const { return whole; }
  Json operator()(double number) const { return NumberOrNull(number); }
};

void Put(Json& object, const std::string& group, const std::string& name, Json value) {
  (group.empty() ? object : object[group])[name] = std::move(value);
}

Json AgreementToJson(const AgreementFigures& agreement) {
  return {
      {"tenant", agreement.tenant},
      {"network", agreement.network},
      {"target", ValueOrNull(agreement.target)},
      {"requests", agreement.counts.ended()},
      {"hits", agreement.counts.hits()},
      {"misses", agreement.counts.Of(Outcome::kMiss)},
      {"dropped", agreement.counts.Of(Outcome::kDropped)},
      {"rejected", agreement.counts.Of(Outcome::kRejected)},
      {"hit_rate", agreement.hit_rate},
      {"worst_window", agreement.worst_window},
      {"window_violations", agreement.window_violations},
      {"claim", agreement.claim ? Json(ToString(*agreement.claim)) : Json(nullptr)},
      {"requests_needed", ValueOrNull(agreement.requests_needed)},
  };
}

Json RunToJson(const RunFigures& run) {
  Json json = {{"policy", run.policy}, {"seed", run.seed}};
  for (const ScalarFigure& figure : ScalarFigures(run)) {
    if (figure.Path() == "window_violations") {
      Json& list = json["per_agreement"] = Json::array();
      for (const AgreementFigures& agreement : run.per_agreement)
        list.push_back(AgreementToJson(agreement));
    }
    Put(json, figure.group, figure.name, std::visit(ValueToJson{}, figure.value));
  }
  return json;
}

Json EstimateToJson(const Estimate& estimate) {
  if (estimate.count == 0) return nullptr;
  Json json = {{"mean", NumberOrNull(estimate.mean)}, {"interval", nullptr}};
  if (estimate.half_width.has_value()) {
    json["interval"] = Json::array({NumberOrNull(estimate.mean - *estimate.half_width),
                                    NumberOrNull(estimate.mean + *estimate.half_width)});
  }
  json["count"] = estimate.count;
  return json;
}

Json FiguresToJson(const std::vector<SummaryFigure>& figures) {
  Json json = Json::object();
  for (const SummaryFigure& figure : figures)
    Put(json, figure.group, figure.name, EstimateToJson(figure.estimate));
  return json;
}

Json SummaryToJson(const Summary& summary) {
  Json policies = Json::array();
  for (const PolicySummary& policy : summary.policies) {
    policies.push_back({{"policy", policy.policy},
                        {"seeds", policy.seeds},
                        {"figures", FiguresToJson(policy.figures)}});
  }
  Json differences = Json::array();
  for (const PolicyDifference& difference : summary.differences) {
    differences.push_back({{"policy", difference.policy},
                           {"against", difference.against},
                           {"seeds", difference.seeds},
                           {"figures", FiguresToJson(difference.figures)}});
  }
  return {{"confidence", kSummaryConfidence},
          {"policies", std::move(policies)},
          {"differences", std::move(differences)}};
}

Json ConfigToJson(const std::string& text) {
  if (text.empty()) return nullptr;
  Json config = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  CHECK_MSG(!config.is_discarded(), "the configuration in a report is not JSON: " + text);
  return config;
}

}  // namespace

std::string FormatJson(const ReportHeading& heading, std::span<const RunFigures> runs) {
  Json json = {{"scenario", heading.scenario},
               {"version", heading.version},
               {"config", ConfigToJson(heading.config)},
               {"runs", Json::array()}};
  for (const RunFigures& run : runs) json["runs"].push_back(RunToJson(run));
  const bool several_seeds = std::ranges::any_of(
      runs, [&runs](const RunFigures& run) { return run.seed != runs.front().seed; });
  if (several_seeds) json["summary"] = SummaryToJson(Summarise(runs));
  // Names come from files and may hold anything: what is not UTF-8 is replaced, never thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
