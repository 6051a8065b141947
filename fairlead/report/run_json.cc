#include "fairlead/report/run_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/report/scalar_figures.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json ValueOrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

struct ValueToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::int64_t whole) const { return whole; }
  Json operator()(double number) const { return NumberOrNull(number); }
};

Json LossesToJson(const LossFigures& lost) {
  Json json = {{"late", lost.late}};
  for (std::size_t r = 0; r < lost.given_up.size(); ++r) {
    if (lost.given_up[r] > 0) json["given_up"][std::string(kReasonNames[r])] = lost.given_up[r];
  }
  return json;
}

Json AgreementToJson(const AgreementFigures& agreement) {
  OutcomeCounts all = agreement.counts;
  all += agreement.uncovered;
  return {
      {"tenant", agreement.tenant},
      {"network", agreement.network},
      {"target", ValueOrNull(agreement.target)},
      {"window", agreement.window > 0 ? Json(agreement.window) : Json(nullptr)},
      {"max_misses", agreement.window > 0 ? Json(agreement.max_misses) : Json(nullptr)},
      {"kept", ValueOrNull(agreement.Kept())},
      {"floor", agreement.floor > 0 ? Json(agreement.floor) : Json(nullptr)},
      {"machine_share", agreement.machine_share},
      {"requests", all.ended()},
      {"hits", all.hits()},
      {"misses", all.Of(Outcome::kMiss)},
      {"dropped", all.Of(Outcome::kDropped)},
      {"rejected", all.Of(Outcome::kRejected)},
      {"covered", agreement.counts.ended()},
      {"uncovered", agreement.uncovered.ended()},
      {"uncovered_hits", agreement.uncovered.hits()},
      {"hit_rate", agreement.hit_rate},
      {"worst_window", agreement.worst_window},
      {"window_violations", agreement.window_violations},
      {"periods", agreement.periods ? Json(agreement.periods->periods) : Json(nullptr)},
      {"periods_kept", agreement.periods ? Json(agreement.periods->kept) : Json(nullptr)},
      {"revenue", agreement.revenue},
      {"sacrificed_times", agreement.sacrificed.times},
      {"sacrificed_share", agreement.sacrificed.share},
      {"sacrificed_requests", agreement.sacrificed.counts.ended()},
      {"sacrificed_hits", agreement.sacrificed.counts.hits()},
      {"fallback_sacrificed_times", agreement.sacrificed_by_fallback.times},
      {"fallback_sacrificed_share", agreement.sacrificed_by_fallback.share},
      {"lost", LossesToJson(agreement.lost)},
      {"latency_p50", agreement.latency ? Json(agreement.latency->p50) : Json(nullptr)},
      {"latency_p99", agreement.latency ? Json(agreement.latency->p99) : Json(nullptr)},
      {"claim", agreement.claim ? Json(ToString(*agreement.claim)) : Json(nullptr)},
      {"requests_needed", ValueOrNull(agreement.requests_needed)},
  };
}

}  // namespace

Json NumberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void PutFigure(Json& object, const std::string& group, const std::string& name, Json value) {
  (group.empty() ? object : object[group])[name] = std::move(value);
}

Json RunToJson(const RunFigures& run, RunDetail detail) {
  Json json = {{"policy", run.policy}, {"seed", run.seed}};
  if (run.interrupted) json["interrupted"] = true;
  for (const ScalarFigure& figure : ScalarFigures(run)) {
    if (figure.Path() == "window_violations" && detail == RunDetail::kAgreements) {
      Json& list = json["per_agreement"] = Json::array();
      for (const AgreementFigures& agreement : run.per_agreement)
        list.push_back(AgreementToJson(agreement));
    }
    PutFigure(json, figure.group, figure.name, std::visit(ValueToJson{}, figure.value));
  }
  if (run.live.has_value()) json["live"] = LiveToJson(*run.live);
  return json;
}

Json ConfigToJson(const std::string& text) {
  if (text.empty()) return nullptr;
  Json config = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  CHECK_MSG(!config.is_discarded(), "the configuration in a report is not JSON: " + text);
  return config;
}

}  // namespace fairlead
