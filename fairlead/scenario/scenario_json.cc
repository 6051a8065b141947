#include <nlohmann/json.hpp>

#include "fairlead/base/units.h"
#include "fairlead/domain/agreement_terms.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json ArrivalsJson(const ArrivalOptions& options) {
  struct {
    Json operator()(const ParetoArrivals& pareto) const {
      return {{"process", "pareto"}, {"shape", pareto.shape}};
    }
    Json operator()(const PoissonArrivals&) const { return {{"process", "poisson"}}; }
    Json operator()(const BurstyArrivals& bursty) const {
      return {{"process", "bursty"},
              {"busy", FormatDuration(bursty.mean_busy)},
              {"quiet", FormatDuration(bursty.mean_quiet)},
              {"ratio", bursty.rate_ratio}};
    }
    Json operator()(const PeriodicArrivals& periodic) const {
      return {{"process", "periodic"}, {"jitter", FormatDuration(periodic.jitter)}};
    }
  } visitor;
  return std::visit(visitor, options);
}

Json PlatformJson(const PlatformConfig& platform) {
  Json accelerators = Json::array();
  for (const AcceleratorsConfig& entry : platform.accelerators) {
    accelerators.push_back({{"kind", entry.kind},
                            {"count", entry.count},
                            {"units", entry.units},
                            {"switching", FormatDuration(entry.switching)}});
    if (!entry.cores.empty()) accelerators.back()["cores"] = entry.cores;
    if (!entry.instructions.empty()) accelerators.back()["instructions"] = entry.instructions;
  }
  return {
      {"ready", platform.ready.empty() ? Json() : Json(platform.ready)},
      {"accelerators", accelerators},
      {"bandwidth", platform.bandwidth == 0 ? Json() : Json(FormatBandwidth(platform.bandwidth))},
      {"sharing", ToString(platform.sharing)}};
}

Json SegmentsJson(const SegmentsConfig& segments) {
  static constexpr std::string_view kUnits[] = {"layers", "blocks", "whole"};
  if (segments.unit != SegmentsConfig::Unit::kAuto)
    return kUnits[static_cast<std::size_t>(segments.unit)];
  const AutoSegments& automatic = segments.automatic;
  const bool limited = automatic.longest != Duration::max();
  return {{"auto",
           {{"hand_overs", automatic.hand_overs},
            {"longest", limited ? Json(FormatDuration(automatic.longest)) : Json()}}}};
}

Json NetworksJson(const NetworksConfig& networks) {
  Json json = {{"profile", networks.profile.empty() ? Json("built-in") : Json(networks.profile)},
               {"segments", SegmentsJson(networks.segments)}};
  if (!networks.onnx.empty()) json["onnx"] = networks.onnx;
  if (!networks.batches.empty()) json["batches"] = networks.batches;
  if (networks.segments.unit == SegmentsConfig::Unit::kBlocks)
    json["layers_per_block"] = networks.segments.layers_per_block;
  return json;
}

Json HandOversJson(const HandOversConfig& hand_overs) {
  if (!hand_overs.given) return {};
  if (!hand_overs.file.empty()) return hand_overs.file;
  const std::int64_t bandwidth = hand_overs.move.bandwidth;
  return {{"hand_over", FormatDuration(hand_overs.hand_over)},
          {"take_over", FormatDuration(hand_overs.take_over)},
          {"move",
           {{"fixed", FormatDuration(hand_overs.move.fixed)},
            {"bandwidth", bandwidth == 0 ? Json() : Json(FormatBandwidth(bandwidth))}}}};
}

Json ContractJson(const Contract& contract) {
  return {{"rate_per_s", static_cast<double>(contract.rate) / 1e6},
          {"burst", contract.burst},
          {"over", ToString(contract.over)}};
}

// The value of a term.
class TermJson {
 public:
  explicit TermJson(const ServiceAgreement& promise) : promise_(promise) {}

  Json operator()(const AgreementTerm<Duration>& term) const {
    return FormatDuration(promise_.*term.member);
  }
  Json operator()(const AgreementTerm<std::optional<double>>& term) const {
    const std::optional<double>& share = promise_.*term.member;
    return share.has_value() ? Json(*share) : Json();
  }
  template <typename Number>
  Json operator()(const AgreementTerm<Number>& term) const {
    return promise_.*term.member;
  }
  Json operator()(const AgreementTerm<std::optional<Contract>>& term) const {
    return ContractJson(*(promise_.*term.member));
  }
  Json operator()(const PeriodTerm& /*term*/) const {
    std::string length = FormatDuration(*promise_.period);
    if (promise_.period_kind == PeriodKind::kTumbling) return length;
    return {{"length", std::move(length)},
            {"kind", kPeriodKindNames[static_cast<std::size_t>(promise_.period_kind)]}};
  }

 private:
  const ServiceAgreement& promise_;
};

enum class TermsShown : std::uint8_t { kAll, kGiven };

// A deadline is shown if it is given. Otherwise a multiple of a latency decides, or the request.
void AddTerms(const StatedTerms& terms, TermsShown shown, Json& json) {
  ForEachTerm([&](const auto& term) {
    const bool is_deadline = term.key == std::string_view("deadline");
    const bool by_default = shown == TermsShown::kAll && term.always_written && !is_deadline;
    const bool given = terms.Has(term.key) && (shown == TermsShown::kGiven || is_deadline ||
                                               !term.SaysNothing(terms.promise));
    if (by_default || given) json[std::string(term.key)] = TermJson(terms.promise)(term);
  });
}

Json TenantsJson(const TenantsConfig& tenants, const Scenario& scenario) {
  Json json = {
      {"name", tenants.name},
      {"count", tenants.count},
      {"networks", tenants.networks},
      {"networks_each", tenants.networks_each > 0 ? tenants.networks_each
                                                  : static_cast<int>(tenants.networks.size())},
      {"weight", tenants.weight}};
  if (tenants.rate.has_value()) {
    json["rate_per_s"] = *tenants.rate;
  } else {
    json["share"] = tenants.share;
  }
  if (!tenants.terms.Has("deadline"))
    json["factor"] = tenants.qos_factor > 0 ? tenants.qos_factor : scenario.qos_factor;
  AddTerms(tenants.terms, TermsShown::kAll, json);
  if (tenants.zipf.has_value())
    json["target"] = {{"zipf", tenants.zipf->rates}, {"exponent", tenants.zipf->exponent}};
  json["priority"] = tenants.priority;
  json["joins"] = FormatDuration(tenants.joins - Instant{});
  json["leaves"] =
      tenants.leaves == kNever ? Json() : Json(FormatDuration(tenants.leaves - Instant{}));
  json["arrivals"] = ArrivalsJson(tenants.arrivals.value_or(scenario.arrivals));
  return json;
}

Json PromiseJson(const PromiseConfig& promise) {
  Json json;
  if (!promise.tenants.empty()) json["tenant"] = promise.tenants;
  if (!promise.networks.empty()) json["network"] = promise.networks;
  json["weight"] = promise.weight;
  AddTerms(promise.terms, TermsShown::kAll, json);
  return json;
}

Json GuardJson(const GuardOptions& guard) {
  return {{"policy", guard.fallback},
          {"decision", FormatDuration(guard.decision)},
          {"idle", FormatDuration(guard.idle)},
          {"strikes", guard.strikes},
          {"within", FormatDuration(guard.within)},
          {"back", guard.back.has_value() ? FormatDuration(*guard.back) : "never"},
          {"clock", kDecisionClockNames[static_cast<std::size_t>(guard.clock)]}};
}

Json ChangeJson(const ChangeConfig& change) {
  Json json = {{"at", FormatDuration(change.at - Instant{})}};
  if (!change.accelerator.empty()) {
    json["accelerator"] = change.accelerator;
    json["state"] = change.away ? "away" : "back";
  } else if (!change.policy.empty() || change.guard.has_value()) {
    if (!change.policy.empty()) json["policy"] = change.policy;
    if (change.guard.has_value()) json["guard"] = GuardJson(*change.guard);
  } else {
    json["tenant"] = change.tenant;
    json["network"] = change.network;
    AddTerms(change.terms, TermsShown::kGiven, json);
  }
  return json;
}

std::vector<std::string> PoliciesOf(const Scenario& scenario) {
  std::vector<std::string> specs;
  for (const NamedPolicy& policy : scenario.policies) specs.push_back(policy.spec);
  return specs;
}

}  // namespace

std::string ScenarioJson(const Scenario& scenario) {
  Json json = {{"name", scenario.name},
               {"description", scenario.description},
               {"seed", scenario.seed},
               {"policies", PoliciesOf(scenario)},
               {"platform", PlatformJson(scenario.platform)},
               {"networks", NetworksJson(scenario.networks)},
               {"hand_overs", HandOversJson(scenario.hand_overs)},
               {"warm_up", FormatDuration(scenario.warm_up)},
               {"period", FormatDuration(scenario.period)},
               {"late_jobs", scenario.late == LateJobs::kDrop ? "drop" : "finish"},
               {"beliefs",
                {{"bias", scenario.beliefs.bias},
                 {"noise", scenario.beliefs.noise},
                 {"network_noise", scenario.beliefs.network_noise},
                 {"kind_noise", scenario.beliefs.kind_noise}}},
               {"decision_charge",
                {{"fixed", FormatDuration(scenario.charge.fixed)},
                 {"per_ready", FormatDuration(scenario.charge.per_ready)},
                 {"accelerator",
                  scenario.charge.accelerator.empty() ? Json() : Json(scenario.charge.accelerator)},
                 {"bytes_per_ready", scenario.charge.bytes_per_ready},
                 {"energy_pj_per_ready", scenario.charge.energy_pj_per_ready}}}};
  const InterferenceConfig& interference = scenario.interference;
  if (!interference.truth.text.empty()) json["interference"]["truth"] = interference.truth.text;
  if (!interference.belief.text.empty()) json["interference"]["belief"] = interference.belief.text;
  if (scenario.guard.has_value()) json["guard"] = GuardJson(*scenario.guard);
  if (!scenario.requests.empty()) {
    json["requests"] = scenario.requests;
    for (const PromiseConfig& promise : scenario.promises)
      json["agreements"].push_back(PromiseJson(promise));
  } else {
    json["horizon"] = FormatDuration(scenario.horizon);
    json["load"] = scenario.load.has_value() ? Json(*scenario.load) : Json();
    json["deadlines"] = {{"levels", scenario.levels.factors}, {"weights", scenario.levels.weights}};
    json["tenants"] = Json::array();
    for (const TenantsConfig& tenants : scenario.tenants)
      json["tenants"].push_back(TenantsJson(tenants, scenario));
  }
  json["changes"] = Json::array();
  for (const ChangeConfig& change : scenario.changes) json["changes"].push_back(ChangeJson(change));
  for (const RequireConfig& require : scenario.require)
    json["require"][require.policy.spec].push_back(require.text);
  // Names are as their author wrote them; what is not UTF-8 is shown as such.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fairlead
