// fairlead share
#include "fairlead/running/share.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/verbs.h"
#include "fairlead/base/statistics.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/text_table.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

void PutRun(JsonText& json, const ShareRun& run, bool envy) {
  const Distribution phi = fairlead::Describe(run.phi);
  const Distribution cost_phi = fairlead::Describe(run.cost_phi);
  json.BeginObject();
  json.Put("mechanism", run.entry.mechanism, "thresholds", run.entry.thresholds, "queue_utility",
           run.queue_utility, "seed", run.seed, "welfare", run.welfare, "of_oracle", run.of_oracle,
           "of_fair_oracle", run.of_fair_oracle, "throughput", run.throughput);
  json.BeginList("per_class");
  for (const ShareClass& in : run.classes)
    json.Row("weight", in.weight, "agents", in.agents, "throughput", in.throughput, "utility",
             in.utility);
  json.End();
  json.Object("phi", "min", phi.min, "mean", phi.mean, "share_at_least_1", run.gaining);
  json.Object("cost_phi", "max", cost_phi.max, "mean", cost_phi.mean, "share_at_most_1",
              run.saving);
  json.Put("envy_pairs", envy ? std::optional(run.envy_pairs) : std::nullopt, "backlog",
           run.backlog, "dropped", run.dropped, "longest_wait", run.longest_wait, "gap", run.gap,
           "round_us", run.round_us);
  if (envy) json.Put("envious", run.envious, "largest_envy", run.largest_envy);
  json.End();
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
  ASSIGN_OR_COMPLAIN(auto file, OutputFile::Open(options.train), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto trained,
                     TrainThresholds(scenario, {.episodes = options.episodes,
                                                .seed = options.seed.value_or(scenario.seed),
                                                .options = options.learning}),
                     kCouldNotGoOn);
  file->stream() << FormatNetwork(trained.networks.actor);
  COMPLAIN_IF_ERROR(file->Commit(), kCouldNotGoOn);
  const std::span<const double> rewards = trained.rewards;
  const std::size_t few = std::min(rewards.size(), 2 * scenario.worlds.size());
  Tell("{} episodes; mean utility {:.4f} in the first {} and {:.4f} in the last\n", rewards.size(),
       EstimateMean(rewards.first(few)).mean, few, EstimateMean(rewards.last(few)).mean);
  return kDone;
}

}  // namespace

int Run(const ShareOptions& options) {
  ASSIGN_OR_COMPLAIN(const auto text, ReadInput(options.scenario), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto scenario, ParseSharingScenario(options.scenario, text), kBadInput);
  if (!options.train.empty()) return Train(options, scenario);
  std::vector<std::string> mechanisms = scenario.mechanisms;
  if (!options.mechanisms.empty()) {
    ASSIGN_OR_COMPLAIN(mechanisms, OfOption("--mechanism", ParseMechanismList(options.mechanisms)),
                       kBadInput);
  }
  std::string thresholds = scenario.thresholds;
  if (!options.thresholds.empty()) {
    ASSIGN_OR_COMPLAIN(const auto choice,
                       OfOption("--thresholds", ChooseThresholds(options.thresholds)), kBadInput);
    thresholds = choice.canonical;
  }
  // Results for scripts have it wherever replaying each agent with each other's is not much.
  constexpr int kFewAgents = 64;
  const bool few = scenario.worlds.front().market.agents() <= kFewAgents;
  SharePlan plan{.entries = {},
                 .seed = options.seed.value_or(scenario.seed),
                 .seeds = options.seeds,
                 .envy = options.envy || (options.form == OutputForm::kJson && few)};
  for (const std::string& mechanism : mechanisms) plan.entries.push_back({mechanism, thresholds});
  ASSIGN_OR_COMPLAIN(const auto runs, RunShare(scenario, plan), kBadInput);
  if (options.form == OutputForm::kTable) {
    fmt::print("{}: seeds {} to {}, thresholds {}\n", scenario.name, plan.seed,
               plan.seed + static_cast<std::uint64_t>(plan.seeds) - 1, thresholds);
    const auto figures = SumUp(runs, plan);
    PrintShareTable(figures);
    if (plan.envy) PrintEnvy(figures);
    return kDone;
  }
  JsonText json;
  json.Put("scenario", scenario.name, "version", FAIRLEAD_VERSION);
  json.BeginList("runs");
  for (const ShareRun& run : runs) PutRun(json, run, plan.envy);
  json.End();
  fmt::print("{}", std::move(json).Finish());
  return kDone;
}

}  // namespace fairlead
