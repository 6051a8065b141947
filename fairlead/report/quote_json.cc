#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "fairlead/report/quote_report.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json AgreementJson(const QuotedAgreement& agreement) {
  return {{"tenant", agreement.tenant},     {"network", agreement.network},
          {"asked", agreement.asked},       {"promised", OrNull(agreement.promised)},
          {"rate", agreement.rate},         {"lowest", OrNull(agreement.lowest)},
          {"mean", OrNull(agreement.mean)}, {"low", OrNull(agreement.low)},
          {"high", OrNull(agreement.high)}, {"margin", OrNull(agreement.margin)},
          {"broken", agreement.broken},     {"hurt", agreement.hurt},
          {"breaks", agreement.breaks}};
}

Json NameOf(const QuotedAgreement& agreement) {
  return {{"tenant", agreement.tenant}, {"network", agreement.network}};
}

Json NameOrNull(const QuoteResults& results, const std::optional<std::size_t>& agreement) {
  return agreement.has_value() ? NameOf(results.agreements[*agreement]) : Json();
}

Json TrafficJson(const QuoteResults& results) {
  Json simulated = Json::array();
  for (const QuoteTrial& trial : results.trials) {
    simulated.push_back({{"seed", trial.seed},
                         {"weight", trial.weight},
                         {"heavy", trial.heavy},
                         {"worst_margin", OrNull(trial.worst)},
                         {"worst_agreement", NameOrNull(results, trial.worst_agreement)},
                         {"broken", trial.broken}});
  }
  return {{"first_seed", results.first_seed},   {"drawn", results.drawn},
          {"horizon_s", results.horizon_s},     {"recorded", results.block_s.has_value()},
          {"block_s", OrNull(results.block_s)}, {"simulated", std::move(simulated)}};
}

}  // namespace

std::string FormatQuoteJson(const QuoteHeading& heading, const QuoteResults& results) {
  Json hurts = Json::array();
  Json breaks = Json::array();
  Json agreements = Json::array();
  for (const QuotedAgreement& agreement : results.agreements) {
    if (agreement.hurt) hurts.push_back(NameOf(agreement));
    if (agreement.breaks) breaks.push_back(NameOf(agreement));
    agreements.push_back(AgreementJson(agreement));
  }
  const Json json = {{"answer", ToString(results.answer)},
                     {"target", OrNull(results.target)},
                     {"rate", OrNull(results.rate)},
                     {"confidence", results.confidence},
                     {"reason", results.reason},
                     {"hurts", std::move(hurts)},
                     {"breaks", std::move(breaks)},
                     {"rate_share", OrNull(results.rate_share)},
                     {"target_change", OrNull(results.target_change)},
                     {"proven", results.proven},
                     {"worst_margin", OrNull(results.worst_margin)},
                     {"policy", results.policy},
                     {"scenario", heading.scenario},
                     {"version", heading.version},
                     {"traffic", TrafficJson(results)},
                     {"agreements", std::move(agreements)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
