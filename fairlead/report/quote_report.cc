#include "fairlead/report/quote_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/text_table.h"

namespace fairlead {

namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kAgreementWidth = 34;
constexpr std::size_t kPlatformWidth = 30;  // so that rows stay within 80 columns

// ---- Words ---------------------------------------------------------------------------------

// Above its promise, by the best that is known; best effort last.
double Distance(const QuotedAgreement& agreement) {
  if (!agreement.promised.has_value()) return 2;
  if (agreement.margin.has_value()) return *agreement.margin;
  return agreement.lowest.value_or(1) - *agreement.promised;
}

// To three digits.
double RoundedDown(double value) {
  const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::floor(value / digit) * digit;
}

std::string OfferedRate(const QuoteResults& results) {
  // No more than was judged.
  if (results.rate.has_value()) return fmt::format("{:g}/s", RoundedDown(*results.rate));
  return fmt::format("{:.0f} % of the rates", std::floor(100 * *results.rate_share));
}

std::string OfferedTarget(const QuoteResults& results) {
  if (results.target.has_value()) return fmt::format("a target of {:.1f} %", 100 * *results.target);
  return fmt::format("targets {:.1f} points lower", -100 * *results.target_change);
}

std::string AnswerInWords(const QuoteResults& results) {
  if (results.answer != QuoteAnswer::kAtMost) return std::string(ToString(results.answer));
  std::string text = "at most ";
  if (results.rate_share.has_value()) text += OfferedRate(results);
  if (results.rate_share.has_value() && results.target_change.has_value()) text += ", or ";
  if (results.target_change.has_value()) text += OfferedTarget(results);
  return text + fmt::format(", kept with {:.0f} % confidence", 100 * results.confidence);
}

std::string MethodInWords(const QuoteResults& results) {
  if (results.block_s.has_value()) {
    return fmt::format(
        "The traffic of seed {}, {:.4g} s, is the recording; {} others were put together of its "
        "blocks of {:.3g} s (seeds to {}); {} were simulated under {}, two of the heaviest first.",
        results.first_seed, results.horizon_s, results.drawn - 1, *results.block_s,
        results.first_seed + static_cast<std::uint64_t>(results.drawn) - 1, results.trials.size(),
        results.policy);
  }
  return fmt::format(
      "{} traffics of {:g} s were drawn (seeds {} to {}), {} of them simulated under {}, two of "
      "the heaviest first.",
      results.drawn, results.horizon_s, results.first_seed,
      results.first_seed + static_cast<std::uint64_t>(results.drawn) - 1, results.trials.size(),
      results.policy);
}

// Those asked for first, then who is hurt, then who breaks, then by how near they are to their
// promise.
std::vector<const QuotedAgreement*> MostAtStakeFirst(const QuoteResults& results) {
  std::vector<const QuotedAgreement*> order;
  for (const QuotedAgreement& agreement : results.agreements) order.push_back(&agreement);
  std::ranges::stable_sort(order, {}, [](const QuotedAgreement* agreement) {
    return std::tuple(!agreement->asked, !agreement->hurt, !agreement->breaks,
                      Distance(*agreement));
  });
  return order;
}

std::string PlatformInWords(const ProvisionResults& results, const TriedPlatform& platform) {
  std::string text;
  for (std::size_t kind = 0; kind < results.kinds.size(); ++kind) {
    if (platform.counts[kind] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", platform.counts[kind],
                        results.kinds[kind]);
  }
  return text;
}

std::string_view ToString(TriedPlatform::Verdict verdict) {
  switch (verdict) {
    case TriedPlatform::Verdict::kCannotRun: return "cannot run";
    case TriedPlatform::Verdict::kProvablyNot: return "provably not";
    case TriedPlatform::Verdict::kBroken: return "broken";
    case TriedPlatform::Verdict::kUncertain: return "uncertain";
    case TriedPlatform::Verdict::kKeeps: return "keeps";
  }
  return "?";
}

std::string VerdictInWords(const TriedPlatform& tried) {
  const bool keeps = tried.verdict == TriedPlatform::Verdict::kKeeps;
  if (keeps || tried.weakest.empty()) return std::string(ToString(tried.verdict));
  return fmt::format("{}: {}", ToString(tried.verdict), tried.weakest);
}

// ---- JSON ----------------------------------------------------------------------------------

void PutAgreement(JsonText& json, const QuotedAgreement& one) {
  json.Row("tenant", one.tenant, "network", one.network, "asked", one.asked, "promised",
           one.promised, "rate", one.rate, "lowest", one.lowest, "mean", one.mean, "low", one.low,
           "high", one.high, "margin", one.margin, "broken", one.broken, "hurt", one.hurt, "breaks",
           one.breaks);
}

void PutNames(JsonText& json, std::string_view key, const QuoteResults& results,
              bool QuotedAgreement::*chosen) {
  json.BeginList(key);
  for (const QuotedAgreement& one : results.agreements)
    if (one.*chosen) json.Row("tenant", one.tenant, "network", one.network);
  json.End();
}

void PutTraffic(JsonText& json, const QuoteResults& results) {
  json.BeginObject("traffic");
  json.Put("first_seed", results.first_seed, "drawn", results.drawn, "horizon_s", results.horizon_s,
           "recorded", results.block_s.has_value(), "block_s", results.block_s);
  json.BeginList("simulated");
  for (const QuoteTrial& trial : results.trials) {
    json.BeginObject();
    json.Put("seed", trial.seed, "weight", trial.weight, "heavy", trial.heavy, "worst_margin",
             trial.worst);
    if (trial.worst_agreement.has_value()) {
      const QuotedAgreement& worst = results.agreements[*trial.worst_agreement];
      json.Object("worst_agreement", "tenant", worst.tenant, "network", worst.network);
    } else {
      json.Put("worst_agreement", nullptr);
    }
    json.Put("broken", trial.broken);
    json.End();
  }
  json.End();
  json.End();
}

template <typename Value>
void PutByKind(JsonText& json, std::string_view key, const ProvisionResults& results,
               const std::vector<Value>& values) {
  json.BeginObject(key);
  for (std::size_t kind = 0; kind < results.kinds.size(); ++kind)
    json.Put(results.kinds[kind], values[kind]);
  json.End();
}

void PutTried(JsonText& json, const ProvisionResults& results, const TriedPlatform& tried) {
  PutByKind(json, "platform", results, tried.counts);
  json.Put("cost", tried.cost, "verdict", ToString(tried.verdict), "kept", tried.kept, "worst",
           tried.worst, "weakest",
           tried.weakest.empty() ? std::nullopt : std::optional(tried.weakest), "worst_margin",
           tried.worst_margin);
}

std::optional<double> Gain(const std::optional<double>& after,
                           const std::optional<double>& before) {
  if (!after.has_value() || !before.has_value()) return std::nullopt;
  return *after - *before;
}

// ---- Text ----------------------------------------------------------------------------------

std::string Row(const QuotedAgreement& agreement) {
  std::string name = agreement.tenant + " " + agreement.network;
  if (name.size() > kAgreementWidth) name += "\n" + std::string(kAgreementWidth, ' ');
  std::string fate;
  if (agreement.asked) fate = "asked for";
  if (agreement.hurt) fate = "hurt";
  if (agreement.breaks) fate += fate.empty() ? "breaks" : ", breaks";
  return fmt::format("{:<{}}{:>9}{:>9.4g}{:>11}{:>8}{:>13}  {}\n", name, kAgreementWidth,
                     InPercent(agreement.promised), agreement.rate, InPercent(agreement.lowest),
                     InPercent(agreement.mean),
                     agreement.low.has_value()
                         ? fmt::format("{:.1f}-{:.1f}", 100 * *agreement.low, 100 * *agreement.high)
                         : "-",
                     fate);
}

std::string Row(std::string name, const TriedPlatform& tried) {
  if (name.size() > kPlatformWidth) name += "\n" + std::string(kPlatformWidth, ' ');
  std::string row =
      fmt::format("{:<{}}{:>8.4g}{:>8}{:>9}{:>11}  ", name, kPlatformWidth, tried.cost,
                  InPercent(tried.kept), InPercent(tried.worst), InPercent(tried.worst_margin));
  const std::string verdict = VerdictInWords(tried);
  const bool fits = row.size() - (row.rfind('\n') + 1) + verdict.size() <= 80;
  row += fits ? verdict : std::string(ToString(tried.verdict)) + "\n    " + tried.weakest;
  return row + "\n";
}

std::string Header(std::string_view what) {
  return fmt::format("\n{:<{}}{:>8}{:>8}{:>9}{:>11}\n{:<{}}{:>8}{:>8}{:>9}{:>11}\n", what,
                     kPlatformWidth, "cost", "kept", "worst", "predicted", "", kPlatformWidth, "",
                     "%", "points", "points");
}

// ---- Pages ---------------------------------------------------------------------------------

// From promise to promise, in the order of the table.
HtmlFigure SharesFigure(const std::vector<const QuotedAgreement*>& order) {
  XyPlot plot{.label = "shares of hits beside promises, with what is predicted for a new traffic",
              .x = {.label = "agreements, in the order of the table"},
              .y = {.label = "share of hits", .format = FormatPercent}};
  XySeries promises{.name = "promised", .style = kBoundStyle, .line = false};
  XySeries means{.name = "predicted mean", .style = StyleOf(0), .line = false};
  XySeries lowest{.name = "lowest simulated", .style = StyleOf(1), .line = false};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const QuotedAgreement& agreement = *order[i];
    const double x = static_cast<double>(i + 1);
    const std::string name = agreement.tenant + " " + agreement.network;
    const auto add = [&](XySeries& series, const std::optional<double>& share) {
      if (!share.has_value()) return;
      series.points.push_back(
          {.x = x, .y = *share, .title = fmt::format("{}: {}", name, FormatPercent(*share))});
    };
    add(promises, agreement.promised);
    add(means, agreement.mean);
    add(lowest, agreement.lowest);
    if (!agreement.low.has_value()) continue;
    plot.series.push_back(
        {.style = StyleOf(0),
         .points = {{.x = x, .y = *agreement.low}, {.x = x, .y = *agreement.high}},
         .marks = false,
         .line_width = 1.2});
  }
  for (XySeries* series : {&lowest, &means, &promises}) {
    if (!series->points.empty()) plot.series.push_back(std::move(*series));
  }
  return {.name = "shares",
          .title = "Shares beside promises",
          .svg = DrawXyPlot(plot),
          .caption =
              "A vertical line spans what a new traffic will bring: it lies above the lower "
              "end with 99 % confidence, and below the upper end with 99 %. A promise is "
              "safe where its mark lies below the line."};
}

// Margins over something, each in one of two series, beside a line at 0 below which a promise is
// broken.
class Margins {
 public:
  Margins(std::string first, std::string second, std::size_t style, double x)
      : range_{x, x},
        series_{XySeries{.name = std::move(first), .style = StyleOf(style), .line = false},
                XySeries{.name = std::move(second), .style = StyleOf(style + 1), .line = false}} {}

  void Add(bool second, double x, const std::optional<double>& margin, std::string_view what) {
    if (!margin.has_value()) return;
    range_ = range_.With(x);
    series_[second ? 1 : 0].points.push_back(
        {.x = x, .y = *margin, .title = fmt::format("{}: {}", what, FormatPercent(*margin))});
  }
  std::string Draw(std::string label, std::string x) {
    XyPlot plot{.label = std::move(label),
                .x = {.label = std::move(x)},
                .y = {.label = "worst share minus its promise", .format = FormatPercent}};
    plot.series.push_back({.style = kBoundStyle,
                           .points = {{.x = range_.low, .y = 0}, {.x = range_.high, .y = 0}},
                           .marks = false});
    for (XySeries& series : series_)
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    return DrawXyPlot(plot);
  }

 private:
  Range range_;
  std::array<XySeries, 2> series_;
};

HtmlFigure TrialsFigure(const QuoteResults& results) {
  Margins margins("simulated", "simulated, heaviest", 0, results.trials.front().weight);
  for (const QuoteTrial& trial : results.trials)
    margins.Add(trial.heavy, trial.weight, trial.worst, fmt::format("seed {}", trial.seed));
  return {.name = "traffics",
          .title = "The worst promise on each traffic",
          .svg = margins.Draw("the worst margin of each simulated traffic over its weight",
                              "weight of the traffic: promised work over what the platform does"),
          .caption =
              "Below the dotted line a promise is broken. A new traffic is predicted along "
              "the line through these points, at the weights of all that were drawn."};
}

HtmlFigure PlatformsFigure(const ProvisionResults& results) {
  Margins margins("does not keep all", "keeps all", 1, results.current.cost);
  const auto add = [&](const TriedPlatform& tried) {
    margins.Add(tried.verdict == TriedPlatform::Verdict::kKeeps, tried.cost, tried.worst,
                PlatformInWords(results, tried));
  };
  for (const TriedPlatform& tried : results.tried) add(tried);
  add(results.current);
  for (const TriedPlatform& tried : results.next) add(tried);
  return {.name = "platforms",
          .title = "What platforms cost, and how far they are from their promises",
          .svg = margins.Draw("the worst margin of each platform that was simulated over its cost",
                              "cost"),
          .caption =
              "The promise that fares worst, on the traffics that were simulated. Below the "
              "dotted line it is broken; a little above, a new traffic may break it."};
}

HtmlTable AgreementsTable(const std::vector<const QuotedAgreement*>& order) {
  HtmlTable table{.caption = "Shares in %, rates in requests per second.",
                  .columns = {"agreement", "promised", "rate", "lowest simulated", "predicted mean",
                              "99 % above", "99 % below", "broken on", ""}};
  for (const QuotedAgreement* one : order)
    table.Add(one->tenant + " " + one->network, InPercent(one->promised),
              fmt::format("{:.4g}", one->rate), InPercent(one->lowest), InPercent(one->mean),
              InPercent(one->low), InPercent(one->high), std::to_string(one->broken),
              one->hurt    ? "hurt"
              : one->asked ? "asked for"
                           : "");
  return table;
}

HtmlTable PlatformTable(std::string caption) {
  return {.caption = std::move(caption),
          .columns = {"platform", "cost", "promises kept", "worst margin", "predicted margin",
                      "verdict"}};
}

void AddPlatform(HtmlTable& table, std::string name, const TriedPlatform& tried) {
  table.Add(std::move(name), fmt::format("{:.4g}", tried.cost), InPercent(tried.kept),
            InPercent(tried.worst), InPercent(tried.worst_margin), VerdictInWords(tried));
}

}  // namespace

std::string FormatQuoteJson(const QuoteHeading& heading, const QuoteResults& results) {
  JsonText json(1);
  json.Put("answer", ToString(results.answer), "target", results.target, "rate", results.rate,
           "confidence", results.confidence, "reason", results.reason);
  PutNames(json, "hurts", results, &QuotedAgreement::hurt);
  PutNames(json, "breaks", results, &QuotedAgreement::breaks);
  json.Put("rate_share", results.rate_share, "target_change", results.target_change, "proven",
           results.proven, "worst_margin", results.worst_margin, "policy", results.policy,
           "scenario", heading.scenario, "version", heading.version);
  PutTraffic(json, results);
  json.BeginList("agreements");
  for (const QuotedAgreement& agreement : results.agreements) PutAgreement(json, agreement);
  json.End();
  return std::move(json).Finish();
}

std::string FormatQuoteTable(const QuoteHeading& heading, const QuoteResults& results) {
  std::string text =
      fmt::format("{}: {}\n{}.\n\n", heading.scenario, AnswerInWords(results), results.reason);
  text += fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "", kAgreementWidth, "", "",
                      "simulated", "new", "99 %");
  text += fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "agreement", kAgreementWidth,
                      "promise", "rate", "lowest", "mean", "interval");
  text += fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "", kAgreementWidth, "%", "/s", "%",
                      "%", "%");
  const auto order = MostAtStakeFirst(results);
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) text += Row(*order[i]);
  if (order.size() > kMostRows)
    text += fmt::format("and {} more: -o json and --report have all\n", order.size() - kMostRows);
  const auto hurt = std::ranges::count_if(results.agreements, &QuotedAgreement::hurt);
  if (hurt > 0)
    text += fmt::format("{} {} kept without it, and not with it.\n", hurt,
                        hurt == 1 ? "promise is" : "promises are");
  return text + MethodInWords(results) + "\n";
}

std::string FormatQuotePage(const QuoteHeading& heading, const QuoteResults& results) {
  HtmlPage page(fmt::format("Fairlead: a quote for {}", heading.scenario));
  page.Paragraph(fmt::format("Can it be signed? {}.", AnswerInWords(results)));
  page.Paragraph(results.reason + ".");
  page.Paragraph(MethodInWords(results));
  const auto order = MostAtStakeFirst(results);
  page.Figures(std::vector<HtmlFigure>{SharesFigure(order), TrialsFigure(results)});
  page.Section("Agreements");
  page.Table(AgreementsTable(order));
  page.Rerun(heading.version, heading.command);
  return std::move(page).Finish();
}

std::string FormatProvisionJson(const QuoteHeading& heading, const ProvisionResults& results) {
  JsonText json(1);
  if (results.smallest.has_value()) {
    const TriedPlatform& found = results.tried[*results.smallest];
    PutByKind(json, "platform", results, found.counts);
    json.Put("cost", found.cost);
  } else {
    json.Put("platform", nullptr, "cost", nullptr);
  }
  json.Put("confidence", results.confidence, "reason", results.reason, "policy", results.policy,
           "scenario", heading.scenario, "version", heading.version);
  PutByKind(json, "costs", results, results.costs);
  json.Put("max", results.most, "excluded", results.excluded);
  json.Object("traffic", "first_seed", results.first_seed, "drawn", results.drawn, "simulated",
              results.simulated);
  json.BeginObject("current");
  PutTried(json, results, results.current);
  json.End();
  json.BeginList("next");
  for (std::size_t kind = 0; kind < results.next.size(); ++kind) {
    const TriedPlatform& next = results.next[kind];
    json.BeginObject();
    PutTried(json, results, next);
    json.Put("adds", results.kinds[kind], "kept_gain", Gain(next.kept, results.current.kept),
             "margin_gain", Gain(next.worst, results.current.worst));
    json.End();
  }
  json.End();
  json.BeginList("tried");
  for (const TriedPlatform& tried : results.tried) {
    json.BeginObject();
    PutTried(json, results, tried);
    json.End();
  }
  json.End();
  return std::move(json).Finish();
}

std::string FormatProvisionTable(const QuoteHeading& heading, const ProvisionResults& results) {
  std::string text = heading.scenario + ": ";
  if (results.smallest.has_value()) {
    const TriedPlatform& found = results.tried[*results.smallest];
    text += fmt::format("{} (cost {:.4g})\n", PlatformInWords(results, found), found.cost);
  } else {
    text += "none\n";
  }
  text += results.reason + ".\n";
  text += Header("what one more buys");
  text += Row("now: " + PlatformInWords(results, results.current), results.current);
  for (std::size_t kind = 0; kind < results.next.size(); ++kind)
    text += Row("one more " + results.kinds[kind], results.next[kind]);
  text += Header("platforms that were simulated");
  const std::size_t first = results.tried.size() - std::min(results.tried.size(), kMostRows);
  if (first > 0) text += fmt::format("{} cheaper ones: -o json has all\n", first);
  for (std::size_t i = first; i < results.tried.size(); ++i)
    text += Row(PlatformInWords(results, results.tried[i]), results.tried[i]);
  return text + fmt::format(
                    "The worst promise is so many points above its target, on simulated traffic\n"
                    "and as predicted. Under {}; {} traffics drawn from seed {} on,\n"
                    "up to {} simulated; {} platforms excluded by the bound.\n",
                    results.policy, results.drawn, results.first_seed, results.simulated,
                    results.excluded);
}

std::string FormatProvisionPage(const QuoteHeading& heading, const ProvisionResults& results) {
  HtmlPage page(fmt::format("Fairlead: a platform for {}", heading.scenario));
  const std::string found = results.smallest.has_value()
                                ? PlatformInWords(results, results.tried[*results.smallest])
                                : "none";
  page.Paragraph(fmt::format("The smallest platform: {}. {}.", found, results.reason));
  page.Figures(std::vector<HtmlFigure>{PlatformsFigure(results)});
  page.Section("What one more buys");
  HtmlTable next =
      PlatformTable("Beside the scenario's own platform. Kept in %, margins in points.");
  AddPlatform(next, "now: " + PlatformInWords(results, results.current), results.current);
  for (std::size_t kind = 0; kind < results.next.size(); ++kind)
    AddPlatform(next, "one more " + results.kinds[kind], results.next[kind]);
  page.Table(next);
  page.Section("Platforms that were simulated");
  HtmlTable tried = PlatformTable("The cheapest first.");
  for (const TriedPlatform& platform : results.tried)
    AddPlatform(tried, PlatformInWords(results, platform), platform);
  page.Table(tried);
  page.Rerun(heading.version, heading.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
