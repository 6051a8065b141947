#include "fairlead/report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "fairlead/base/printable.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

using SweepJson = nlohmann::ordered_json;

struct SweptColumn {
  std::string_view title;
  std::string_view unit;
  std::string_view figure;
  double size;
  int decimals;
};
constexpr SweptColumn kSweptColumns[] = {
    {"requests", "", "requests", 1, 0},        {"hits", "%", "hit_rate", 0.01, 1},
    {"worst", "%", "agreements.min", 0.01, 1}, {"met", "%", "agreements.met_share", 0.01, 1},
    {"p99", "ms", "latency.p99", 1e6, 2},      {"memory", "%", "bandwidth_utilisation", 0.01, 1},
};

std::string CellOf(const SweptColumn& column, const PolicySummary& policy) {
  const Estimate estimate = FindEstimate(policy.figures, column.figure);
  if (estimate.count == 0) return "-";
  return fmt::format("{:.{}f}", estimate.mean / column.size, column.decimals);
}

// Columns as wide as what stands in them; texts left, numbers right.
std::string Aligned(const std::vector<std::vector<std::string>>& rows, std::size_t texts) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c < texts ? fmt::format("{:<{}}", row[c], widths[c])
                        : fmt::format("{:>{}}", row[c], widths[c]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string NameOf(const SweepResults& results, const SweptPoint& point) {
  std::string name;
  for (std::size_t k = 0; k < results.keys.size(); ++k)
    name += fmt::format("{}{}={}", k == 0 ? "" : ", ", results.keys[k], point.values[k]);
  return OnOneLine(name);
}

}  // namespace

std::string FormatSweepTable(const SweepResults& results, AgreementsShown shown) {
  std::vector<std::vector<std::string>> rows(2);
  for (const std::string& key : results.keys) {
    // Of a long key its end says what it is.
    const std::size_t dot = key.size() > 20 ? key.find_last_of('.') : std::string::npos;
    rows[0].push_back(OnOneLine(dot == std::string::npos ? key : key.substr(dot + 1)));
    rows[1].emplace_back();
  }
  rows[0].emplace_back("policy");
  rows[1].emplace_back();
  for (const SweptColumn& column : kSweptColumns) {
    rows[0].emplace_back(column.title);
    rows[1].emplace_back(column.unit);
  }
  std::string agreements;
  std::string objectives;
  for (const SweptPoint& point : results.points) {
    for (const PolicySummary& policy : Summarise(point.runs).policies) {
      auto& row = rows.emplace_back();
      for (const std::string& value : point.values) row.push_back(OnOneLine(value));
      row.push_back(policy.policy);
      for (const SweptColumn& column : kSweptColumns) row.push_back(CellOf(column, policy));
    }
    if (shown == AgreementsShown::kAll)
      agreements += NameOf(results, point) + ":\n" + FormatAgreements(point.runs, shown);
    if (const std::string text = FormatObjectives(point.verdicts); !text.empty())
      objectives += NameOf(results, point) + ": " + text;
  }
  return Aligned(rows, results.keys.size() + 1) + agreements + objectives;
}

std::string FormatSweepJson(const SweepResults& results) {
  SweepJson json = {{"keys", results.keys}, {"points", SweepJson::array()}};
  for (const SweptPoint& point : results.points) {
    SweepJson one;
    for (std::size_t k = 0; k < results.keys.size(); ++k)
      one["set"][results.keys[k]] = point.values[k];
    one.update(SweepJson::parse(FormatJson(point.heading, point.runs, point.verdicts)));
    json["points"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, SweepJson::error_handler_t::replace) + "\n";
}

std::string FormatSweepCsv(const SweepResults& results) {
  std::string text = AgreementsCsvHeader(results.keys);
  for (const SweptPoint& point : results.points)
    text += AgreementsCsvLines(point.runs, point.values);
  return text;
}

}  // namespace fairlead
