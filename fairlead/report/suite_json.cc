#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "fairlead/report/run_json.h"
#include "fairlead/report/suite_report.h"
#include "fairlead/report/suite_scores.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostListed = 5;  // losses and rivals

struct Distance {
  const char* key;
  double distance;
};
constexpr std::array<Distance, 6> kDistances = {{{"within_1_point", 0.01},
                                                 {"within_2_points", 0.02},
                                                 {"within_5_points", 0.05},
                                                 {"within_10_points", 0.1},
                                                 {"within_20_points", 0.2},
                                                 {"within_50_points", 0.5}}};

Json RefusalsJson(const SuiteScenario& scenario) {
  Json list = Json::array();
  for (const SuiteRefusal& refusal : scenario.refusals)
    list.push_back({{"policy", refusal.policy}, {"reason", refusal.reason}});
  return list;
}

Json ScenarioToJson(const SuiteScenario& scenario) {
  Json traits = Json::object();
  for (const SuiteTrait& trait : scenario.traits) traits[trait.name] = trait.value;
  Json runs = Json::array();
  for (const SuiteRun& run : scenario.runs) {
    Json json = RunToJson(run.figures, RunDetail::kScalars);
    json["stakes"] = {{"least", run.stakes.least}, {"most", run.stakes.most}};
    runs.push_back(std::move(json));
  }
  return {{"name", scenario.name},
          {"config", ConfigToJson(scenario.config)},
          {"traits", std::move(traits)},
          {"runs", std::move(runs)},
          {"could_not_run", RefusalsJson(scenario)}};
}

Json LossesJson(const SuiteResults& results, const PolicyVerdict& verdict) {
  Json list = Json::array();
  for (const SuiteLoss& loss : verdict.losses) {
    if (list.size() == kMostListed) break;
    list.push_back({{"scenario", results.scenarios[loss.scenario].name},
                    {"leader", results.policies[loss.leader]},
                    {"behind", loss.behind}});
  }
  return list;
}

Json RivalsJson(const SuiteResults& results, const PolicyVerdict& verdict) {
  Json list = Json::array();
  for (const SuiteRival& rival : verdict.rivals) {
    if (list.size() == kMostListed) break;
    list.push_back({{"policy", results.policies[rival.policy]},
                    {"scenarios", rival.scenarios},
                    {"mean_lead", rival.mean_lead}});
  }
  return list;
}

Json WhereJson(std::size_t policy, const SuiteResults& results, const JudgedMeasure& judged) {
  Json list = Json::array();
  for (const TraitVerdict& verdict : VerdictsByTrait(policy, results, judged.scenarios)) {
    if (verdict.scenarios == 0) continue;
    list.push_back({{"trait", verdict.name},
                    {"value", verdict.value},
                    {"scenarios", verdict.scenarios},
                    {"mean_behind", verdict.mean_behind}});
  }
  return list;
}

Json PolicyJson(std::size_t policy, const SuiteResults& results,
                const std::vector<JudgedMeasure>& measures) {
  Json json = Json::object();
  for (const JudgedMeasure& judged : measures) {
    const PolicyVerdict& verdict = judged.policies[policy];
    const std::string key(KeyOf(judged.measure));
    const bool defined = verdict.scenarios > 0;
    const auto share = [&](double value) { return defined ? Json(value) : Json(nullptr); };
    json["led"][key] = share(verdict.led);
    json["may_lead"][key] = share(verdict.may_lead);
    for (const auto& [name, distance] : kDistances)
      json[name][key] = share(verdict.Within(distance));
    json["mean_behind"][key] = verdict.behind.empty() ? Json(nullptr) : Json(verdict.mean_behind);
    json["losses"][key] = LossesJson(results, verdict);
    json["rivals"][key] = RivalsJson(results, verdict);
    json["where"][key] = WhereJson(policy, results, judged);
  }
  Json& refused = json["could_not_run"] = Json::array();
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals) {
      if (refusal.policy == results.policies[policy])
        refused.push_back({{"scenario", scenario.name}, {"reason", refusal.reason}});
    }
  }
  return json;
}

}  // namespace

std::string FormatSuiteJson(const SuiteHeading& heading, const SuiteResults& results) {
  Json json = {{"seed", heading.seed},
               {"purpose", heading.purpose},
               {"seeds", heading.seeds},
               {"version", heading.version},
               {"lead_tolerance", kLeadTolerance},
               {"scenarios", Json::array()},
               {"policies", Json::object()}};
  for (const SuiteScenario& scenario : results.scenarios)
    json["scenarios"].push_back(ScenarioToJson(scenario));
  std::vector<JudgedMeasure> measures;
  for (SuiteMeasure measure : kSuiteMeasures) measures.push_back(JudgeSuite(results, measure));
  for (std::size_t p = 0; p < results.policies.size(); ++p)
    json["policies"][results.policies[p]] = PolicyJson(p, results, measures);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
