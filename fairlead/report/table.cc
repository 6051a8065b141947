#include "fairlead/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/printable.h"
#include "fairlead/report/contract_table.h"
#include "fairlead/report/guard_table.h"
#include "fairlead/report/hand_over_table.h"
#include "fairlead/report/incentive_table.h"
#include "fairlead/report/kind_table.h"
#include "fairlead/report/period_table.h"
#include "fairlead/report/sacrifice_table.h"
#include "fairlead/report/scalar_figures.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/window_table.h"

namespace fairlead {
namespace {

constexpr std::size_t kWidest = 80;
constexpr std::string_view kGap = " ";
constexpr std::string_view kBoundName = "fluid bound";
constexpr std::string_view kGroupTitle = " agreements' hits ";

struct Unit {
  std::string_view name;
  double size;
};

struct Column {
  std::string_view title;
  std::string_view figure;  // as in ScalarFigures; "busy" is the mean over accelerators
  Unit unit;
  int decimals = 1;
  std::string_view bound{};  // the figure that bounds it, if any
  std::size_t width = 0;

  bool of_agreements() const { return figure.starts_with("agreements."); }
};

constexpr Unit kPercent{"%", 0.01};
constexpr Unit kPlain{"", 1};

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

// The largest unit of which the largest value has at least one.
Unit FittingUnit(const Column& column, std::span<const RunFigures> runs,
                 std::span<const Unit> from_small_to_large) {
  double largest = 0;
  for (const RunFigures& run : runs)
    largest = std::max(largest, ValueOf(column.figure, run).value_or(0));
  Unit chosen = from_small_to_large.front();
  for (const Unit& unit : from_small_to_large) {
    if (largest >= unit.size) chosen = unit;
  }
  return chosen;
}

void ChooseUnits(std::vector<Column>& columns, std::span<const RunFigures> runs) {
  static constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (Column& column : columns) {
    if (column.figure == "latency.p99") column.unit = FittingUnit(column, runs, kTimes);
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
  const std::size_t room = std::max(kWidest - std::min(total, kWidest), kBoundName.size());
  std::size_t longest = kBoundName.size();
  for (const Row& row : rows) {
    if (WidthOf(row.name) <= room) longest = std::max(longest, WidthOf(row.name));
  }
  return longest;
}

std::string Plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string Facts(std::string_view scenario, std::span<const RunFigures> runs) {
  std::vector<std::uint64_t> seeds;
  for (const RunFigures& run : runs) seeds.push_back(run.seed);
  std::ranges::sort(seeds);
  const auto repeated = std::ranges::unique(seeds);
  seeds.erase(repeated.begin(), repeated.end());
  const RunFigures& run = runs.front();
  std::string facts = fmt::format(
      "{}: {}, {}, {}, {}.", OnOneLine(scenario), Plural(run.tenants.rates.count, "tenant"),
      Plural(run.agreements.rates.count, "agreement"), Plural(run.busy.size(), "accelerator"),
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

}  // namespace

std::string FormatTable(std::string_view scenario, std::span<const RunFigures> runs,
                        AgreementsShown shown) {
  if (runs.empty()) return fmt::format("{}: no runs.\n", OnOneLine(scenario));
  std::vector<Column> columns = MakeColumns();
  ChooseUnits(columns, runs);
  std::vector<Row> rows;
  const bool differ = Differ(runs);
  for (const PolicyRuns& policy : GroupByPolicy(runs)) AddPolicy(policy, columns, differ, rows);
  AddBounds(runs, columns, rows);
  const std::size_t name_width = FitWidths(columns, rows);
  std::string table = Header(name_width, columns);
  for (const Row& row : rows) {
    const bool fits = WidthOf(row.name) <= name_width;
    if (!fits) table += row.name + "\n";
    table += Line(fits ? row.name : "", name_width, columns, row.cells);
  }
  return table + FormatAgreements(runs, shown) + FormatContracts(runs) + FormatPeriods(runs) +
         FormatWindows(runs) + (shown == AgreementsShown::kAll ? FormatIncentives(runs) : "") +
         FormatSacrifices(runs) + FormatKinds(runs) + FormatGoingOn(runs) + FormatGuard(runs) +
         FormatLive(runs) + Facts(scenario, runs);
}

}  // namespace fairlead
