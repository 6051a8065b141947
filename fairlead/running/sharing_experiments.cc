#include "fairlead/running/sharing_experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "fairlead/base/statistics.h"
#include "fairlead/running/share_table.h"

namespace fairlead {
namespace {

ShareGridCase TokensActor() {
  return {"mtf-actor-critic", {"most-token-first:useless=idle", "actor-critic"}};
}
ShareGridCase TokensHedge() { return {"mtf-hedge", {"most-token-first:useless=idle", "hedge"}}; }
ShareGridCase TokensText() { return {"mtf-text", {"most-token-first", "fixed:0"}}; }
ShareGridCase Tokens0() { return {"mtf-0.0", {"most-token-first:useless=idle", "fixed:0"}}; }
ShareGridCase Plus() { return {"mtf-plus", {"most-token-first-plus", "fixed:0"}}; }
ShareGridCase Stride() { return {"gandiva-fair", {"gandiva-fair", "fixed:0"}}; }
ShareGridCase StridePool() { return {"gandiva-fair-pool", {"gandiva-fair:scope=pool", "fixed:0"}}; }
ShareGridCase Trading() {
  return {"gandiva-fair-trading", {"gandiva-fair:trading=second-price", "fixed:0"}};
}
ShareGridCase Themis() { return {"themis", {"themis", "fixed:0"}}; }
ShareGridCase ThemisWeighted() { return {"themis-weighted", {"themis:rho=weighted", "fixed:0"}}; }
ShareGridCase ThemisAuction() {
  return {"themis-auction", {"themis:rho=weighted;solver=auction", "fixed:0"}};
}
ShareGridCase Nash() { return {"nash", {"nash", "fixed:0"}}; }
ShareGridCase Greedy() { return {"greedy", {"greedy", "fixed:0"}}; }
ShareGridCase GreedyByStake() { return {"greedy-by-stake", {"greedy:by=stake", "fixed:0"}}; }
ShareGridCase PlusBlind() {
  return {"mtf-plus-blind", {"most-token-first-plus:stakes=ignored", "fixed:0"}};
}
ShareGridCase Karma() { return {"karma", {"karma", "fixed:0"}}; }
ShareGridCase Game() { return {"token-game", {"token-game", "fixed:0"}}; }

ShareMeasure Welfare() { return {"welfare", "weighted welfare", WelfareOf, true}; }
ShareMeasure OfFairOracle() {
  return {"of-fair-oracle", "share of the bound",
          [](const ShareRun& run) { return run.of_fair_oracle; }};
}
ShareMeasure Gaining() {
  return {"phi-at-least-1", "share of agents", [](const ShareRun& run) { return run.gaining; },
          true};
}
ShareMeasure LeastPhi() {
  return {"phi-min", "phi", [](const ShareRun& run) { return *std::ranges::min_element(run.phi); }};
}
ShareMeasure MeanPhi() {
  return {"phi-mean", "phi", [](const ShareRun& run) {
            double sum = 0;
            for (const double phi : run.phi) sum += phi;
            return sum / static_cast<double>(run.phi.size());
          }};
}
ShareMeasure Throughput() {
  return {"throughput", "inferences in a round", [](const ShareRun& run) { return run.throughput; },
          true};
}
ShareMeasure Dropped() {
  return {"dropped", "share of inferences", [](const ShareRun& run) { return run.dropped; }};
}
ShareMeasure EnvyPairs() {
  return {"envy-pairs", "pairs", [](const ShareRun& run) { return 1.0 * run.envy_pairs; }};
}
ShareMeasure LargestEnvy() {
  return {"largest-envy", "ratio", [](const ShareRun& run) { return run.largest_envy; }};
}
ShareMeasure LongestWait() {
  return {"longest-wait", "rounds", [](const ShareRun& run) { return 1.0 * run.longest_wait; }};
}

double NumberOf(const ExperimentResults& results, const std::string& name) {
  const auto found = std::ranges::find(results.numbers, name, &ExperimentNumber::name);
  return found == results.numbers.end() ? 0 : found->estimate.mean;
}

// The largest of a measure in a setting.
std::string LeaderOf(const ExperimentResults& results, const std::string& stem) {
  std::string best;
  double most = -1;
  for (const ExperimentNumber& number : results.numbers) {
    if (!number.name.starts_with(stem) || number.estimate.mean <= most) continue;
    most = number.estimate.mean;
    best = number.name.substr(stem.size());
  }
  return best;
}

// Figure 5.18: the share of agents with at most so much phi, all queue utilities and seeds
// together.
std::string PlotPhi(const std::vector<ShareGridCase>& cases, const ShareGrid& grid,
                    const std::string& label) {
  XyPlot plot{.label = label,
              .x = {.label = "phi"},
              .y = {.label = "agents with at most that", .format = FormatPercent},
              .series = {}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    std::vector<double> all;
    for (int w = 0; w < grid.worlds(); ++w) {
      for (int s = 0; s < grid.seeds(); ++s) {
        const std::vector<double>& phi = grid.At(w, s, c).phi;
        all.insert(all.end(), phi.begin(), phi.end());
      }
    }
    std::ranges::sort(all);
    constexpr int kSteps = 100;
    XySeries series{.name = cases[c].name, .style = StyleOf(c), .points = {}, .marks = false};
    for (int i = 0; i <= kSteps; ++i) {
      const double share = static_cast<double>(i) / kSteps;
      series.points.push_back({.x = Quantile(all, share), .y = share, .title = {}});
    }
    plot.series.push_back(std::move(series));
  }
  return DrawXyPlot(plot);
}

// Table 5.2 of one seed, and its worst pair.
void AddEnvyMatrix(const ShareGridCase& a_case, const ShareRun& run, ExperimentResults& results) {
  const std::size_t n = run.phi.size();
  HtmlTable table{.columns = {fmt::format("{}, seed {}", a_case.name, run.seed)}, .rows = {}};
  for (std::size_t j = 0; j < n; ++j) table.columns.push_back(fmt::format("of A{}'s", j + 1));
  std::size_t who = 0;
  std::size_t whom = 0;
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<HtmlCell> row = {{.text = fmt::format("A{}", i + 1)}};
    for (std::size_t j = 0; j < n; ++j) {
      const double ratio = run.swapped[i * n + j] / run.swapped[i * n + i];
      row.push_back({.text = fmt::format("{:.4f}", run.swapped[i * n + j])});
      if (i == j || ratio <= worst) continue;
      worst = ratio;
      who = i;
      whom = j;
    }
    table.rows.push_back(std::move(row));
  }
  table.caption = "What an agent had of its own accelerators, and would have had of others'.";
  results.tables.push_back(std::move(table));
  results.findings.push_back(fmt::format(
      "{}, seed {}: {}; A{} had {:.4f} and would have had {:.4f} of A{}'s accelerators.",
      a_case.name, run.seed,
      run.envy_pairs > 0 ? "a counter-example to envy-freeness" : "nobody envies", who + 1,
      run.swapped[who * n + who], run.swapped[who * n + whom], whom + 1));
}

}  // namespace

Result<ExperimentResults> RunWeightsExperiment(const ExperimentPlan& plan) {
  ShareTable table{.settings = {{"1-2", "weights 1 and 2", "weights-1-2"},
                                {"1-2-4", "weights 1, 2 and 4", "weights-1-2-4"},
                                {"1-2-8", "weights 1, 2 and 8", "weights-1-2-8"}},
                   .cases = {TokensActor(), Plus(), Stride(), Themis(), ThemisWeighted(), Nash()},
                   .measures = {Throughput()},
                   .by_class = true};
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const char* name : {"mtf-actor-critic", "mtf-plus", "gandiva-fair", "themis", "nash"}) {
    const double light = NumberOf(results, fmt::format("throughput-w1/1-2-4/{}", name));
    const double heavy = NumberOf(results, fmt::format("throughput-w4/1-2-4/{}", name));
    results.findings.push_back(
        fmt::format("{}: agents of weight 4 have {:.2f} times the inferences of those of weight 1; "
                    "their mixes of applications differ.",
                    name, heavy / light));
  }
  return results;
}

Result<ExperimentResults> RunDeadlinesExperiment(const ExperimentPlan& plan) {
  ShareTable table{
      .settings = {},
      .cases = {TokensActor(), Tokens0(), Plus(), Stride(), StridePool(), Themis(),
                ThemisWeighted(), Nash(), Greedy(), Karma(), PlusBlind(), GreedyByStake()},
      .measures = {Welfare(), Dropped(), OfFairOracle()},
      .against = "mtf-plus"};
  for (const int deadline : {2, 5, 10, 20, 40})
    table.settings.push_back({fmt::format("deadline-{}", deadline),
                              fmt::format("a deadline of {} rounds", deadline), "weights-1-2-4",
                              [deadline](RoundWorld& world) { world.deadline = deadline; }});
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const ShareSetting& setting : table.settings) {
    const auto of = [&](const char* name) {
      return NumberOf(results, fmt::format("welfare/{}/{}", setting.name, name));
    };
    results.findings.push_back(fmt::format(
        "{}: most-token-first with actor-critic has {:.3f} times gandiva-fair's welfare and {:.3f} "
        "times themis's, most-token-first-plus {:.3f} and {:.3f}; the largest is {}'s. The thesis "
        "has 1.08 times gandiva-fair's.",
        setting.words, of("mtf-actor-critic") / of("gandiva-fair"),
        of("mtf-actor-critic") / of("themis"), of("mtf-plus") / of("gandiva-fair"),
        of("mtf-plus") / of("themis"),
        LeaderOf(results, fmt::format("welfare/{}/", setting.name))));
  }
  return results;
}

Result<ExperimentResults> RunUnequalLoadExperiment(const ExperimentPlan& plan) {
  ShareTable table{.settings = {{"light-busy", "light agents busiest", "unequal-light-busy"},
                                {"heavy-busy", "heavy agents busiest", "unequal-heavy-busy"}},
                   .cases = {TokensActor(), Plus(), Stride(), StridePool(), Themis(),
                             ThemisWeighted(), Nash(), Karma()},
                   .measures = {Welfare(), Throughput(), Gaining(), LeastPhi()},
                   .by_class = true,
                   .against = "mtf-plus"};
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const ShareSetting& setting : table.settings)
    results.findings.push_back(
        fmt::format("{}: the largest welfare is {}'s.", setting.words,
                    LeaderOf(results, fmt::format("welfare/{}/", setting.name))));
  return results;
}

Result<ExperimentResults> RunSharingIncentiveExperiment(const ExperimentPlan& plan) {
  ShareTable table{
      .settings = {{"separate", "a queue for each agent and accelerator", "weights-1-2-4"},
                   {"pooled", "a queue for each agent", "weights-1-2-4",
                    [](RoundWorld& world) { world.queues = QueueLayout::kPooled; }},
                   {"overload", "separate queues, arrivals doubled", "weights-1-2-4",
                    [](RoundWorld& world) {
                      for (double& rate : world.arrivals) rate *= 2;
                    }}},
      .cases = {TokensActor(), Plus(), Stride(), Themis(), ThemisWeighted(), ThemisAuction(),
                Trading(), Nash(), Game()},
      .measures = {Gaining(), LeastPhi(), MeanPhi(), Welfare(), OfFairOracle(), LongestWait()},
      .by_load = false};
  table.also = [&table](const ShareSetting& setting, const ShareGrid& grid,
                        ExperimentResults& out) {
    const std::string title = fmt::format("phi of agents, {}", setting.words);
    out.figures.push_back({.name = "phi-" + setting.name,
                           .title = title,
                           .svg = PlotPhi(table.cases, grid, title),
                           .caption = "All agents, queue utilities and seeds together."});
  };
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const ShareSetting& setting : table.settings) {
    const std::string stem = fmt::format("phi-at-least-1/{}/", setting.name);
    results.findings.push_back(fmt::format(
        "{}: phi of 1 or more holds for {:.0f} % of agents with most-token-first and actor-critic; "
        "{} has most, {:.0f} %. Mean phi there: {:.4f} and {:.4f}.",
        setting.words, 100 * NumberOf(results, stem + "mtf-actor-critic"), LeaderOf(results, stem),
        100 * NumberOf(results, stem + LeaderOf(results, stem)),
        NumberOf(results, fmt::format("phi-mean/{}/mtf-actor-critic", setting.name)),
        NumberOf(results, fmt::format("phi-mean/{}/{}", setting.name, LeaderOf(results, stem)))));
  }
  return results;
}

Result<ExperimentResults> RunEnvyExperiment(const ExperimentPlan& plan) {
  ShareTable table{.settings = {{"five", "5 agents, 10 accelerators, 80 %", "five"}},
                   .cases = {TokensActor(), TokensText(), Plus(), Stride(), Themis(), Nash()},
                   .measures = {EnvyPairs(), LargestEnvy(), Gaining(), LeastPhi()},
                   .envy = true};
  table.also = [&table](const ShareSetting& /*setting*/, const ShareGrid& grid,
                        ExperimentResults& out) {
    // Of each mechanism the seed with the most envy.
    for (std::size_t c = 0; c < table.cases.size(); ++c) {
      int worst = 0;
      for (int s = 1; s < grid.seeds(); ++s) {
        if (grid.At(0, s, c).largest_envy > grid.At(0, worst, c).largest_envy) worst = s;
      }
      AddEnvyMatrix(table.cases[c], grid.At(0, worst, c), out);
    }
  };
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const ShareGridCase& a_case : table.cases)
    results.findings.push_back(fmt::format(
        "{}: {:.1f} of 20 pairs envy, by a ratio of {:.4f} at most, on average over seeds.",
        a_case.name, NumberOf(results, "envy-pairs/five/" + a_case.name),
        NumberOf(results, "largest-envy/five/" + a_case.name)));
  return results;
}

Result<ExperimentResults> RunLearnersExperiment(const ExperimentPlan& plan) {
  ShareTable table{.settings = {{"equal", "equal weights", "equal"},
                                {"1-2-4", "weights 1, 2 and 4", "weights-1-2-4"}},
                   .cases = {TokensActor(), TokensHedge()},
                   .measures = {Welfare()}};
  for (const char* spec :
       {"hedge:sign=text", "hedge:sign=saving", "fixed:0", "fixed:0.3", "fixed:0.6", "fixed:0.9"})
    table.cases.push_back({fmt::format("mtf-{}", spec), {"most-token-first:useless=idle", spec}});
  ASSIGN_OR_RETURN(ExperimentResults results, RunShareTable(table, plan));
  for (const ShareSetting& setting : table.settings)
    results.findings.push_back(fmt::format(
        "{}: actor-critic {:.4f}, hedge {:.4f}, with 4.2's sign {:.4f}, with the other {:.4f}, "
        "always 0 {:.4f}.",
        setting.words, NumberOf(results, "welfare/" + setting.name + "/mtf-actor-critic"),
        NumberOf(results, "welfare/" + setting.name + "/mtf-hedge"),
        NumberOf(results, "welfare/" + setting.name + "/mtf-hedge:sign=text"),
        NumberOf(results, "welfare/" + setting.name + "/mtf-hedge:sign=saving"),
        NumberOf(results, "welfare/" + setting.name + "/mtf-fixed:0")));
  return results;
}

}  // namespace fairlead
