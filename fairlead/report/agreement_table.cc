#include "fairlead/report/agreement_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/base/printable.h"
#include "fairlead/plots/axis.h"
#include "fairlead/report/agreement_sums.h"

namespace fairlead {
namespace {

constexpr std::size_t kShownOfPage = 400;
constexpr std::size_t kNameWidth = 20;
constexpr std::size_t kFiguresWidth = 44;
constexpr std::size_t kWidestRow = 80;

// Of one agreement under one policy, over seeds.
struct AgreementSum {
  std::string tenant;
  std::string network;
  double runs = 0;
  double targets = 0;
  double promised = 0;  // runs with a target
  double rates = 0;
  double timed = 0;  // runs with a latency
  double p50 = 0;
  double p99 = 0;
  double worst_window = 1;
  OutcomeCounts covered;
  OutcomeCounts all;
  LossFigures lost;

  static bool Concerns(const AgreementFigures& /*agreement*/) { return true; }
  void Add(const AgreementFigures& agreement) {
    ++runs;
    rates += agreement.hit_rate;
    if (agreement.target.has_value()) {
      ++promised;
      targets += *agreement.target;
    }
    if (agreement.latency.has_value()) {
      ++timed;
      p50 += static_cast<double>(agreement.latency->p50);
      p99 += static_cast<double>(agreement.latency->p99);
    }
    worst_window = std::min(worst_window, agreement.worst_window);
    covered += agreement.counts;
    all += agreement.counts;
    all += agreement.uncovered;
    lost += agreement.lost;
  }

  std::string name() const { return OnOneLine(tenant + ": " + network); }
  double rate() const { return rates / runs; }
  double target() const { return targets / promised; }
  double margin() const { return rate() - (promised > 0 ? target() : 1); }
  std::string claim() const {
    if (promised == 0) return "-";
    return std::string(ToString(JudgeClaim(covered.hits(), covered.failures(), target())));
  }
};

std::string Percent(double share) { return fmt::format("{:.1f}", 100 * share); }

// "late 2.4, hopeless 0.5": in percent of all its requests, the most first.
std::string LostTo(const AgreementSum& sum) {
  struct Loss {
    std::string_view why;
    std::int64_t count;
  };
  std::vector<Loss> losses = {{"late", sum.lost.late}};
  for (std::size_t r = 0; r < sum.lost.given_up.size(); ++r) {
    // Reasons of jobs that were given up as late are lateness too.
    if (kReasonNames[r] == "late") {
      losses.front().count += sum.lost.given_up[r];
    } else {
      losses.push_back({kReasonNames[r], sum.lost.given_up[r]});
    }
  }
  std::ranges::stable_sort(losses, std::ranges::greater{}, &Loss::count);
  std::string text;
  for (const Loss& loss : losses) {
    if (loss.count == 0) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loss.why,
                        Percent(static_cast<double>(loss.count) /
                                static_cast<double>(std::max<std::int64_t>(sum.all.ended(), 1))));
  }
  return text;
}

struct TimeUnit {
  std::string_view name;
  double size;
};

TimeUnit UnitFor(const std::vector<std::vector<AgreementSum>>& lists) {
  double largest = 0;
  for (const auto& list : lists) {
    for (const AgreementSum& sum : list)
      if (sum.timed > 0) largest = std::max(largest, sum.p99 / sum.timed);
  }
  constexpr TimeUnit kUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
  for (const TimeUnit& unit : kUnits) {
    if (largest >= unit.size) return unit;
  }
  return {"ns", 1};
}

std::string TimeText(double sum, double count, const TimeUnit& unit) {
  return count > 0 ? fmt::format("{:.2f}", sum / count / unit.size) : "-";
}

std::string Row(const AgreementSum& sum, std::size_t width, const TimeUnit& unit) {
  std::string name = sum.name();
  const std::string lost = LostTo(sum);
  std::string line;
  if (name.size() > width) {
    line = name + "\n";
    name.clear();
  }
  line += fmt::format("{:<{}} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}", name, width,
                      sum.promised > 0 ? Percent(sum.target()) : "-",
                      sum.all.ended() > 0 ? Percent(sum.rate()) : "-", sum.claim(),
                      TimeText(sum.p50, sum.timed, unit), TimeText(sum.p99, sum.timed, unit),
                      sum.all.ended() > 0 ? Percent(sum.worst_window) : "-");
  // As many losses as fit beside each other, the others in lines of their own below.
  const std::size_t indent = width + kFiguresWidth + 2;
  std::size_t column = width + kFiguresWidth;
  for (std::string_view left = lost; !left.empty();) {
    const std::size_t end = std::min(left.find(", "), left.size());
    const bool first = column == width + kFiguresWidth;
    if (!first && column + 2 + end > kWidestRow) {
      line += ",\n" + std::string(indent, ' ');
      column = indent;
    } else {
      line += first ? "  " : ", ";
      column += 2;
    }
    line += left.substr(0, end);
    column += end;
    left.remove_prefix(std::min(end + 2, left.size()));
  }
  return line + "\n";
}

}  // namespace

std::string FormatAgreements(std::span<const RunFigures> runs, AgreementsShown shown) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  std::vector<std::vector<AgreementSum>> lists;
  std::size_t lines = 0;
  std::size_t width = std::string_view("agreement").size();
  for (const PolicyRuns& policy : policies) {
    lists.push_back(SumByAgreement<AgreementSum>(policy));
    lines += lists.back().size();
    for (const AgreementSum& sum : lists.back()) {
      if (const std::size_t length = sum.name().size(); length <= kNameWidth)
        width = std::max(width, length);
    }
  }
  if (lines == 0 || (shown == AgreementsShown::kIfFew && lines > kFewAgreements)) return {};
  const TimeUnit unit = UnitFor(lists);
  std::string text = fmt::format(
      "{:<{}} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}  {}\n{:<{}} {:>6} {:>6} {:>6} {:>7} "
      "{:>7} {:>6}  {}\n",
      "agreement", width, "target", "got", "claim", "p50", "p99", "worst", "lost to", "", width,
      "%", "%", "", unit.name, unit.name, "window", "% of requests");
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (policies.size() > 1) text += policies[p].policy + "\n";
    for (const AgreementSum& sum : lists[p]) text += Row(sum, width, unit);
  }
  return text;
}

std::string AgreementsCsvHeader(std::span<const std::string> keys) {
  std::string text;
  for (const std::string& key : keys) text += CsvField(key) + ",";
  return text +
         "policy,seed,tenant,network,target,hit_rate,claim,requests,hits,late,dropped,rejected,"
         "covered,latency_p50_ns,latency_p99_ns,worst_window,window_violations,lost_to\n";
}

std::string AgreementsCsvLines(std::span<const RunFigures> runs,
                               std::span<const std::string> values) {
  std::string varied;
  for (const std::string& value : values) varied += CsvField(value) + ",";
  std::string text;
  for (const RunFigures& run : runs) {
    for (const AgreementFigures& agreement : run.per_agreement) {
      AgreementSum sum;
      sum.Add(agreement);
      const auto time = [&](std::int64_t Percentiles::*which) {
        return agreement.latency ? std::to_string((*agreement.latency).*which) : std::string();
      };
      text += varied;
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", CsvField(run.policy), run.seed,
          CsvField(agreement.tenant), CsvField(agreement.network),
          agreement.target ? fmt::format("{}", *agreement.target) : "", agreement.hit_rate,
          agreement.claim ? ToString(*agreement.claim) : "", sum.all.ended(), sum.all.hits(),
          sum.all.Of(Outcome::kMiss), sum.all.Of(Outcome::kDropped), sum.all.Of(Outcome::kRejected),
          agreement.counts.ended(), time(&Percentiles::p50), time(&Percentiles::p99),
          agreement.worst_window, agreement.window_violations, CsvField(LostTo(sum)));
    }
  }
  return text;
}

HtmlTable AgreementTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.columns = {"agreement", "policy", "target", "got", "claim", "median latency",
                              "99 % latency", "worst window", "lost to, % of its requests"},
                  .sortable = true};
  struct Line {
    std::string_view policy;
    AgreementSum sum;
  };
  std::vector<Line> lines;
  for (const PolicyRuns& policy : policies) {
    for (AgreementSum& sum : SumByAgreement<AgreementSum>(policy))
      lines.push_back({policy.policy, std::move(sum)});
  }
  std::ranges::stable_sort(lines, {}, [](const Line& line) { return line.sum.margin(); });
  const std::size_t shown = std::min(lines.size(), kShownOfPage);
  const auto time = [](double sum, double count) {
    return count > 0 ? HtmlCell{.text = FormatTime(sum / count), .order = sum / count} : HtmlCell{};
  };
  const auto share = [](double value) {
    return HtmlCell{.text = Percent(value) + " %", .order = value};
  };
  for (const auto& [policy, sum] : std::span(lines).first(shown)) {
    table.rows.push_back({{.text = sum.name()},
                          {.text = std::string(policy)},
                          sum.promised > 0 ? share(sum.target()) : HtmlCell{},
                          share(sum.rate()),
                          {.text = sum.promised > 0 ? sum.claim() : ""},
                          time(sum.p50, sum.timed),
                          time(sum.p99, sum.timed),
                          share(sum.worst_window),
                          {.text = LostTo(sum)}});
  }
  table.caption =
      "Those furthest below their target first; press a heading to sort. Rates and latencies are "
      "means over seeds; a claim is what all counts together prove at 99 %. Lost to: late "
      "(finished too late), hopeless (given up since the deadline could no longer be made), "
      "overload (turned away), uncovered (beyond the contract).";
  if (lines.size() > shown)
    table.caption += fmt::format(" {} more are not shown: -o csv has all.", lines.size() - shown);
  return table;
}

}  // namespace fairlead
