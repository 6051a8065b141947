#include "fairlead/report/agreement_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/base/printable.h"
#include "fairlead/plots/plot_frame.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

constexpr std::size_t kShownOfPage = 400;
constexpr std::size_t kShownOfPolicy = 20;
constexpr std::size_t kFiguresWidth = 44;

// Whom a sum is about.
struct Named {
  std::string tenant;
  std::string network;

  std::string name() const { return tenant + ": " + network; }
};

// What the runs of a policy say of each agreement, by name: one Sum for each that it concerns in
// any run. A Sum is Named and has the functions `Concerns` and `Add` of AgreementFigures.
template <typename Sum>
std::vector<Sum> SumByAgreement(const PolicyRuns& policy) {
  std::map<std::pair<std::string_view, std::string_view>, Sum> by_name;
  for (const RunFigures* run : policy.runs) {
    for (const AgreementFigures& agreement : run->per_agreement) {
      if (!Sum::Concerns(agreement)) continue;
      Sum& sum = by_name[{agreement.tenant, agreement.network}];
      sum.tenant = agreement.tenant;
      sum.network = agreement.network;
      sum.Add(agreement);
    }
  }
  std::vector<Sum> list;
  for (auto& [name, sum] : by_name) list.push_back(std::move(sum));
  return list;
}

// Of one agreement under one policy, over seeds.
struct AgreementSum : Named {
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

  double rate() const { return rates / runs; }
  double target() const { return targets / promised; }
  double margin() const { return rate() - (promised > 0 ? target() : 1); }
  std::string claim() const {
    if (promised == 0) return "-";
    return std::string(ToString(JudgeClaim(covered.hits(), covered.failures(), target())));
  }
};

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
                        InPercent(static_cast<double>(loss.count) /
                                  static_cast<double>(std::max<std::int64_t>(sum.all.ended(), 1))));
  }
  return text;
}

TimeUnit UnitFor(const std::vector<std::vector<AgreementSum>>& lists) {
  double largest = 0;
  for (const auto& list : lists) {
    for (const AgreementSum& sum : list)
      if (sum.timed > 0) largest = std::max(largest, sum.p99 / sum.timed);
  }
  return TimeUnitFor(largest);
}

std::string TimeText(double sum, double count, const TimeUnit& unit) {
  return count > 0 ? fmt::format("{:.2f}", sum / count / unit.size) : "-";
}

std::string Row(const AgreementSum& sum, std::size_t width, const TimeUnit& unit) {
  std::string name = OnOneLine(sum.name());
  const std::string lost = LostTo(sum);
  std::string line;
  if (name.size() > width) {
    line = name + "\n";
    name.clear();
  }
  line += fmt::format("{:<{}} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}", name, width,
                      sum.promised > 0 ? InPercent(sum.target()) : "-",
                      sum.all.ended() > 0 ? InPercent(sum.rate()) : "-", sum.claim(),
                      TimeText(sum.p50, sum.timed, unit), TimeText(sum.p99, sum.timed, unit),
                      sum.all.ended() > 0 ? InPercent(sum.worst_window) : "-");
  // As many losses as fit beside each other, the others in lines of their own below.
  const std::size_t indent = width + kFiguresWidth + 2;
  std::size_t column = width + kFiguresWidth;
  for (std::string_view left = lost; !left.empty();) {
    const std::size_t end = std::min(left.find(", "), left.size());
    const bool first = column == width + kFiguresWidth;
    if (!first && column + 2 + end > kTextWidth) {
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
      if (const std::size_t length = OnOneLine(sum.name()).size(); length <= kLongestNameInRow)
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
    return HtmlCell{.text = InPercent(value) + " %", .order = value};
  };
  for (const auto& [policy, sum] : std::span(lines).first(shown)) {
    table.rows.push_back({{.text = OnOneLine(sum.name())},
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

// ---- Promises of a kind --------------------------------------------------------------------

namespace {

// Of such a Sum there is more: Join adds another, Order sorts those first that matter most.
template <typename Sum>
std::vector<Sum> MostFirst(const PolicyRuns& policy) {
  std::vector<Sum> list = SumByAgreement<Sum>(policy);
  std::ranges::stable_sort(list, {}, &Sum::Order);
  return list;
}

template <typename Sum>
Sum TotalOf(const PolicyRuns& policy) {
  Sum total;
  for (const Sum& one : MostFirst<Sum>(policy)) total.Join(one);
  return total;
}

// Of each policy those that matter most. Returns how many more there are.
template <typename Sum, typename AddRow>
std::size_t AddMost(const PolicyRuns& policy, const AddRow& add) {
  const std::vector<Sum> list = MostFirst<Sum>(policy);
  const std::size_t shown = std::min(list.size(), kShownOfPolicy);
  for (const Sum& one : std::span(list).first(shown)) add(one);
  return list.size() - shown;
}

std::string NotShown(std::size_t left_out) {
  return left_out > 0 ? fmt::format(" {} more are not shown.", left_out) : "";
}

struct JudgedPeriods : Named {
  double runs = 0;  // in which some were judged
  PeriodVerdicts verdicts;

  static bool Concerns(const AgreementFigures& agreement) {
    return agreement.periods.has_value() && agreement.periods->periods > 0;
  }
  void Add(const AgreementFigures& agreement) { Join({.runs = 1, .verdicts = *agreement.periods}); }
  void Join(const JudgedPeriods& other) {
    runs += other.runs;
    verdicts.periods += other.verdicts.periods;
    verdicts.kept += other.verdicts.kept;
    verdicts.worst = std::min(verdicts.worst, other.verdicts.worst);
  }
  double kept() const {
    return static_cast<double>(verdicts.kept) / static_cast<double>(verdicts.periods);
  }
  std::pair<double, double> Order() const { return {kept(), verdicts.worst}; }
};

struct WatchedWindows : Named {
  int window = 0;
  int max_misses = 0;
  double runs = 0;
  double kept = 0;  // runs without a violation
  double violated = 0;
  double worst = 1;

  static bool Concerns(const AgreementFigures& agreement) { return agreement.window > 0; }
  void Add(const AgreementFigures& agreement) {
    window = agreement.window;
    max_misses = agreement.max_misses;
    Join({.runs = 1,
          .kept = agreement.window_violations == 0 ? 1.0 : 0.0,
          .violated = static_cast<double>(agreement.window_violations),
          .worst = agreement.worst_window});
  }
  void Join(const WatchedWindows& other) {
    runs += other.runs;
    kept += other.kept;
    violated += other.violated;
    worst = std::min(worst, other.worst);
  }
  std::pair<double, double> Order() const { return {-violated, worst}; }
};

template <SacrificeFigures AgreementFigures::*whose>
struct GivenUp : Named {
  double runs = 0;  // in which it was given up
  double share = 0;
  OutcomeCounts counts;

  static bool Concerns(const AgreementFigures& agreement) { return (agreement.*whose).times > 0; }
  void Add(const AgreementFigures& agreement) {
    const SacrificeFigures& sacrificed = agreement.*whose;
    Join({.runs = 1, .share = sacrificed.share, .counts = sacrificed.counts});
  }
  void Join(const GivenUp& other) {
    runs += other.runs;
    share += other.share;
    counts += other.counts;
  }
  double Order() const { return -share; }
  std::string hits() const { return counts.ended() == 0 ? "-" : InPercent(counts.HitRateOr(0)); }
};
using GivenUpByPolicy = GivenUp<&AgreementFigures::sacrificed>;
using GivenUpByFallback = GivenUp<&AgreementFigures::sacrificed_by_fallback>;

template <typename Sum>
void AddGivenUp(const PolicyRuns& policy, std::string_view name, PolicyRows& rows) {
  const Sum all = TotalOf<Sum>(policy);
  if (all.runs == 0) return;
  const auto seeds = static_cast<double>(policy.runs.size());
  rows.Add(name, Cells{fmt::format("{:.4g}", all.runs / seeds), InPercent(all.share / all.runs),
                       fmt::format("{:.0f}", static_cast<double>(all.counts.ended()) / seeds),
                       all.hits()});
}

template <typename Sum>
std::size_t AddGivenUp(const PolicyRuns& policy, const std::string& name, HtmlTable& table) {
  const auto seeds = static_cast<double>(policy.runs.size());
  return AddMost<Sum>(policy, [&](const Sum& one) {
    table.Add(one.name(), name, fmt::format("{} of {}", one.runs, policy.runs.size()),
              InPercent(one.share / seeds) + " %",
              fmt::format("{:.4g}", static_cast<double>(one.counts.ended()) / seeds), one.hits());
  });
}

}  // namespace

std::string FormatPeriods(std::span<const PolicyRuns> policies) {
  PolicyRows rows("periods", policies, {"agreements", "judged", "kept, %", "worst, %"});
  for (const PolicyRuns& policy : policies) {
    const auto all = TotalOf<JudgedPeriods>(policy);
    if (all.runs == 0) continue;
    const auto seeds = static_cast<double>(policy.runs.size());
    rows.Add(policy.policy,
             Cells{fmt::format("{:.4g}", all.runs / seeds),
                   fmt::format("{:.4g}", static_cast<double>(all.verdicts.periods) / seeds),
                   InPercent(all.kept()), InPercent(all.verdicts.worst)});
  }
  return rows.Text();
}

HtmlTable PeriodTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.caption =
                      "How many of the periods for which a share is promised kept it, over all "
                      "seeds; those that kept least first. Sliding periods overlap.",
                  .columns = {"agreement", "policy", "periods", "kept", "worst period"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies)
    left_out += AddMost<JudgedPeriods>(policy, [&](const JudgedPeriods& one) {
      table.Add(one.name(), policy.policy, std::to_string(one.verdicts.periods),
                InPercent(one.kept()) + " %", InPercent(one.verdicts.worst) + " %");
    });
  table.caption += NotShown(left_out);
  return table;
}

std::string FormatWindows(std::span<const PolicyRuns> policies) {
  PolicyRows rows("windows", policies, {"agreements", "kept, %", "violated", "worst, %"},
                  std::string::npos);
  for (const PolicyRuns& policy : policies) {
    const auto all = TotalOf<WatchedWindows>(policy);
    if (all.runs == 0) continue;
    const auto seeds = static_cast<double>(policy.runs.size());
    rows.Add(policy.policy,
             Cells{fmt::format("{:.4g}", all.runs / seeds), InPercent(all.kept / all.runs),
                   fmt::format("{:.1f}", all.violated / seeds), InPercent(all.worst)});
  }
  return rows.Text();
}

HtmlTable WindowTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.caption =
                      "Windows of consecutive requests in which more failed than may, over all "
                      "seeds; those with the most first. Windows overlap. An agreement with "
                      "one is not met.",
                  .columns = {"agreement", "policy", "may fail", "violated", "worst window"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies)
    left_out += AddMost<WatchedWindows>(policy, [&](const WatchedWindows& one) {
      table.Add(one.name(), policy.policy, fmt::format("{} of {}", one.max_misses, one.window),
                fmt::format("{:.0f}", one.violated), InPercent(one.worst) + " %");
    });
  table.caption += NotShown(left_out);
  return table;
}

constexpr const char* kFallback = ", its fallback";

std::string FormatSacrifices(std::span<const PolicyRuns> policies) {
  PolicyRows rows("promises given up", policies,
                  {"agreements", "of the run, %", "requests", "hits, %"});
  for (const PolicyRuns& policy : policies) {
    AddGivenUp<GivenUpByPolicy>(policy, policy.policy, rows);
    AddGivenUp<GivenUpByFallback>(policy, policy.policy + kFallback, rows);
  }
  return rows.Text();
}

HtmlTable SacrificeTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.caption =
                      "Whose promise a policy gave up for a while, so that others were kept; "
                      "means over all its runs, the longest first.",
                  .columns = {"agreement", "policy", "runs", "share of the run",
                              "requests ended meanwhile", "of these hits, %"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies) {
    left_out += AddGivenUp<GivenUpByPolicy>(policy, policy.policy, table);
    left_out += AddGivenUp<GivenUpByFallback>(policy, policy.policy + kFallback, table);
  }
  table.caption += NotShown(left_out);
  return table;
}

}  // namespace fairlead
