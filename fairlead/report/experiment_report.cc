#include "fairlead/report/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace fairlead {
namespace {

using ExperimentJson = nlohmann::ordered_json;

const ExpectedNumber* ExpectedOf(const JudgedExperiment& experiment, const std::string& name) {
  const auto found = std::ranges::find(experiment.expected, name, &ExpectedNumber::name);
  return found == experiment.expected.end() ? nullptr : &*found;
}

bool IsAsExpected(const ExpectedNumber& expected, double mean) {
  return std::abs(mean - expected.value) <= expected.tolerance;
}

std::string Interval(const Estimate& estimate) {
  return estimate.half_width.has_value() ? fmt::format("{:.4f}", *estimate.half_width) : "";
}

std::string Judgement(const ExpectedNumber* expected, double mean) {
  if (expected == nullptr) return "";
  return IsAsExpected(*expected, mean) ? "as expected" : "NOT as expected";
}

HtmlTable NumberTable(const JudgedExperiment& experiment) {
  HtmlTable table{.caption =
                      "Means over seeds, half the width of their 95 % intervals, and what "
                      "was expected",
                  .columns = {"number", "mean", "+-", "seeds", "expected", "tolerance", ""},
                  .rows = {}};
  for (const ExperimentNumber& number : experiment.results.numbers) {
    const ExpectedNumber* expected = ExpectedOf(experiment, number.name);
    const double mean = number.estimate.mean;
    const bool wrong = expected != nullptr && !IsAsExpected(*expected, mean);
    table.rows.push_back(
        {{.text = number.name},
         {.text = fmt::format("{:.4f}", mean)},
         {.text = Interval(number.estimate)},
         {.text = fmt::format("{}", number.estimate.count)},
         {.text = expected == nullptr ? "" : fmt::format("{:.4f}", expected->value)},
         {.text = expected == nullptr ? "" : fmt::format("{:.4f}", expected->tolerance)},
         {.text = Judgement(expected, mean), .note = "", .strong = wrong}});
  }
  return table;
}

}  // namespace

std::vector<std::string> Surprises(const JudgedExperiment& experiment) {
  std::vector<std::string> surprises;
  for (const ExpectedNumber& expected : experiment.expected) {
    const auto found =
        std::ranges::find(experiment.results.numbers, expected.name, &ExperimentNumber::name);
    if (found == experiment.results.numbers.end())
      surprises.push_back(fmt::format("{}: expected, and not measured", expected.name));
    else if (!IsAsExpected(expected, found->estimate.mean))
      surprises.push_back(fmt::format("{}: {:.4f} is not within {:.4f} of {:.4f}", expected.name,
                                      found->estimate.mean, expected.tolerance, expected.value));
  }
  return surprises;
}

std::string FormatExperimentTable(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  std::string text =
      fmt::format("{}{}: {}\n", heading.name, heading.quick ? " (quick)" : "", heading.question);
  std::size_t width = 20;
  for (const ExperimentNumber& number : experiment.results.numbers)
    width = std::max(width, number.name.size() + 2);
  text += fmt::format("\n{:<{}}{:>12}{:>10}{:>7}{:>12}{:>11}\n", "number", width, "mean", "+-",
                      "seeds", "expected", "tolerance");
  for (const ExperimentNumber& number : experiment.results.numbers) {
    const ExpectedNumber* expected = ExpectedOf(experiment, number.name);
    text += fmt::format("{:<{}}{:>12.4f}{:>10}{:>7}", number.name, width, number.estimate.mean,
                        Interval(number.estimate), number.estimate.count);
    if (expected != nullptr)
      text += fmt::format("{:>12.4f}{:>11.4f}  {}", expected->value, expected->tolerance,
                          Judgement(expected, number.estimate.mean));
    text += "\n";
  }
  text += "\n";
  for (const std::string& finding : experiment.results.findings) text += finding + "\n";
  const std::size_t surprises = Surprises(experiment).size();
  text += fmt::format("{} of {} expected numbers are as expected.\n",
                      experiment.expected.size() - surprises, experiment.expected.size());
  return text;
}

std::string FormatExperimentJson(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  ExperimentJson json = {{"experiment", heading.name},
                         {"version", heading.version},
                         {"command", heading.command},
                         {"question", heading.question},
                         {"refuted_by", heading.refuted_by},
                         {"quick", heading.quick},
                         {"findings", experiment.results.findings},
                         {"numbers", ExperimentJson::array()}};
  for (const ExperimentNumber& number : experiment.results.numbers) {
    const ExpectedNumber* expected = ExpectedOf(experiment, number.name);
    ExperimentJson row = {{"name", number.name},   {"mean", number.estimate.mean},
                          {"half_width", nullptr}, {"count", number.estimate.count},
                          {"expected", nullptr},   {"tolerance", nullptr},
                          {"as_expected", nullptr}};
    if (number.estimate.half_width.has_value()) row["half_width"] = *number.estimate.half_width;
    if (expected != nullptr) {
      row["expected"] = expected->value;
      row["tolerance"] = expected->tolerance;
      row["as_expected"] = IsAsExpected(*expected, number.estimate.mean);
    }
    json["numbers"].push_back(std::move(row));
  }
  json["as_expected"] = Surprises(experiment).empty();
  return json.dump(2) + "\n";
}

std::string FormatExperimentPage(const JudgedExperiment& experiment) {
  const ExperimentHeading& heading = experiment.heading;
  HtmlPage page(fmt::format("Fairlead: experiment {}", heading.name));
  page.Paragraph(heading.question);
  if (!heading.reproduces.empty()) page.Paragraph("It reproduces " + heading.reproduces + ".");
  page.Paragraph("What would refute it: " + heading.refuted_by);
  page.Section("Findings");
  for (const std::string& finding : experiment.results.findings) page.Paragraph(finding);
  for (const std::string& surprise : Surprises(experiment))
    page.Paragraph("Not as expected: " + surprise);
  if (!experiment.results.figures.empty()) {
    page.Section("Figures");
    page.Figures(experiment.results.figures);
  }
  page.Section("In numbers");
  for (const HtmlTable& table : experiment.results.tables) page.Table(table);
  page.Table(NumberTable(experiment));
  page.Section("To run it again");
  page.Paragraph("With fairlead " + heading.version + ":");
  page.Verbatim(heading.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
