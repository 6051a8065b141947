#include "fairlead/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/printable.h"
#include "fairlead/base/statistics.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

constexpr std::string_view kGap = " ";
constexpr std::string_view kBoundName = "fluid bound";
constexpr std::string_view kGroupTitle = " agreements' hits ";

struct Column {
  std::string_view title;
  std::string_view figure;  // as in ScalarFigures; "busy" is the mean over accelerators
  TimeUnit unit;
  int decimals = 1;
  std::string_view bound{};  // the figure that bounds it, if any
  std::size_t width = 0;

  bool of_agreements() const { return figure.starts_with("agreements."); }
};

constexpr TimeUnit kPercent{"%", 0.01};
constexpr TimeUnit kPlain{"", 1};

std::vector<Column> MakeColumns() {
  return {
      {"requests", "requests", kPlain, 0},
      {"hits", "hit_rate", kPercent, 1, "bounds.hit_rate"},
      {"worst", "agreements.min", kPercent, 1, "bounds.worst_tenant"},
      {"median", "agreements.median", kPercent},
      {"Jain", "agreements.jain", kPlain, 3},
      {"met", "agreements.met_share", kPercent},
      {"p99", "latency.p99", kPlain, 2},
      {"busy", "busy", kPercent},
      {"memory", "bandwidth_utilisation", kPercent},
  };
}

std::optional<double> MeanBusy(const RunFigures& run) {
  if (run.busy.empty()) return std::nullopt;
  double sum = 0;
  for (const BusyShare& busy : run.busy) sum += busy.share;
  return sum / static_cast<double>(run.busy.size());
}

std::optional<double> ValueOf(std::string_view figure, const RunFigures& run) {
  if (figure == "busy") return MeanBusy(run);
  const std::vector<ScalarFigure> figures = ScalarFigures(run);
  const ScalarFigure* found = FindFigure(figures, figure);
  CHECK(found != nullptr);
  return found->Number();
}

void ChooseUnits(std::vector<Column>& columns, std::span<const RunFigures> runs) {
  for (Column& column : columns) {
    if (column.figure != "latency.p99") continue;
    double largest = 0;
    for (const RunFigures& run : runs)
      largest = std::max(largest, ValueOf(column.figure, run).value_or(0));
    column.unit = TimeUnitFor(largest);
  }
}

// One line of figures; an empty text where there is nothing to say.
struct Row {
  std::string name;
  std::vector<std::string> cells;
};

std::string Number(const Column& column, double value) {
  return fmt::format("{:.{}f}", value / column.unit.size, column.decimals);
}

Estimate EstimateOf(const Column& column, const PolicyRuns& policy) {
  std::vector<double> values;
  for (const RunFigures* run : policy.runs) {
    if (const auto value = ValueOf(column.figure, *run)) values.push_back(*value);
  }
  return EstimateMean(values, kSummaryConfidence);
}

// Whether any seed made a difference, of what is not real time.
bool Differ(std::span<const RunFigures> runs) {
  for (const PolicyRuns& policy : GroupByPolicy(runs)) {
    for (const RunFigures* run : policy.runs) {
      for (const Column& column : MakeColumns()) {
        if (ValueOf(column.figure, *run) != ValueOf(column.figure, *policy.runs.front()))
          return true;
      }
    }
  }
  return false;
}

void AddPolicy(const PolicyRuns& policy, const std::vector<Column>& columns, bool intervals_known,
               std::vector<Row>& rows) {
  Row means{.name = policy.policy, .cells = {}};
  Row intervals;
  for (const Column& column : columns) {
    const Estimate estimate = EstimateOf(column, policy);
    means.cells.push_back(estimate.count > 0 ? Number(column, estimate.mean) : "-");
    intervals.cells.push_back(estimate.half_width ? "±" + Number(column, *estimate.half_width)
                                                  : std::string{});
  }
  rows.push_back(std::move(means));
  if (policy.runs.size() > 1 && intervals_known) rows.push_back(std::move(intervals));
}

// Bounds belong to the arrivals, which are those of a seed, whatever the policy.
void AddBounds(std::span<const RunFigures> runs, const std::vector<Column>& columns,
               std::vector<Row>& rows) {
  Row row{.name = std::string(kBoundName), .cells = {}};
  bool known = false;
  for (const Column& column : columns) {
    std::vector<double> values;
    for (const RunFigures& run : runs) {
      if (column.bound.empty()) break;
      if (const auto value = ValueOf(column.bound, run)) values.push_back(*value);
    }
    known = known || !values.empty();
    row.cells.push_back(values.empty() ? std::string{} : Number(column, EstimateMean(values).mean));
  }
  if (known) rows.push_back(std::move(row));
}

std::string Trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// fmt counts characters where std::string counts bytes.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Line(std::string_view name, std::size_t name_width, const std::vector<Column>& columns,
                 const std::vector<std::string>& cells) {
  std::string line = fmt::format("{:<{}}", name, name_width);
  for (std::size_t c = 0; c < columns.size(); ++c)
    line += fmt::format("{}{:>{}}", kGap, cells[c], columns[c].width);
  return Trimmed(std::move(line));
}

// The title over the columns that are about agreements, which stand together.
std::string GroupLine(std::size_t name_width, const std::vector<Column>& columns) {
  std::size_t begin = name_width;
  std::size_t width = 0;
  for (const Column& column : columns) {
    const std::size_t full = kGap.size() + column.width;
    if (column.of_agreements()) {
      width += full;
    } else if (width == 0) {
      begin += full;
    }
  }
  return Trimmed(
      fmt::format("{:{}}{:-^{}}", "", begin + kGap.size(), kGroupTitle, width - kGap.size()));
}

std::string Header(std::size_t name_width, const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  std::vector<std::string> units;
  for (const Column& column : columns) {
    titles.emplace_back(column.title);
    units.emplace_back(column.unit.name);
  }
  return GroupLine(name_width, columns) + Line("policy", name_width, columns, titles) +
         Line("", name_width, columns, units);
}

// The widths of all columns from what stands in them; returns the width left for names.
std::size_t FitWidths(std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::size_t total = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Column& column = columns[c];
    column.width = std::max(column.title.size(), column.unit.name.size());
    for (const Row& row : rows) column.width = std::max(column.width, WidthOf(row.cells[c]));
    total += kGap.size() + column.width;
  }
  const std::size_t room = std::max(kTextWidth - std::min(total, kTextWidth), kBoundName.size());
  std::size_t longest = kBoundName.size();
  for (const Row& row : rows) {
    if (WidthOf(row.name) <= room) longest = std::max(longest, WidthOf(row.name));
  }
  return longest;
}

std::string Facts(std::string_view scenario, std::span<const RunFigures> runs) {
  std::vector<std::uint64_t> seeds;
  for (const RunFigures& run : runs) seeds.push_back(run.seed);
  std::ranges::sort(seeds);
  const auto repeated = std::ranges::unique(seeds);
  seeds.erase(repeated.begin(), repeated.end());
  const RunFigures& run = runs.front();
  std::string facts = fmt::format(
      "{}: {}, {}, {}, {}.", OnOneLine(scenario), Counted(run.tenants.rates.count, "tenant"),
      Counted(run.agreements.rates.count, "agreement"), Counted(run.busy.size(), "accelerator"),
      seeds.size() == 1 ? fmt::format("seed {}", seeds.front())
                        : fmt::format("{} seeds from {}", seeds.size(), seeds.front()));
  if (seeds.size() > 1 && Differ(runs))
    facts += fmt::format("\n± is half of the {:.0f} % interval.", 100 * kSummaryConfidence);
  if (runs.size() > 1 && seeds.size() > 1 && !Differ(runs))
    facts += "\nAll seeds came out alike: nothing here is left to chance.";
  for (const RunFigures& partial : runs) {
    if (partial.interrupted)
      facts += fmt::format("\nPartial: {} with seed {} was interrupted after {:.6g} s.",
                           partial.policy, partial.seed, Seconds(partial.makespan));
  }
  return facts + "\n";
}

// ---- Smaller tables ------------------------------------------------------------------------

std::string Significant(double value) { return fmt::format("{:.4g}", value); }
std::string Whole(double value) { return fmt::format("{:.0f}", value); }

std::string FormatContracts(std::span<const PolicyRuns> policies) {
  PolicyRows rows("beyond contracts", policies, {"requests", "hits, %"});
  for (const PolicyRuns& policy : policies) {
    OutcomeCounts counts;
    for (const RunFigures* run : policy.runs) {
      for (const AgreementFigures& agreement : run->per_agreement) counts += agreement.uncovered;
    }
    if (counts.ended() == 0) continue;
    const double requests =
        static_cast<double>(counts.ended()) / static_cast<double>(policy.runs.size());
    rows.Add(policy.policy, Cells{Whole(requests), InPercent(counts.HitRateOr(0))});
  }
  return rows.Text();
}

// The mean over the runs of a policy.
template <typename Get>
double MeanOf(const PolicyRuns& policy, const Get& get) {
  double sum = 0;
  for (const RunFigures* run : policy.runs) sum += static_cast<double>(get(*run));
  return sum / static_cast<double>(policy.runs.size());
}

std::string FormatGuard(std::span<const PolicyRuns> policies) {
  PolicyRows rows("guard", policies,
                  {"strikes", "wrong plan", "slow", "idle", "took over", "under fallback, %"}, 17);
  for (const PolicyRuns& policy : policies) {
    if (!std::ranges::all_of(policy.runs, [](auto* run) { return run->guard.has_value(); }))
      return {};
    const auto mean = [&](std::uint64_t GuardFigures::*count) {
      return MeanOf(policy, [&](const RunFigures& run) { return *run.guard.*count; });
    };
    const double wrong = mean(&GuardFigures::wrong_plans);
    const double slow = mean(&GuardFigures::slow_decisions);
    const double idle = mean(&GuardFigures::idle_machine);
    const double share = MeanOf(policy, [](const RunFigures& run) {
      const Duration under = run.guard->under_fallback;
      return run.makespan > Duration::zero() ? Seconds(under) / Seconds(run.makespan) : 0;
    });
    rows.Add(policy.policy, Cells{Significant(wrong + slow + idle), Significant(wrong),
                                  Significant(slow), Significant(idle),
                                  Significant(mean(&GuardFigures::fallbacks)), InPercent(share)});
  }
  return rows.Text();
}

std::string FormatHandOvers(std::span<const PolicyRuns> policies) {
  constexpr std::string_view kTitle = "hand-overs, %";
  PolicyRows rows(kTitle, policies,
                  {"boundaries", "taking over", "moving", "switching", "    moves", "take-overs"},
                  kTitle.size());
  bool any = false;
  for (const PolicyRuns& policy : policies) {
    const auto share = [&](double HandOverShares::*part) {
      const double mean = MeanOf(policy, [&](const RunFigures& run) {
        return run.hand_overs.shares.value_or(HandOverShares{}).*part;
      });
      any = any || mean > 0;
      return fmt::format("{:.2f}", 100 * mean);
    };
    const auto count = [&](std::uint64_t HandOverFigures::*what) {
      return Whole(MeanOf(policy, [&](const RunFigures& run) { return run.hand_overs.*what; }));
    };
    rows.Add(policy.policy,
             Cells{share(&HandOverShares::boundaries), share(&HandOverShares::taking_over),
                   share(&HandOverShares::moving), share(&HandOverShares::switching),
                   count(&HandOverFigures::moves), count(&HandOverFigures::take_overs)});
  }
  return any ? rows.Text() : std::string();
}

std::string Preferences(std::span<const RunFigures> runs, std::span<const KindShare> kinds) {
  double known = 0;
  double undecided = 0;
  std::vector<double> shares(kinds.size());
  for (const RunFigures& run : runs) {
    if (!run.work_prefers.has_value()) continue;
    ++known;
    undecided += run.work_prefers->undecided;
    for (const KindShare& share : run.work_prefers->kinds) {
      const auto at = std::ranges::find(kinds, share.kind, &KindShare::kind) - kinds.begin();
      if (at < std::ssize(kinds)) shares[static_cast<std::size_t>(at)] += share.share;
    }
  }
  if (known == 0) return {};
  std::string text =
      fmt::format("Work at least {:.0f} % faster on one kind:", 100 * (kClearlyFaster - 1));
  for (std::size_t k = 0; k < kinds.size(); ++k)
    text +=
        fmt::format("{} {} {:.0f} %", k == 0 ? "" : ",", kinds[k].kind, 100 * shares[k] / known);
  return text + fmt::format("; on none {:.0f} %.\n", 100 * undecided / known);
}

// ---- Sharing -------------------------------------------------------------------------------

constexpr std::string_view kExclusive = "static-partition";

bool IsExclusive(const RunFigures& run) {
  return run.policy == kExclusive || run.policy.starts_with(std::string(kExclusive) + ":");
}

std::map<std::string, double> HitsByTenant(const RunFigures& run) {
  std::map<std::string, double> hits;
  for (const AgreementFigures& agreement : run.per_agreement)
    hits[agreement.tenant] +=
        static_cast<double>(agreement.counts.hits() + agreement.uncovered.hits());
  return hits;
}

// ---- Live runs -----------------------------------------------------------------------------

constexpr std::string_view kPassageNames[] = {"goes on", "takes over", "moves"};
constexpr double kQuiet = 0.01;

std::string Text(const LiveComparison& comparison) {
  std::string text = fmt::format("  {:<14}{:<16}{:>9}{:>21}{:>27}{:>27}\n", "tenant", "network",
                                 "requests", "hits %", "median ms", "p95 ms");
  for (const TenantComparison& tenant : comparison.tenants) {
    const auto three = [&](auto figure, double scale, int digits) {
      return fmt::format("{:.{}f} {:.{}f} {:.{}f}", scale * figure(tenant.simulated), digits,
                         scale * figure(tenant.live), digits, scale * figure(tenant.again), digits);
    };
    text += fmt::format("  {:<14}{:<16}{:>9}{:>21}{:>27}{:>27}\n", tenant.tenant, tenant.network,
                        tenant.requests,
                        three([](const TenantFigures& t) { return t.hit_rate; }, 100, 1),
                        three([](const TenantFigures& t) { return t.p50_ms; }, 1, 2),
                        three([](const TenantFigures& t) { return t.p95_ms; }, 1, 2));
  }
  text += "  (each: simulated, live, simulated again on what was measured in the live run)\n";
  text += fmt::format("  {:<16}{:<10}{:<12}{:>9}{:>14}{:>14}{:>24}\n", "network", "on", "segments",
                      "count", "predicted us", "measured us", "beyond us: median 95 %");
  for (const SegmentComparison& segment : comparison.segments)
    text += fmt::format(
        "  {:<16}{:<10}{:<12}{:>9}{:>14.1f}{:>14.1f}{:>15.1f}{:>9.1f}\n", segment.network,
        segment.kind, kPassageNames[static_cast<std::size_t>(segment.passage)], segment.segments,
        segment.predicted_us, segment.measured_us, segment.beyond_p50_us, segment.beyond_p95_us);
  return text;
}

}  // namespace

std::string FormatTable(std::string_view scenario, std::span<const RunFigures> runs,
                        AgreementsShown shown) {
  if (runs.empty()) return fmt::format("{}: no runs.\n", OnOneLine(scenario));
  std::vector<Column> columns = MakeColumns();
  ChooseUnits(columns, runs);
  std::vector<Row> rows;
  const bool differ = Differ(runs);
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  for (const PolicyRuns& policy : policies) AddPolicy(policy, columns, differ, rows);
  AddBounds(runs, columns, rows);
  const std::size_t name_width = FitWidths(columns, rows);
  std::string table = Header(name_width, columns);
  for (const Row& row : rows) {
    const bool fits = WidthOf(row.name) <= name_width;
    if (!fits) table += row.name + "\n";
    table += Line(fits ? row.name : "", name_width, columns, row.cells);
  }
  return table + FormatAgreements(runs, shown) + FormatContracts(policies) +
         FormatPeriods(policies) + FormatWindows(policies) +
         (shown == AgreementsShown::kAll ? FormatIncentives(runs) : "") +
         FormatSacrifices(policies) + FormatKinds(runs) + FormatHandOvers(policies) +
         FormatGuard(policies) + FormatLive(runs) + Facts(scenario, runs);
}

std::optional<IncentiveFigures> IncentivesOf(const RunFigures& run,
                                             std::span<const RunFigures> runs) {
  if (IsExclusive(run)) return std::nullopt;
  const auto exclusive = std::ranges::find_if(runs, [&run](const RunFigures& other) {
    return IsExclusive(other) && other.seed == run.seed;
  });
  if (exclusive == runs.end()) return std::nullopt;
  const std::map<std::string, double> alone = HitsByTenant(*exclusive);
  IncentiveFigures figures{.against = exclusive->policy, .phi = {}};
  for (const auto& [tenant, hits] : HitsByTenant(run)) {
    const auto found = alone.find(tenant);
    figures.phi.push_back(SharingIncentive(hits, found == alone.end() ? 0 : found->second));
  }
  if (figures.phi.empty()) return std::nullopt;
  figures.gaining =
      static_cast<double>(std::ranges::count_if(figures.phi, [](double phi) { return phi >= 1; })) /
      static_cast<double>(figures.phi.size());
  return figures;
}

std::string FormatIncentives(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  PolicyRows rows("phi against static-partition", policies,
                  {"    of tenants >= 1, %", "  min", " mean"});
  for (const PolicyRuns& policy : policies) {
    std::vector<double> gaining;
    std::vector<double> means;
    double least = 0;
    for (const RunFigures* run : policy.runs) {
      const auto figures = IncentivesOf(*run, runs);
      if (!figures.has_value()) continue;
      const Distribution phi = Describe(figures->phi);
      least = means.empty() ? phi.min : std::min(least, phi.min);
      gaining.push_back(figures->gaining);
      means.push_back(phi.mean);
    }
    if (means.empty()) continue;
    rows.Add(policy.policy,
             Cells{InPercent(EstimateMean(gaining).mean), fmt::format("{:.3f}", least),
                   fmt::format("{:.3f}", EstimateMean(means).mean)});
  }
  return rows.Text();
}

std::string FormatKinds(std::span<const RunFigures> runs) {
  if (runs.empty()) return {};
  const std::vector<KindShare> kinds = BusyByKind(runs.front().busy);
  if (kinds.size() < 2) return {};
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  Cells titles;
  for (const KindShare& kind : kinds) titles.push_back(fmt::format("{:>5}", kind.kind));
  PolicyRows rows("busy, %", policies, titles);
  for (const PolicyRuns& policy : policies) {
    Cells cells;
    for (const KindShare& kind : kinds)
      cells.push_back(InPercent(MeanOf(policy, [&](const RunFigures& run) {
        double share = 0;
        for (const KindShare& busy : BusyByKind(run.busy))
          share += busy.kind == kind.kind ? busy.share : 0;
        return share;
      })));
    rows.Add(policy.policy, cells);
  }
  return rows.Text() + Preferences(runs, kinds);
}

std::string FormatLive(std::span<const RunFigures> runs) {
  std::string text;
  for (const RunFigures& run : runs) {
    if (!run.live.has_value()) continue;
    const LiveFigures& live = *run.live;
    text += fmt::format(
        "{} with seed {} was live ({}): {} segments went on, {} took over, {} moved", run.policy,
        run.seed, live.pace, live.passages[0], live.passages[1], live.passages[2]);
    if (live.comparison.has_value())
      text += fmt::format(" (simulated: {})", live.comparison->simulated_moves);
    if (live.others_share.has_value()) {
      text += fmt::format("; other programs took {:.1f} % of its cores, other machines {:.1f} %",
                          100 * *live.others_share, 100 * *live.stolen_share);
      if (*live.others_share > kQuiet || *live.stolen_share > kQuiet) text += ": not quiet";
    }
    text += ".\n";
    if (live.comparison.has_value()) text += Text(*live.comparison);
  }
  return text;
}

}  // namespace fairlead
