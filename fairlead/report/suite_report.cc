#include "fairlead/report/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"
#include "fairlead/plots/row_plots.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/run_json.h"
#include "fairlead/report/summary.h"

namespace fairlead {

namespace {

using Measures = std::vector<JudgedMeasure>;

Measures JudgeAll(const SuiteResults& results) {
  Measures measures;
  for (SuiteMeasure measure : kSuiteMeasures) measures.push_back(JudgeSuite(results, measure));
  return measures;
}

// Up to so many.
template <typename Value>
std::span<const Value> FirstOf(const std::vector<Value>& values, std::size_t most) {
  return std::span(values).first(std::min(values.size(), most));
}

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

void PutScenario(JsonText& json, const SuiteScenario& scenario) {
  json.BeginObject();
  json.Put("name", scenario.name);
  json.PutJson("config", scenario.config);
  json.BeginObject("traits");
  for (const SuiteTrait& trait : scenario.traits) json.Put(trait.name, trait.value);
  json.End();
  json.BeginList("runs");
  for (const SuiteRun& run : scenario.runs) {
    json.BeginObject();
    PutRun(json, run.figures, RunDetail::kScalars);
    json.Object("stakes", "least", run.stakes.least, "most", run.stakes.most);
    json.End();
  }
  json.End();
  json.BeginList("could_not_run");
  for (const SuiteRefusal& refusal : scenario.refusals)
    json.Row("policy", refusal.policy, "reason", refusal.reason);
  json.End();
  json.End();
}

void PutPolicy(JsonText& json, std::size_t policy, const SuiteResults& results,
               const Measures& measures) {
  // A value of each measure, under its key.
  const auto put = [&](std::string_view name, const auto& value) {
    json.BeginObject(name);
    for (const JudgedMeasure& judged : measures)
      value(KeyOf(judged.measure), judged, judged.policies[policy]);
    json.End();
  };
  const auto put_share = [&](std::string_view name, const auto& share) {
    put(name, [&](std::string_view key, const JudgedMeasure&, const PolicyVerdict& verdict) {
      json.Put(key, verdict.scenarios > 0 ? std::optional(share(verdict)) : std::nullopt);
    });
  };
  json.BeginObject(results.policies[policy]);
  put_share("led", [](const PolicyVerdict& verdict) { return verdict.led; });
  put_share("may_lead", [](const PolicyVerdict& verdict) { return verdict.may_lead; });
  for (const auto& [name, distance] : kDistances)
    put_share(name, [&](const PolicyVerdict& verdict) { return verdict.Within(distance); });
  put("mean_behind", [&](std::string_view key, const JudgedMeasure&, const PolicyVerdict& verdict) {
    json.Put(key, verdict.behind.empty() ? std::nullopt : std::optional(verdict.mean_behind));
  });
  put("losses", [&](std::string_view key, const JudgedMeasure&, const PolicyVerdict& verdict) {
    json.BeginList(key);
    for (const SuiteLoss& loss : FirstOf(verdict.losses, kMostListed))
      json.Row("scenario", results.scenarios[loss.scenario].name, "leader",
               results.policies[loss.leader], "behind", loss.behind);
    json.End();
  });
  put("rivals", [&](std::string_view key, const JudgedMeasure&, const PolicyVerdict& verdict) {
    json.BeginList(key);
    for (const SuiteRival& rival : FirstOf(verdict.rivals, kMostListed))
      json.Row("policy", results.policies[rival.policy], "scenarios", rival.scenarios, "mean_lead",
               rival.mean_lead);
    json.End();
  });
  put("where", [&](std::string_view key, const JudgedMeasure& judged, const PolicyVerdict&) {
    json.BeginList(key);
    for (const TraitVerdict& verdict : VerdictsByTrait(policy, results, judged.scenarios))
      if (verdict.scenarios > 0)
        json.Row("trait", verdict.name, "value", verdict.value, "scenarios", verdict.scenarios,
                 "mean_behind", verdict.mean_behind);
    json.End();
  });
  json.BeginList("could_not_run");
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals) {
      if (refusal.policy == results.policies[policy])
        json.Row("scenario", scenario.name, "reason", refusal.reason);
    }
  }
  json.End();
  json.End();
}

constexpr std::size_t kNameWidth = 20;  // longer names have a line of their own
constexpr const char* kShort[] = {"hits", "min", "kept", "rev"};

// A group of four columns, one for each measure.
std::string Cells(const Measures& measures, std::size_t policy,
                  double (*value)(const PolicyVerdict&), int decimals) {
  std::string text;
  for (const JudgedMeasure& judged : measures) {
    const PolicyVerdict& verdict = judged.policies[policy];
    text += verdict.behind.empty() ? fmt::format("{:>5}", "-")
                                   : fmt::format("{:>5.{}f}", 100 * value(verdict), decimals);
  }
  return text;
}

std::string Row(const SuiteResults& results, const Measures& measures, std::size_t policy) {
  std::string name = results.policies[policy];
  if (name.size() > kNameWidth) name += "\n" + std::string(kNameWidth, ' ');
  std::string row = fmt::format("{:<{}}", name, kNameWidth);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.led; }, 0);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.Within(0.01); }, 0);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.mean_behind; }, 1);
  return row + "\n";
}

std::string Header() {
  std::string text = fmt::format("{:<{}}", "", kNameWidth);
  for (const char* title : {" led, % ", " within 1 point, % ", " points behind "})
    text += fmt::format(" {:-^19}", title);
  text += fmt::format("\n{:<{}}", "policy", kNameWidth);
  for (int group = 0; group < 3; ++group) {
    for (const char* name : kShort) text += fmt::format("{:>5}", name);
  }
  return text + "\n";
}

std::string LossOf(const SuiteResults& results, const JudgedMeasure& judged, std::size_t policy) {
  const PolicyVerdict& verdict = judged.policies[policy];
  if (verdict.losses.empty()) return {};
  const SuiteLoss& loss = verdict.losses.front();
  std::string text =
      fmt::format("  {:<16}{:>5.1f} in {} to {}", TitleOf(judged.measure), 100 * loss.behind,
                  results.scenarios[loss.scenario].name, results.policies[loss.leader]);
  if (!verdict.rivals.empty()) {
    const SuiteRival& rival = verdict.rivals.front();
    text += fmt::format(";\n{:20}most often to {} ({})", "", results.policies[rival.policy],
                        rival.scenarios);
  }
  return text + "\n";
}

// In the first two measures; the page and JSON have the others.
std::string Losses(const SuiteResults& results, const Measures& measures,
                   const std::vector<std::size_t>& order) {
  std::string text =
      "\nWhere each loses most points, and to whom; and who is most often ahead by more\n"
      "than one:\n";
  for (std::size_t policy : order) {
    const std::string lines =
        LossOf(results, measures[0], policy) + LossOf(results, measures[1], policy);
    if (!lines.empty()) text += results.policies[policy] + "\n" + lines;
  }
  return text;
}

// Each policy and reason once.
std::string Refusals(const SuiteResults& results) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals)
      ++counts[{refusal.policy, refusal.reason}];
  }
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{} could not run in {} of {} scenarios: {}\n", what.first, count,
                        results.scenarios.size(), what.second);
  }
  return text;
}

std::string Facts(const SuiteHeading& heading, const SuiteResults& results,
                  const Measures& measures) {
  std::string text = fmt::format("{} scenarios of {}'s seed {}, {} run{} of each policy in each.\n",
                                 results.scenarios.size(), heading.purpose, heading.seed,
                                 heading.seeds, heading.seeds == 1 ? "" : "s");
  text += fmt::format(
      "hits: overall rate; min: worst agreement; kept: promises kept ({} scenarios\n"
      "have some); rev: revenue, from all failed to all served. Leads are shared\n"
      "within {:.1f} points.\n",
      measures[2].scenarios.size(), 100 * kLeadTolerance);
  return text;
}

std::string Share(double share) { return fmt::format("{:.0f} %", 100 * share); }

HtmlTable VerdictTable(const SuiteResults& results, std::span<const JudgedMeasure> measures) {
  HtmlTable table{.caption =
                      "Shares of scenarios in which a policy led, and (below) in which the "
                      "seeds leave it open that it did; was within 1 and 5 points of the "
                      "best; and how many points it is behind on average.",
                  .columns = {"policy"}};
  for (const JudgedMeasure& judged : measures) {
    for (const char* what : {"led", "within 1", "within 5", "behind"})
      table.columns.push_back(fmt::format("{}: {}", TitleOf(judged.measure), what));
  }
  for (std::size_t policy : LeastBehindFirst(measures.front())) {
    std::vector<HtmlCell> row = {{.text = results.policies[policy]}};
    for (const JudgedMeasure& judged : measures) {
      const PolicyVerdict& verdict = judged.policies[policy];
      if (verdict.behind.empty()) {
        row.insert(row.end(), 4, HtmlCell{.text = "\u2013"});
        continue;
      }
      row.push_back({.text = Share(verdict.led), .note = Share(verdict.may_lead)});
      row.push_back({.text = Share(verdict.Within(0.01))});
      row.push_back({.text = Share(verdict.Within(0.05))});
      row.push_back({.text = fmt::format("{:.1f}", 100 * verdict.mean_behind)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable LossTable(const SuiteResults& results, const JudgedMeasure& judged) {
  HtmlTable table{
      .caption = fmt::format("{}: the scenarios in which each policy is furthest behind, with the "
                             "one that led, and those that are most often ahead by more than a "
                             "point.",
                             TitleOf(judged.measure)),
      .columns = {"policy", "loses most", "second", "third", "rival", "second", "third"}};
  constexpr std::size_t kEach = 3;
  for (std::size_t policy : LeastBehindFirst(judged)) {
    const PolicyVerdict& verdict = judged.policies[policy];
    std::vector<HtmlCell> row = {{.text = results.policies[policy]}};
    for (const SuiteLoss& loss : FirstOf(verdict.losses, kEach))
      row.push_back({.text = fmt::format("{:.1f} in {}", 100 * loss.behind,
                                         results.scenarios[loss.scenario].name),
                     .note = "to " + results.policies[loss.leader]});
    row.resize(1 + kEach);
    for (const SuiteRival& rival : FirstOf(verdict.rivals, kEach))
      row.push_back(
          {.text = results.policies[rival.policy],
           .note = fmt::format("{} times, by {:.1f}", rival.scenarios, 100 * rival.mean_lead)});
    row.resize(1 + 2 * kEach);
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable WhereTable(const SuiteResults& results, const JudgedMeasure& judged) {
  HtmlTable table{
      .caption = fmt::format("{}: how many points each policy is behind the best on average, in "
                             "scenarios of each class. Strong: the least of its column.",
                             TitleOf(judged.measure)),
      .columns = {"policy"}};
  std::vector<double> least;
  std::vector<std::vector<TraitVerdict>> verdicts;
  const std::vector<std::size_t> order = LeastBehindFirst(judged);
  for (std::size_t policy : order) {
    verdicts.push_back(VerdictsByTrait(policy, results, judged.scenarios));
    least.resize(verdicts.back().size(), 1e9);
    for (std::size_t t = 0; t < least.size(); ++t) {
      if (verdicts.back()[t].scenarios > 0)
        least[t] = std::min(least[t], verdicts.back()[t].mean_behind);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::vector<HtmlCell> row = {{.text = results.policies[order[i]]}};
    for (std::size_t t = 0; t < least.size(); ++t) {
      const TraitVerdict& verdict = verdicts[i][t];
      if (i == 0)
        table.columns.push_back(
            fmt::format("{}: {} ({})", verdict.name, verdict.value, verdict.scenarios));
      if (verdict.scenarios == 0) {
        row.push_back({.text = "\u2013"});
        continue;
      }
      row.push_back({.text = fmt::format("{:.1f}", 100 * verdict.mean_behind),
                     .strong = verdict.mean_behind <= least[t]});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable ScenarioTable(const SuiteResults& results, std::span<const JudgedMeasure> measures) {
  HtmlTable table{.caption = "Every scenario: what it is like, and who leads in each measure.",
                  .columns = {"scenario"}};
  if (results.scenarios.empty()) return table;
  for (const SuiteTrait& trait : results.scenarios.front().traits)
    table.columns.push_back(trait.name);
  for (const JudgedMeasure& judged : measures) table.columns.emplace_back(TitleOf(judged.measure));
  for (std::size_t s = 0; s < results.scenarios.size(); ++s) {
    std::vector<HtmlCell> row = {{.text = results.scenarios[s].name}};
    for (const SuiteTrait& trait : results.scenarios[s].traits)
      row.push_back({.text = trait.value});
    for (const JudgedMeasure& judged : measures) {
      const auto found = std::ranges::find(judged.scenarios, s, &JudgedScenario::scenario);
      if (found == judged.scenarios.end()) {
        row.push_back({.text = "\u2013"});
        continue;
      }
      const auto leads = std::ranges::count_if(
          found->standings, [](const auto& standing) { return standing && standing->led; });
      row.push_back({.text = fmt::format("{:.1f} %", 100 * found->standings[found->leader]->mean),
                     .note = results.policies[found->leader] +
                             (leads > 1 ? fmt::format(" and {} more", leads - 1) : std::string())});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable RefusalTable(const SuiteResults& results) {
  HtmlTable table{.caption = "Policies that could not run, and why.",
                  .columns = {"policy", "scenario", "why"}};
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals)
      table.Add(refusal.policy, scenario.name, refusal.reason);
  }
  return table;
}

constexpr std::size_t kMostCurves = 8;
constexpr double kFarthest = 0.3;  // what a profile shows

std::string FormatDistance(double distance) { return fmt::format("{:.3g}", 100 * distance); }

// By policy: the same in every figure of a page.
using PolicyStyles = std::vector<SeriesStyle>;

// A step at each distance at which the policy reaches one more scenario.
XySeries ProfileSeries(const std::string& name, const SeriesStyle& style,
                       const PolicyVerdict& verdict) {
  XySeries series{.name = name, .style = style};
  const double each = 1 / static_cast<double>(verdict.scenarios);
  double reached = verdict.Within(0);
  const auto add = [&](double distance, bool mark) {
    series.points.push_back({distance, reached,
                             fmt::format("{}: within {} points in {} of scenarios", name,
                                         FormatDistance(distance), FormatPercent(reached)),
                             mark});
  };
  add(0, true);
  for (double distance : verdict.behind) {
    if (distance <= 0) continue;
    if (distance > kFarthest) break;
    add(distance, false);
    reached += each;
    add(distance, false);
  }
  add(kFarthest, true);
  return series;
}

HtmlFigure ProfileFigure(const SuiteResults& results, const JudgedMeasure& judged,
                         const PolicyStyles& styles) {
  const std::string title(TitleOf(judged.measure));
  XyPlot plot{.label = fmt::format("Profiles of {}, a line for each policy", title),
              .x = {.label = "points behind the best",
                    .range = Range{0, kFarthest},
                    .format = FormatDistance},
              .y = {.label = "share of scenarios", .range = Range{0, 1}, .format = FormatPercent}};
  for (std::size_t policy : LeastBehindFirst(judged)) {
    if (plot.series.size() == kMostCurves || judged.policies[policy].behind.empty()) break;
    plot.series.push_back(
        ProfileSeries(results.policies[policy], styles[policy], judged.policies[policy]));
  }
  return {.name = fmt::format("profile-{}", KeyOf(judged.measure)),
          .title = fmt::format("Within how much of the best: {}", title),
          .svg = DrawXyPlot(plot),
          .caption = fmt::format(
              "In which share of {} scenarios a policy is at most so many points behind the best "
              "one of that scenario. Higher is better; where a line begins, on the left, it is the "
              "best. The {} policies that are least behind on average.",
              judged.scenarios.size(), plot.series.size())};
}

HtmlFigure LeadFigure(const SuiteResults& results, const JudgedMeasure& judged,
                      const PolicyStyles& styles) {
  const std::string title(TitleOf(judged.measure));
  IntervalPlot plot{.label = fmt::format("Scenarios led in {}, a bar for each policy", title),
                    .x = {.label = "share of scenarios led", .format = FormatPercent}};
  for (std::size_t policy : LeastBehindFirst(judged)) {
    const PolicyVerdict& verdict = judged.policies[policy];
    if (verdict.led == 0) continue;
    plot.rows.push_back(
        {results.policies[policy], styles[policy], Estimate{.count = 1, .mean = verdict.led}});
  }
  return {.name = fmt::format("led-{}", KeyOf(judged.measure)),
          .title = fmt::format("Led: {}", title),
          .svg = DrawIntervalPlot(plot),
          .caption = fmt::format("Leads are shared by all that are within {:.1f} points of the "
                                 "best. Those least behind on average stand above.",
                                 100 * kLeadTolerance)};
}

// Those that are least behind differ most.
PolicyStyles StylesOf(const Measures& measures, std::size_t policies) {
  PolicyStyles styles(policies);
  if (measures.empty()) return styles;
  std::size_t next = 0;
  for (std::size_t policy : LeastBehindFirst(measures.front())) styles[policy] = StyleOf(next++);
  return styles;
}

}  // namespace

std::string FormatSuiteJson(const SuiteHeading& heading, const SuiteResults& results) {
  JsonText json(1);
  json.Put("seed", heading.seed, "purpose", heading.purpose, "seeds", heading.seeds, "version",
           heading.version, "lead_tolerance", kLeadTolerance);
  json.BeginList("scenarios");
  for (const SuiteScenario& scenario : results.scenarios) PutScenario(json, scenario);
  json.End();
  json.BeginObject("policies");
  const Measures measures = JudgeAll(results);
  for (std::size_t p = 0; p < results.policies.size(); ++p) PutPolicy(json, p, results, measures);
  json.End();
  return std::move(json).Finish();
}

std::string FormatSuiteTable(const SuiteHeading& heading, const SuiteResults& results) {
  const Measures measures = JudgeAll(results);
  std::string table = Header();
  const std::vector<std::size_t> order = LeastBehindFirst(measures.front());
  for (std::size_t policy : order) table += Row(results, measures, policy);
  return table + Facts(heading, results, measures) + Refusals(results) +
         Losses(results, measures, order);
}

std::string FormatSuitePage(const SuiteHeading& heading, const SuiteResults& results) {
  Measures measures = JudgeAll(results);
  std::erase_if(measures, [](const JudgedMeasure& judged) { return judged.scenarios.empty(); });
  HtmlPage page(fmt::format("Fairlead: the suite, seed {}", heading.seed));
  page.Paragraph(fmt::format(
      "{} policies in {} scenarios that were drawn by chance ({}, seed {}), with {} seed{} each. "
      "Each measure is judged by itself, as distance to the best policy of each scenario.",
      results.policies.size(), results.scenarios.size(), heading.purpose, heading.seed,
      heading.seeds, heading.seeds == 1 ? "" : "s"));
  std::vector<HtmlFigure> profiles;
  std::vector<HtmlFigure> leads;
  const PolicyStyles styles = StylesOf(measures, results.policies.size());
  for (const JudgedMeasure& judged : measures) {
    profiles.push_back(ProfileFigure(results, judged, styles));
    leads.push_back(LeadFigure(results, judged, styles));
  }
  page.Section("Profiles");
  page.Figures(profiles);
  page.Section("Leads");
  page.Figures(leads);
  if (!measures.empty()) {
    page.Section("In numbers");
    page.Table(VerdictTable(results, measures));
    page.Section("Where each loses, and to whom");
    for (const JudgedMeasure& judged : measures) {
      page.Table(WhereTable(results, judged));
      page.Table(LossTable(results, judged));
    }
    page.Section("The scenarios");
    page.Table(ScenarioTable(results, measures));
  }
  if (const HtmlTable refusals = RefusalTable(results); !refusals.rows.empty())
    page.Table(refusals);
  page.Rerun(heading.version, heading.command);
  return std::move(page).Finish();
}

namespace {

constexpr double kClearly = 0.01;  // ahead by a point

std::optional<double> ValueOf(const SuiteRun& run, SuiteMeasure measure) {
  const RunFigures& figures = run.figures;
  switch (measure) {
    case SuiteMeasure::kHitRate: return figures.hit_rate;
    case SuiteMeasure::kWorstAgreement:
      if (figures.agreements.rates.count == 0) return std::nullopt;
      return figures.agreements.rates.min;
    case SuiteMeasure::kMetShare: return figures.agreements.met_share;
    case SuiteMeasure::kRevenue:
      if (run.stakes.most <= run.stakes.least) return std::nullopt;
      return (figures.revenue - run.stakes.least) / (run.stakes.most - run.stakes.least);
  }
  return std::nullopt;
}

// Whether the seeds leave it open that the second is as good as the first.
bool SeedsAllowTie(const std::vector<double>& best, const std::vector<double>& other) {
  if (best.size() != other.size()) return false;
  const Estimate difference = EstimateDifference(best, other, kSummaryConfidence);
  return difference.half_width.has_value() &&
         difference.mean - *difference.half_width <= kLeadTolerance;
}

double MeanOf(const std::vector<double>& values) { return EstimateMean(values).mean; }

std::optional<JudgedScenario> JudgeScenario(const std::vector<std::vector<double>>& values) {
  JudgedScenario judged;
  std::optional<double> best;
  for (std::size_t p = 0; p < values.size(); ++p) {
    judged.standings.emplace_back();
    if (values[p].empty()) continue;
    judged.standings.back() = SuiteStanding{.mean = MeanOf(values[p])};
    if (best.has_value() && judged.standings.back()->mean <= *best) continue;
    best = judged.standings.back()->mean;
    judged.leader = p;
  }
  if (!best.has_value()) return std::nullopt;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (!judged.standings[p].has_value()) continue;
    SuiteStanding& standing = *judged.standings[p];
    standing.behind = *best - standing.mean;
    standing.led = standing.behind <= kLeadTolerance;
    standing.may_lead = standing.led || SeedsAllowTie(values[judged.leader], values[p]);
  }
  return judged;
}

std::vector<SuiteRival> RivalsOf(std::size_t policy, const std::vector<JudgedScenario>& judged) {
  std::map<std::size_t, SuiteRival> rivals;
  for (const JudgedScenario& scenario : judged) {
    const auto& own = scenario.standings[policy];
    if (!own.has_value()) continue;
    for (std::size_t p = 0; p < scenario.standings.size(); ++p) {
      const auto& other = scenario.standings[p];
      if (!other.has_value() || other->mean - own->mean <= kClearly) continue;
      SuiteRival& rival = rivals[p];
      rival.policy = p;
      ++rival.scenarios;
      rival.mean_lead += other->mean - own->mean;
    }
  }
  std::vector<SuiteRival> list;
  for (auto& [p, rival] : rivals) {
    rival.mean_lead /= static_cast<double>(rival.scenarios);
    list.push_back(rival);
  }
  std::ranges::stable_sort(list, [](const SuiteRival& a, const SuiteRival& b) {
    return std::pair(a.scenarios, a.mean_lead) > std::pair(b.scenarios, b.mean_lead);
  });
  return list;
}

}  // namespace

std::string_view KeyOf(SuiteMeasure measure) {
  switch (measure) {
    case SuiteMeasure::kHitRate: return "hit_rate";
    case SuiteMeasure::kWorstAgreement: return "worst_agreement";
    case SuiteMeasure::kMetShare: return "met_share";
    case SuiteMeasure::kRevenue: return "revenue";
  }
  return {};
}

std::string_view TitleOf(SuiteMeasure measure) {
  switch (measure) {
    case SuiteMeasure::kHitRate: return "overall rate";
    case SuiteMeasure::kWorstAgreement: return "worst agreement";
    case SuiteMeasure::kMetShare: return "promises kept";
    case SuiteMeasure::kRevenue: return "revenue";
  }
  return {};
}

ScoreTable ScoresOf(const SuiteResults& results, SuiteMeasure measure) {
  ScoreTable table{.policies = results.policies.size()};
  for (const SuiteScenario& scenario : results.scenarios) {
    std::vector<std::vector<double>> row(results.policies.size());
    std::vector<bool> undefined(results.policies.size());
    for (const SuiteRun& run : scenario.runs) {
      const auto found = std::ranges::find(results.policies, run.figures.policy);
      CHECK(found != results.policies.end());
      const auto policy = static_cast<std::size_t>(found - results.policies.begin());
      if (const auto value = ValueOf(run, measure)) {
        row[policy].push_back(*value);
      } else {
        undefined[policy] = true;
      }
    }
    for (std::size_t p = 0; p < row.size(); ++p) {
      if (undefined[p]) row[p].clear();
    }
    table.values.push_back(std::move(row));
  }
  return table;
}

std::vector<JudgedScenario> JudgeScores(const ScoreTable& scores) {
  std::vector<JudgedScenario> judged;
  for (std::size_t s = 0; s < scores.values.size(); ++s) {
    CHECK(scores.values[s].size() == scores.policies);
    if (auto scenario = JudgeScenario(scores.values[s])) {
      scenario->scenario = s;
      judged.push_back(std::move(*scenario));
    }
  }
  return judged;
}

double PolicyVerdict::Within(double distance) const {
  if (scenarios == 0) return 0;
  const auto near = std::ranges::upper_bound(behind, distance) - behind.begin();
  return static_cast<double>(near) / static_cast<double>(scenarios);
}

PolicyVerdict VerdictOn(std::size_t policy, const std::vector<JudgedScenario>& judged) {
  PolicyVerdict verdict{.scenarios = judged.size()};
  for (const JudgedScenario& scenario : judged) {
    const auto& standing = scenario.standings[policy];
    if (!standing.has_value()) continue;
    verdict.led += standing->led ? 1 : 0;
    verdict.may_lead += standing->may_lead ? 1 : 0;
    verdict.mean_behind += standing->behind;
    verdict.behind.push_back(standing->behind);
    if (!standing->led)
      verdict.losses.push_back({scenario.scenario, scenario.leader, standing->behind});
  }
  if (!judged.empty()) {
    verdict.led /= static_cast<double>(judged.size());
    verdict.may_lead /= static_cast<double>(judged.size());
  }
  if (!verdict.behind.empty()) verdict.mean_behind /= static_cast<double>(verdict.behind.size());
  std::ranges::sort(verdict.behind);
  std::ranges::stable_sort(verdict.losses, std::ranges::greater{}, &SuiteLoss::behind);
  verdict.rivals = RivalsOf(policy, judged);
  return verdict;
}

JudgedMeasure JudgeSuite(const SuiteResults& results, SuiteMeasure measure) {
  JudgedMeasure judged{.measure = measure, .scenarios = JudgeScores(ScoresOf(results, measure))};
  for (std::size_t p = 0; p < results.policies.size(); ++p)
    judged.policies.push_back(VerdictOn(p, judged.scenarios));
  return judged;
}

std::vector<std::size_t> LeastBehindFirst(const JudgedMeasure& judged) {
  std::vector<std::size_t> order(judged.policies.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  std::ranges::stable_sort(order, {}, [&](std::size_t p) {
    const PolicyVerdict& verdict = judged.policies[p];
    return std::pair(verdict.behind.empty(), verdict.mean_behind);
  });
  return order;
}

std::vector<TraitVerdict> VerdictsByTrait(std::size_t policy, const SuiteResults& results,
                                          const std::vector<JudgedScenario>& judged) {
  // Traits in the order in which scenarios name them, their classes by name.
  std::vector<TraitVerdict> verdicts;
  if (results.scenarios.empty()) return verdicts;
  for (std::size_t t = 0; t < results.scenarios.front().traits.size(); ++t) {
    std::map<std::string, TraitVerdict> classes;
    for (const SuiteScenario& scenario : results.scenarios) {
      const SuiteTrait& trait = scenario.traits[t];
      classes[trait.value] = {.name = trait.name, .value = trait.value};
    }
    for (const JudgedScenario& scenario : judged) {
      const auto& standing = scenario.standings[policy];
      if (!standing.has_value()) continue;
      TraitVerdict& verdict = classes[results.scenarios[scenario.scenario].traits[t].value];
      ++verdict.scenarios;
      verdict.mean_behind += standing->behind;
    }
    for (auto& [value, verdict] : classes) {
      if (verdict.scenarios > 0) verdict.mean_behind /= static_cast<double>(verdict.scenarios);
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace fairlead
