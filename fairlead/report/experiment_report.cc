#include "fairlead/report/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace fairlead {
namespace {

using ExperimentJson = nlohmann::ordered_json;

constexpr std::string_view kRules =
    "A claim with a paper's number holds if our 95 % interval reaches that number (or our mean is "
    "near it, where the claim says how near), and is open if it reaches the number without the "
    "effect too. It falls short if the interval lies between the two, and is refuted otherwise. A "
    "claim with a bound holds if the interval reaches the bound, and is refuted otherwise.";

struct JudgedNumber {
  const ExperimentNumber& number;
  const ExpectedNumber* expected = nullptr;
  bool as_expected = true;
  std::optional<double> paper{};
  std::optional<double> ratio{};
  std::optional<ClaimVerdict> verdict{};  // the worst of its claims

  std::string Words() const {
    std::string words(verdict.has_value() ? kClaimVerdicts[static_cast<std::size_t>(*verdict)]
                                          : "");
    if (!as_expected) words += words.empty() ? "NOT as expected" : ", NOT as expected";
    return words;
  }
};

std::vector<JudgedNumber> JudgeAll(const JudgedExperiment& experiment) {
  std::vector<JudgedNumber> all;
  for (const ExperimentNumber& number : experiment.results.numbers) {
    JudgedNumber judged{number};
    const double mean = number.estimate.mean;
    const auto found = std::ranges::find(experiment.expected, number.name, &ExpectedNumber::name);
    if (found != experiment.expected.end()) {
      judged.expected = &*found;
      judged.as_expected = std::abs(mean - found->value) <= found->tolerance;
    }
    for (const PaperClaim& claim : experiment.claims) {
      if (!FitsPattern(number.name, claim.number)) continue;
      const ClaimVerdict verdict = JudgeClaim(number.estimate, claim);
      judged.verdict = std::max(judged.verdict.value_or(ClaimVerdict::kHolds), verdict);
      if (!claim.paper.has_value()) continue;
      judged.paper = claim.paper;
      if (*claim.paper != 0) judged.ratio = mean / *claim.paper;
    }
    all.push_back(judged);
  }
  return all;
}

std::string Maybe(std::optional<double> value) {
  return value.has_value() ? fmt::format("{:.4f}", *value) : "";
}

std::vector<std::string> NumberCells(const JudgedNumber& judged) {
  const ExpectedNumber* expected = judged.expected;
  return {judged.number.name,
          fmt::format("{:.4f}", judged.number.estimate.mean),
          Maybe(judged.number.estimate.half_width),
          fmt::format("{}", judged.number.estimate.count),
          Maybe(judged.paper),
          Maybe(judged.ratio),
          expected == nullptr ? "" : fmt::format("{:.4f}", expected->value),
          expected == nullptr ? "" : fmt::format("{:.4f}", expected->tolerance),
          judged.Words()};
}

const std::vector<std::string> kNumberColumns = {
    "number", "ours", "+-", "seeds", "paper", "ratio", "expected", "tolerance", "verdict"};

// The worst verdict first: what became of the claims says more than that nothing has changed.
std::string LastLine(const JudgedExperiment& experiment) {
  const auto counts = CountVerdicts(experiment);
  const auto [holds, open, short_of, refuted] = counts;
  std::string line = "Nothing is claimed.";
  if (const int claims = holds + open + short_of + refuted; claims > 0) {
    constexpr std::array<std::string_view, 4> kWorst = {"Holds", "Open", "Falls short", "Refuted"};
    const auto worst = std::find_if(counts.rbegin(), counts.rend(), [](int n) { return n > 0; });
    line = fmt::format("{}: of {} claims hold {}, open {}, fall short {}, refuted {}{}.",
                       kWorst[static_cast<std::size_t>(counts.rend() - worst - 1)], claims, holds,
                       open, short_of, refuted,
                       experiment.heading.quick ? " (quick: few seeds, wide intervals)" : "");
  }
  const std::size_t expected = experiment.expected.size();
  return line + fmt::format(" As before: {} of {} numbers.",
                            expected - std::min(Surprises(experiment).size(), expected), expected);
}

// All numbers, or those that something is claimed of.
HtmlTable NumberTable(const JudgedExperiment& experiment, bool claimed) {
  HtmlTable table{.caption = std::string(claimed ? kRules
                                                 : "All numbers: means over seeds, half the "
                                                   "width of their 95 % intervals"),
                  .columns = kNumberColumns,
                  .rows = {},
                  .sortable = !claimed};
  for (const JudgedNumber& judged : JudgeAll(experiment)) {
    if (claimed && !judged.verdict.has_value()) continue;
    std::vector<HtmlCell>& row = table.rows.emplace_back();
    for (std::string& cell : NumberCells(judged)) row.push_back({.text = std::move(cell)});
    row.back().strong = !judged.as_expected || judged.verdict > ClaimVerdict::kHolds;
  }
  return table;
}

// What became of the claims, and the figures.
void AddFindings(const JudgedExperiment& experiment, HtmlPage& page) {
  if (!experiment.heading.paper.empty())
    page.Paragraph("The paper: " + experiment.heading.paper + ".");
  page.Paragraph(LastLine(experiment));
  for (const std::string& surprise : Surprises(experiment))
    page.Paragraph("Not as expected: " + surprise);
  if (!experiment.claims.empty()) page.Table(NumberTable(experiment, true));
  std::vector<HtmlFigure> figures;
  for (const ExperimentFigure& one : experiment.results.figures) figures.push_back(one.figure);
  if (!figures.empty()) page.Figures(figures);
}

}  // namespace

bool FitsPattern(std::string_view text, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (FitsPattern(text.substr(i), pattern)) return true;
  }
  return false;
}

ClaimVerdict JudgeClaim(const Estimate& ours, const PaperClaim& claim) {
  const double half = claim.interval ? ours.half_width.value_or(0) : 0;
  const auto holds = [](bool it) { return it ? ClaimVerdict::kHolds : ClaimVerdict::kRefuted; };
  if (claim.at_least.has_value() && ours.mean + half < *claim.at_least)
    return ClaimVerdict::kRefuted;
  if (claim.at_most.has_value() && ours.mean - half > *claim.at_most) return ClaimVerdict::kRefuted;
  if (!claim.paper.has_value() || claim.at_least.has_value() || claim.at_most.has_value())
    return ClaimVerdict::kHolds;
  if (!claim.none.has_value())
    return holds(std::abs(ours.mean - *claim.paper) <=
                 std::max(half, claim.within.value_or(0.05) * std::abs(*claim.paper)));
  const double sign = *claim.paper > *claim.none ? 1 : -1;
  const double near = std::max(half, claim.within.value_or(0) * std::abs(*claim.paper));
  const bool reaches = sign * (ours.mean - *claim.paper) + near >= 0;
  const bool beyond = sign * (ours.mean - *claim.none) - half > 0;
  if (reaches) return beyond ? ClaimVerdict::kHolds : ClaimVerdict::kOpen;
  return beyond ? ClaimVerdict::kFallsShort : ClaimVerdict::kRefuted;
}

std::vector<std::string> Surprises(const JudgedExperiment& experiment) {
  std::vector<std::string> surprises;
  const auto& numbers = experiment.results.numbers;
  for (const ExpectedNumber& expected : experiment.expected) {
    const auto found = std::ranges::find(numbers, expected.name, &ExperimentNumber::name);
    if (found == numbers.end())
      surprises.push_back(fmt::format("{}: expected, and not measured", expected.name));
    else if (!(std::abs(found->estimate.mean - expected.value) <= expected.tolerance))
      surprises.push_back(fmt::format("{}: {:.4f} is not within {:.4f} of {:.4f}", expected.name,
                                      found->estimate.mean, expected.tolerance, expected.value));
  }
  for (const PaperClaim& claim : experiment.claims) {
    if (experiment.heading.quick) break;  // which may measure less
    if (std::ranges::none_of(numbers, [&](const ExperimentNumber& number) {
          return FitsPattern(number.name, claim.number);
        }))
      surprises.push_back(fmt::format("{}: claimed, and not measured", claim.number));
  }
  return surprises;
}

std::array<int, 4> CountVerdicts(const JudgedExperiment& experiment) {
  std::array<int, 4> counts{};
  for (const JudgedNumber& judged : JudgeAll(experiment)) {
    if (judged.verdict.has_value()) ++counts[static_cast<std::size_t>(*judged.verdict)];
  }
  return counts;
}

std::string FormatExperimentTable(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  std::string text =
      fmt::format("{}{}: {}\n", heading.name, heading.quick ? " (quick)" : "", heading.question);
  if (!heading.paper.empty()) text += fmt::format("The paper: {}.\n", heading.paper);
  std::size_t width = 20;
  for (const ExperimentNumber& number : experiment.results.numbers)
    width = std::max(width, number.name.size() + 2);
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line =
        fmt::format("{:<{}}{:>11}{:>9}{:>7}{:>10}{:>9}{:>11}{:>11}  {}", cells[0], width, cells[1],
                    cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  text += "\n";
  add(kNumberColumns);
  for (const JudgedNumber& judged : JudgeAll(experiment)) add(NumberCells(judged));
  return text + "\n" + LastLine(experiment) + "\n";
}

std::string FormatExperimentJson(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  ExperimentJson json = {{"experiment", heading.name}, {"version", heading.version},
                         {"command", heading.command}, {"question", heading.question},
                         {"paper", heading.paper},     {"refuted_by", heading.refuted_by},
                         {"quick", heading.quick},     {"numbers", ExperimentJson::array()}};
  const auto maybe = [](std::optional<double> value) {
    return value.has_value() ? ExperimentJson(*value) : ExperimentJson();
  };
  for (const JudgedNumber& judged : JudgeAll(experiment)) {
    const Estimate& ours = judged.number.estimate;
    const ExpectedNumber* expected = judged.expected;
    ExperimentJson row = {{"name", judged.number.name},
                          {"mean", ours.mean},
                          {"half_width", maybe(ours.half_width)},
                          {"count", ours.count},
                          {"paper", maybe(judged.paper)},
                          {"ratio", maybe(judged.ratio)},
                          {"verdict", nullptr},
                          {"expected", nullptr},
                          {"tolerance", nullptr},
                          {"as_expected", nullptr}};
    if (judged.verdict.has_value())
      row["verdict"] = kClaimVerdicts[static_cast<std::size_t>(*judged.verdict)];
    if (expected != nullptr) {
      row["expected"] = expected->value;
      row["tolerance"] = expected->tolerance;
      row["as_expected"] = judged.as_expected;
    }
    json["numbers"].push_back(std::move(row));
  }
  const auto [holds, open, short_of, refuted] = CountVerdicts(experiment);
  json["verdicts"] = {
      {"holds", holds}, {"open", open}, {"falls_short", short_of}, {"refuted", refuted}};
  json["as_expected"] = Surprises(experiment).empty();
  return json.dump(2) + "\n";
}

std::string FormatExperimentPage(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  HtmlPage page(fmt::format("Fairlead: experiment {}", heading.name));
  page.Paragraph(heading.question);
  page.Paragraph("What would refute it: " + heading.refuted_by);
  page.Section("Findings");
  AddFindings(experiment, page);
  page.Section("In numbers");
  for (const HtmlTable& table : experiment.results.tables) page.Table(table);
  page.Table(NumberTable(experiment, false));
  page.Section("To run it again");
  page.Paragraph("With fairlead " + heading.version + ":");
  page.Verbatim(heading.command);
  return std::move(page).Finish();
}

std::string FormatExperimentsPage(const std::vector<JudgedExperiment>& experiments) {
  HtmlPage page("Fairlead: all experiments");
  for (const JudgedExperiment& experiment : experiments) {
    page.Section(experiment.heading.name);
    page.Paragraph(experiment.heading.question);
    AddFindings(experiment, page);
    page.Verbatim(experiment.heading.command);
  }
  return std::move(page).Finish();
}

}  // namespace fairlead
