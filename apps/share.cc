// fairlead share
#include "fairlead/running/share.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/input_files.h"
#include "apps/output_file.h"
#include "apps/verbs.h"
#include "fairlead/base/statistics.h"
#include "fairlead/config/mechanism_registry.h"
#include "fairlead/config/threshold_registry.h"
#include "fairlead/running/share_training.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Json RunJson(const ShareRun& run, bool envy) {
  Json classes = Json::array();
  for (const ShareClass& in : run.classes)
    classes.push_back({{"weight", in.weight},
                       {"agents", in.agents},
                       {"throughput", in.throughput},
                       {"utility", in.utility}});
  const Distribution phi = Describe(run.phi);
  Json json = {{"mechanism", run.entry.mechanism},
               {"thresholds", run.entry.thresholds},
               {"queue_utility", run.queue_utility},
               {"seed", run.seed},
               {"welfare", run.welfare},
               {"of_oracle", run.of_oracle},
               {"of_fair_oracle", run.of_fair_oracle},
               {"throughput", run.throughput},
               {"per_class", std::move(classes)},
               {"phi", {{"min", phi.min}, {"mean", phi.mean}, {"share_at_least_1", run.gaining}}},
               {"cost_phi_max", run.largest_cost_phi},
               {"backlog", run.backlog},
               {"dropped", run.dropped},
               {"longest_wait", run.longest_wait},
               {"gap", run.gap},
               {"round_us", run.round_us}};
  if (envy) {
    json["envy_pairs"] = run.envy_pairs;
    json["envious"] = run.envious;
    json["largest_envy"] = run.largest_envy;
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
               row.entry.mechanism, row.welfare, 100 * row.of_oracle, 100 * row.of_fair_oracle,
               row.throughput, 100 * row.gaining, row.least_phi, row.largest_cost_phi,
               row.longest_wait);
    if (envy) fmt::print("{:>8.0f}%{:>7.2f}", 100 * row.envious, row.largest_envy);
    fmt::print("{}\n",
               row.gap > 0 ? fmt::format("  (gap of its program: {:.1f}%)", 100 * row.gap) : "");
  }
}

int Train(const ShareOptions& options, const SharingScenario& scenario) {
  auto file = OutputFile::Open(options.train);
  if (!file.has_value()) return Complain(file.error(), kBadInput);
  const auto trained = TrainThresholds(
      scenario, {.episodes = options.episodes, .seed = options.seed.value_or(scenario.seed)});
  if (!trained.has_value()) return Complain(trained.error(), kCouldNotGoOn);
  (*file)->stream() << FormatNetwork(trained->networks.actor);
  const Status written = (*file)->Commit();
  if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  const std::span<const double> rewards = trained->rewards;
  const std::size_t few = std::min(rewards.size(), 2 * scenario.worlds.size());
  Tell("{} episodes; mean utility {:.4f} in the first {} and {:.4f} in the last\n", rewards.size(),
       EstimateMean(rewards.first(few)).mean, few, EstimateMean(rewards.last(few)).mean);
  return kDone;
}

}  // namespace

int Run(const ShareOptions& options) {
  const auto text = ReadInput(options.scenario);
  if (!text.has_value()) return Complain(text.error(), kBadInput);
  const auto scenario = ParseSharingScenario(options.scenario, *text);
  if (!scenario.has_value()) return Complain(scenario.error(), kBadInput);
  if (!options.train.empty()) return Train(options, *scenario);
  std::vector<std::string> mechanisms = scenario->mechanisms;
  if (!options.mechanisms.empty()) {
    auto named = ParseMechanismList(options.mechanisms);
    if (!named.has_value()) return Complain({"--mechanism: " + named.error().message}, kBadInput);
    mechanisms = std::move(*named);
  }
  std::string thresholds = scenario->thresholds;
  if (!options.thresholds.empty()) {
    const auto choice = ChooseThresholds(options.thresholds);
    if (!choice.has_value())
      return Complain({"--thresholds: " + choice.error().message}, kBadInput);
    thresholds = choice->canonical;
  }
  SharePlan plan{.entries = {},
                 .seed = options.seed.value_or(scenario->seed),
                 .seeds = options.seeds,
                 .envy = options.envy};
  for (const std::string& mechanism : mechanisms) plan.entries.push_back({mechanism, thresholds});
  const auto runs = RunShare(*scenario, plan);
  if (!runs.has_value()) return Complain(runs.error(), kBadInput);
  if (options.form == OutputForm::kTable) {
    fmt::print("{}: seeds {} to {}, thresholds {}\n", scenario->name, plan.seed,
               plan.seed + static_cast<std::uint64_t>(plan.seeds) - 1, thresholds);
    PrintShareTable(SumUp(*runs, plan), plan.envy);
    return kDone;
  }
  Json json = {
      {"scenario", scenario->name}, {"version", FAIRLEAD_VERSION}, {"runs", Json::array()}};
  for (const ShareRun& run : *runs) json["runs"].push_back(RunJson(run, plan.envy));
  fmt::print("{}\n", json.dump(2));
  return kDone;
}

}  // namespace fairlead
