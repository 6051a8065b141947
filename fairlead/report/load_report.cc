#include "fairlead/report/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fairlead/fairness/claims.h"
#include "fairlead/fairness/rate_interval.h"
#include "fairlead/report/policy_names.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

// Beyond this the one who sends is too slow for what it says of the server.
constexpr double kLagging = 5;

RateInterval IntervalOf(const LoadOutcome& outcome) {
  return IntervalOfRate(static_cast<std::int64_t>(outcome.hits),
                        static_cast<std::int64_t>(outcome.covered()));
}

std::string Percent(std::optional<double> rate) {
  return rate.has_value() ? fmt::format("{:.1f}", 100 * *rate) : "-";
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

Json ToJson(const LoadOutcome& outcome) {
  const auto rate = outcome.hit_rate();
  return {{"requests", outcome.requests},
          {"hits", outcome.hits},
          {"late", outcome.late},
          {"refused", outcome.refused},
          {"over_contract", outcome.uncovered},
          {"failed", outcome.failed},
          {"hit_rate", rate.has_value() ? Json(*rate) : Json()},
          {"p50_ms", outcome.p50_ms},
          {"p99_ms", outcome.p99_ms}};
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

// An agreement's name stands in its row, or above it where it is too long, so that rows stay within
// 80 columns.
constexpr std::size_t kLongestAgreementInRow = 20;

std::string AgreementOf(const LoadRow& row) { return row.tenant + ", " + row.network; }

std::string RowText(const LoadRow& row, std::size_t width) {
  const RateInterval interval = IntervalOf(row.live);
  std::string text = NameInRow(AgreementOf(row), width);
  text += fmt::format("{:>9}{:>7}{:>8}{:>7}{:>7}{:>8.2f}{:>8.2f}  {}\n", row.live.requests,
                      Percent(row.live.hit_rate()), Percent(interval.low), Percent(interval.high),
                      row.target.has_value() ? Percent(row.target) : "-", row.live.p50_ms,
                      row.live.p99_ms, WordOf(row));
  if (row.beside.has_value()) {
    const auto difference = DifferenceOf(row);
    text += fmt::format("{:<{}}{:>9}{:>7}{:>15}{:>7}{:>8.2f}{:>8.2f}\n", "  simulated", width, "",
                        Percent(row.beside->hit_rate()),
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
    if (const std::size_t length = AgreementOf(row).size(); length <= kLongestAgreementInRow)
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
  Json json = {{"scenario", figures.scenario},
               {"url", figures.url},
               {"seed", figures.seed},
               {"seconds", figures.seconds},
               {"lag_ms", {{"p99", figures.lag_p99_ms}, {"max", figures.lag_max_ms}}},
               {"connections", figures.connections},
               {"interrupted", figures.interrupted},
               {"simulated_policy", figures.policy.empty() ? Json() : Json(figures.policy)},
               {"agreements", Json::array()}};
  for (const LoadRow& row : figures.rows) {
    const RateInterval interval = IntervalOf(row.live);
    Json entry = {{"tenant", row.tenant},
                  {"network", row.network},
                  {"target", row.target.has_value() ? Json(*row.target) : Json()}};
    entry.update(ToJson(row.live));
    entry["hit_rate_interval"] = {interval.low, interval.high};
    entry["verdict"] = row.target.has_value() ? Json(WordOf(row)) : Json();
    entry["reasons"] = Json::object();
    for (const auto& [reason, count] : row.reasons) entry["reasons"][reason] = count;
    if (row.beside.has_value()) {
      entry["simulated"] = ToJson(*row.beside);
      entry["simulated"]["hit_rate_range"] = {row.beside_least, row.beside_most};
      const auto difference = DifferenceOf(row);
      entry["difference_points"] = difference.has_value() ? Json(*difference) : Json();
    }
    json["agreements"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
