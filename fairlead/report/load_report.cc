#include "fairlead/report/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fairlead/fairness/claims.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

// Beyond this the one who sends is too slow for what it says of the server.
constexpr double kLagging = 5;

RateInterval IntervalOf(const LoadOutcome& outcome) {
  return IntervalOfRate(static_cast<std::int64_t>(outcome.hits),
                        static_cast<std::int64_t>(outcome.covered()));
}

// In points: live less simulated.
std::optional<double> DifferenceOf(const LoadRow& row) {
  if (!row.beside.has_value()) return std::nullopt;
  const auto live = row.live.hit_rate();
  const auto foretold = row.beside->hit_rate();
  if (!live.has_value() || !foretold.has_value()) return std::nullopt;
  return 100 * (*live - *foretold);
}

std::string_view WordOf(const LoadRow& row) {
  if (!row.target.has_value()) return "";
  switch (JudgeClaim(static_cast<std::int64_t>(row.live.hits),
                     static_cast<std::int64_t>(row.live.covered() - row.live.hits), *row.target)) {
    case Claim::kHolds: return "kept";
    case Claim::kBroken: return "broken";
    case Claim::kOpen: break;
  }
  return "open";
}

std::string Reasons(const LoadRow& row) {
  std::string text;
  for (const auto& [reason, count] : row.reasons)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
  return text;
}

void PutOutcome(JsonText& json, const LoadOutcome& outcome) {
  json.Put("requests", outcome.requests, "hits", outcome.hits, "late", outcome.late, "refused",
           outcome.refused, "over_contract", outcome.uncovered, "failed", outcome.failed,
           "hit_rate", outcome.hit_rate(), "p50_ms", outcome.p50_ms, "p99_ms", outcome.p99_ms);
}

struct Farthest {
  double points = 0;
  const LoadRow* row = nullptr;
};

Farthest FarthestOf(const LoadFigures& figures) {
  Farthest farthest;
  for (const LoadRow& row : figures.rows) {
    const auto difference = DifferenceOf(row);
    if (!difference.has_value()) continue;
    if (farthest.row == nullptr || std::abs(*difference) > std::abs(farthest.points))
      farthest = {*difference, &row};
  }
  return farthest;
}

std::string AgreementOf(const LoadRow& row) { return row.tenant + ", " + row.network; }

std::string RowText(const LoadRow& row, std::size_t width) {
  const RateInterval interval = IntervalOf(row.live);
  std::string text = NameInRow(AgreementOf(row), width);
  text +=
      fmt::format("{:>9}{:>7}{:>8}{:>7}{:>7}{:>8.2f}{:>8.2f}  {}\n", row.live.requests,
                  InPercent(row.live.hit_rate()), InPercent(interval.low), InPercent(interval.high),
                  InPercent(row.target), row.live.p50_ms, row.live.p99_ms, WordOf(row));
  if (row.beside.has_value()) {
    const auto difference = DifferenceOf(row);
    text += fmt::format("{:<{}}{:>9}{:>7}{:>15}{:>7}{:>8.2f}{:>8.2f}\n", "  simulated", width, "",
                        InPercent(row.beside->hit_rate()),
                        difference.has_value() ? fmt::format("{:+.1f} points", *difference) : "-",
                        "", row.beside->p50_ms, row.beside->p99_ms);
  }
  if (!row.reasons.empty()) text += fmt::format("    {}\n", Reasons(row));
  return text;
}

}  // namespace

std::string FormatLoad(const LoadFigures& figures) {
  std::size_t width = std::string_view("tenant, network").size();
  for (const LoadRow& row : figures.rows) {
    if (const std::size_t length = AgreementOf(row).size(); length <= kLongestNameInRow)
      width = std::max(width, length);
  }
  std::string text = fmt::format("{} at {}: {:.1f} s with seed {}\n", figures.scenario, figures.url,
                                 figures.seconds, figures.seed);
  if (!figures.policy.empty())
    text += fmt::format("simulated ({}): beside it, how far live lies above\n", figures.policy);
  text += fmt::format("{:<{}}{:>9}{:>7}{:>15}{:>7}{:>8}{:>8}\n", "tenant, network", width,
                      "requests", "hits %", "95 %: from, to", "target", "p50 ms", "p99 ms");
  for (const LoadRow& row : figures.rows) text += RowText(row, width);
  text += fmt::format(
      "Sent {:.2f} ms late at most (99 %: {:.2f} ms), on up to {} connections; "
      "latencies count from when a request should have been sent.\n",
      figures.lag_max_ms, figures.lag_p99_ms, figures.connections);
  if (figures.lag_p99_ms > kLagging)
    text += "The sender was too slow: what is above says more of it than of the server.\n";
  if (const Farthest farthest = FarthestOf(figures); farthest.row != nullptr)
    text += fmt::format(
        "The simulation is off by {:.1f} points at most ({} on {}). With costs {:.0f} % lower or "
        "higher it says {:.1f} to {:.1f} there.\n",
        std::abs(farthest.points), farthest.row->tenant, farthest.row->network, 100 * kCostDoubt,
        100 * farthest.row->beside_least, 100 * farthest.row->beside_most);
  if (figures.interrupted) text += "Interrupted: these are the requests up to then.\n";
  return text;
}

std::string LoadJson(const LoadFigures& figures) {
  JsonText json;
  json.Put("scenario", figures.scenario, "url", figures.url, "seed", figures.seed, "seconds",
           figures.seconds);
  json.Object("lag_ms", "p99", figures.lag_p99_ms, "max", figures.lag_max_ms);
  json.Put("connections", figures.connections, "interrupted", figures.interrupted,
           "simulated_policy",
           figures.policy.empty() ? std::nullopt : std::optional(figures.policy));
  json.BeginList("agreements");
  for (const LoadRow& row : figures.rows) {
    const RateInterval interval = IntervalOf(row.live);
    json.BeginObject();
    json.Put("tenant", row.tenant, "network", row.network, "target", row.target);
    PutOutcome(json, row.live);
    json.Put("hit_rate_interval", std::vector{interval.low, interval.high}, "verdict",
             row.target.has_value() ? std::optional(WordOf(row)) : std::nullopt);
    json.BeginObject("reasons");
    for (const auto& [reason, count] : row.reasons) json.Put(reason, count);
    json.End();
    if (row.beside.has_value()) {
      json.BeginObject("simulated");
      PutOutcome(json, *row.beside);
      json.Put("hit_rate_range", std::vector{row.beside_least, row.beside_most});
      json.End();
      json.Put("difference_points", DifferenceOf(row));
    }
    json.End();
  }
  return std::move(json).Finish();
}

}  // namespace fairlead
