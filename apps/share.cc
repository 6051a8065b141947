// fairlead share
#include "fairlead/running/share.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/config/mechanism_registry.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json FiguresJson(const ShareFigures& row, bool envy) {
  Json json = {{"mechanism", row.mechanism},
               {"queue_utility", row.queue_utility},
               {"welfare", row.welfare},
               {"of_oracle", row.of_oracle},
               {"of_fair_oracle", row.of_fair_oracle},
               {"inferences_per_round", row.inferences},
               {"gaining", row.gaining},
               {"least_phi", row.least_phi},
               {"largest_cost_phi", row.largest_cost_phi},
               {"longest_wait", row.longest_wait},
               {"largest_gap", row.largest_gap}};
  if (envy) {
    json["envious"] = row.envious;
    json["largest_envy"] = row.largest_envy;
  }
  return json;
}

void PrintShareTable(const std::vector<ShareFigures>& figures, bool envy) {
  double load = -1;
  for (const ShareFigures& row : figures) {
    if (row.queue_utility != load) {
      load = row.queue_utility;
      fmt::print("\nqueue utility {:.0f}%\n{:<36}{:>8}{:>8}{:>8}{:>10}{:>8}{:>8}{:>9}{:>6}",
                 100 * load, "mechanism", "welfare", "oracle", "fair", "infer/rd", "phi>=1",
                 "phi min", "cost max", "wait");
      fmt::print("{}\n", envy ? "  envious  worst" : "");
    }
    fmt::print("{:<36}{:>8.4f}{:>7.1f}%{:>7.1f}%{:>10.1f}{:>7.0f}%{:>8.3f}{:>9.2f}{:>6}",
               row.mechanism, row.welfare, 100 * row.of_oracle, 100 * row.of_fair_oracle,
               row.inferences, 100 * row.gaining, row.least_phi, row.largest_cost_phi,
               row.longest_wait);
    if (envy) fmt::print("{:>8.0f}%{:>7.2f}", 100 * row.envious, row.largest_envy);
    fmt::print("{}\n", row.largest_gap > 0
                           ? fmt::format("  (gap of its program: {:.1f}%)", 100 * row.largest_gap)
                           : "");
  }
}

}  // namespace

int Run(const ShareOptions& options) {
  const auto text = ReadInput(options.scenario);
  if (!text.has_value()) return Complain(text.error(), kBadInput);
  const auto scenario = ParseSharingScenario(options.scenario, *text);
  if (!scenario.has_value()) return Complain(scenario.error(), kBadInput);
  SharePlan plan{.mechanisms = scenario->mechanisms,
                 .threshold = scenario->threshold,
                 .seed = options.seed.value_or(scenario->seed),
                 .seeds = options.seeds,
                 .envy = options.envy};
  if (!options.mechanisms.empty()) {
    auto named = ParseMechanismList(options.mechanisms);
    if (!named.has_value()) return Complain({"--mechanism: " + named.error().message}, kBadInput);
    plan.mechanisms = std::move(*named);
  }
  if (!options.thresholds.empty()) {
    const auto threshold = ParseThresholds(options.thresholds);
    if (!threshold.has_value())
      return Complain({"--thresholds: " + threshold.error().message}, kBadInput);
    plan.threshold = *threshold;
  }
  const auto figures = RunShare(*scenario, plan);
  if (!figures.has_value()) return Complain(figures.error(), kBadInput);
  if (options.form == OutputForm::kTable) {
    fmt::print("{}: seeds {} to {}, thresholds fixed:{}\n", scenario->name, plan.seed,
               plan.seed + static_cast<std::uint64_t>(plan.seeds) - 1, plan.threshold);
    PrintShareTable(*figures, plan.envy);
    return kDone;
  }
  Json json = {{"scenario", scenario->name},
               {"version", FAIRLEAD_VERSION},
               {"seed", plan.seed},
               {"seeds", plan.seeds},
               {"thresholds", fmt::format("fixed:{}", plan.threshold)},
               {"results", Json::array()}};
  for (const ShareFigures& row : *figures) json["results"].push_back(FiguresJson(row, plan.envy));
  fmt::print("{}\n", json.dump(2));
  return kDone;
}

}  // namespace fairlead
