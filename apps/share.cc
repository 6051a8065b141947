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
#include "fairlead/report/policy_names.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/threshold_registry.h"

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
  const Distribution cost_phi = Describe(run.cost_phi);
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
               {"cost_phi",
                {{"max", cost_phi.max}, {"mean", cost_phi.mean}, {"share_at_most_1", run.saving}}},
               {"envy_pairs", envy ? Json(run.envy_pairs) : Json()},
               {"backlog", run.backlog},
               {"dropped", run.dropped},
               {"longest_wait", run.longest_wait},
               {"gap", run.gap},
               {"round_us", run.round_us}};
  if (envy) {
    json["envious"] = run.envious;
    json["largest_envy"] = run.largest_envy;
  }
  return json;
}

// Rows are at most 80 columns wide; a long name has a line of its own, envy a table of its own.
void PrintShareTable(const std::vector<ShareFigures>& figures) {
  constexpr std::size_t kNames = 21;
  double load = -1;
  for (const ShareFigures& row : figures) {
    if (row.queue_utility != load) {
      load = row.queue_utility;
      fmt::print("\nqueue utility {:.0f}%\n{:<{}}{:>8}{:>8}{:>7}{:>10}{:>7}{:>8}{:>6}{:>5}\n",
                 100 * load, "mechanism", kNames, "welfare", "oracle", "fair", "infer/rd", "phi>=1",
                 "phi min", "cost", "wait");
    }
    const double cost = row.largest_cost_phi;
    fmt::print("{}{:>8.4f}{:>7.1f}%{:>6.1f}%{:>10.1f}{:>6.0f}%{:>8.3f}{:>6}{:>5}\n",
               NameInRow(row.entry.mechanism, kNames), row.welfare, 100 * row.of_oracle,
               100 * row.of_fair_oracle, row.throughput, 100 * row.gaining, row.least_phi,
               cost < 100 ? fmt::format("{:.2f}", cost) : ">99", row.longest_wait);
    if (row.gap > 0)
      fmt::print("{:{}} (its programs were cut short: the gap is {:.1f}% at most)\n", "", kNames,
                 100 * row.gap);
  }
}

void PrintEnvy(const std::vector<ShareFigures>& figures) {
  double load = -1;
  for (const ShareFigures& row : figures) {
    if (row.queue_utility != load) {
      load = row.queue_utility;
      fmt::print("\nenvy at a queue utility of {:.0f}%\n{:<50}{:>15}{:>15}\n", 100 * load,
                 "mechanism", "envious agents", "largest ratio");
    }
    fmt::print("{}{:>14.0f}%{:>15.4f}\n", NameInRow(row.entry.mechanism, 50), 100 * row.envious,
               row.largest_envy);
  }
}

int Train(const ShareOptions& options, const SharingScenario& scenario) {
  auto file = OutputFile::Open(options.train);
  if (!file.has_value()) return Complain(file.error(), kBadInput);
  const auto trained = TrainThresholds(scenario, {.episodes = options.episodes,
                                                  .seed = options.seed.value_or(scenario.seed),
                                                  .options = options.learning});
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
  // Results for scripts have it wherever replaying each agent with each other's is not much.
  constexpr int kFewAgents = 64;
  const bool few = scenario->worlds.front().market.agents() <= kFewAgents;
  SharePlan plan{.entries = {},
                 .seed = options.seed.value_or(scenario->seed),
                 .seeds = options.seeds,
                 .envy = options.envy || (options.form == OutputForm::kJson && few)};
  for (const std::string& mechanism : mechanisms) plan.entries.push_back({mechanism, thresholds});
  const auto runs = RunShare(*scenario, plan);
  if (!runs.has_value()) return Complain(runs.error(), kBadInput);
  if (options.form == OutputForm::kTable) {
    fmt::print("{}: seeds {} to {}, thresholds {}\n", scenario->name, plan.seed,
               plan.seed + static_cast<std::uint64_t>(plan.seeds) - 1, thresholds);
    const auto figures = SumUp(*runs, plan);
    PrintShareTable(figures);
    if (plan.envy) PrintEnvy(figures);
    return kDone;
  }
  Json json = {
      {"scenario", scenario->name}, {"version", FAIRLEAD_VERSION}, {"runs", Json::array()}};
  for (const ShareRun& run : *runs) json["runs"].push_back(RunJson(run, plan.envy));
  fmt::print("{}\n", json.dump(2));
  return kDone;
}

}  // namespace fairlead
