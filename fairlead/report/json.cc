#include "fairlead/report/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "fairlead/report/incentive_table.h"
#include "fairlead/report/run_json.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

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
    PutFigure(json, figure.group, figure.name, EstimateToJson(figure.estimate));
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

Json IncentivesToJson(const IncentiveFigures& figures) {
  const Distribution phi = Describe(figures.phi);
  return {{"against", figures.against},
          {"min", NumberOrNull(phi.min)},
          {"mean", NumberOrNull(phi.mean)},
          {"share_at_least_1", figures.gaining}};
}

Json VerdictToJson(const ObjectiveVerdict& verdict) {
  return {
      {"policy", verdict.policy},
      {"objective", verdict.objective->text},
      {"asked_by", verdict.objective->asked_by == AskedBy::kScenario ? "scenario" : "command line"},
      {"seeds", verdict.seeds},
      {"value", verdict.value.has_value() ? NumberOrNull(*verdict.value) : Json(nullptr)},
      {"bound", verdict.bound.has_value() ? NumberOrNull(*verdict.bound) : Json(nullptr)},
      {"met", verdict.met.has_value() ? Json(*verdict.met) : Json(nullptr)},
  };
}

}  // namespace

std::string FormatJson(const ReportHeading& heading, std::span<const RunFigures> runs,
                       std::span<const ObjectiveVerdict> verdicts) {
  Json json = {{"scenario", heading.scenario},
               {"version", heading.version},
               {"config", ConfigToJson(heading.config)},
               {"runs", Json::array()}};
  for (const RunFigures& run : runs) {
    json["runs"].push_back(RunToJson(run, RunDetail::kAgreements));
    if (const auto incentives = IncentivesOf(run, runs); incentives.has_value())
      json["runs"].back()["phi"] = IncentivesToJson(*incentives);
  }
  for (const ObjectiveVerdict& verdict : verdicts)
    json["objectives"].push_back(VerdictToJson(verdict));
  const bool several_seeds = std::ranges::any_of(
      runs, [&runs](const RunFigures& run) { return run.seed != runs.front().seed; });
  if (several_seeds) json["summary"] = SummaryToJson(Summarise(runs));
  // Names come from files and may hold anything: what is not UTF-8 is replaced, never thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
