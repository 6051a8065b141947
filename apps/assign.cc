// fairlead assign
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "apps/files.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/report/json_text.h"
#include "fairlead/running/assignment_search.h"

namespace fairlead {
namespace {

constexpr double kSureBest = 0.01;
constexpr double kSure = 0.95;

// What goes where, in the form of the table; by speed where nothing better was found.
std::string AssignmentTable(const AssignmentSearchOptions& options, const FoundAssignment& found) {
  std::string text = fmt::format(
      "{:<24}{:>14.6g}\n{:<24}{:>14.6g}\n{:<24}{:>14}\n{:<24}{:>14.0f}\n",
      FormatSearchGoal(options.goal), found.score, "ratios by speed have", found.by_speed,
      "assignments tried", found.draws, "simulations", found.simulations);
  if (options.method == SearchMethod::kSampling) {
    text += fmt::format(
        "The best of {} draws is within the best {:g} % of all that can be drawn with a "
        "probability of {:.1f} %,\nand within the best {:.2g} % with one of {:g} %.\n",
        found.draws, 100 * kSureBest, 100 * SureOf(found.draws, kSureBest),
        100 * SureShare(found.draws, kSure), 100 * kSure);
  } else {
    text += "Searched by changes or in rounds: there is no guarantee as for draws alone.\n";
  }
  if (found.ratios.rows.empty()) return text + "Nothing is better than ratios by speed.\n";
  text += fmt::format("\n{:<24}{:<20}{:>8}\n", "network", "accelerator", "ratio");
  for (const AllocationRatios::Row& row : found.ratios.rows)
    text += fmt::format("{:<24}{:<20}{:>8.3f}\n", row.network, row.accelerator, row.ratio);
  return text;
}

std::string AssignmentJson(const AssignmentSearchOptions& options, const FoundAssignment& found) {
  JsonText json;
  json.Put("version", FAIRLEAD_VERSION, "goal", FormatSearchGoal(options.goal), "search",
           ToString(options.method), "score", found.score, "score_by_speed", found.by_speed,
           "draws", found.draws, "simulations", found.simulations);
  if (options.method == SearchMethod::kSampling)
    json.Object("guarantee", "best_share", SureShare(found.draws, kSure), "probability", kSure);
  else
    json.Put("guarantee", nullptr);
  json.BeginList("ratios");
  for (const AllocationRatios::Row& row : found.ratios.rows)
    json.Row("network", row.network, "accelerator", row.accelerator, "ratio", row.ratio);
  return std::move(json).Finish();
}

Result<AssignmentSearchOptions> SearchOptionsOf(const AssignOptions& options) {
  AssignmentSearchOptions search;
  ASSIGN_OR_RETURN(search.goal, ParseSearchGoal(options.goal));
  ASSIGN_OR_RETURN(search.method, ParseSearchMethod(options.search));
  search.budget = options.budget;
  search.seed = options.seed;
  search.route = options.route == "idle" ? RouteAt::kIdle : RouteAt::kArrival;
  return search;
}

Result<std::unique_ptr<const World>> ReadWorld(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadInput(file));
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(file, text));
  return BuildWorld(std::move(scenario), &ReadInput);
}

}  // namespace

int Run(const AssignOptions& options) {
  const SignalWatch signals;
  ASSIGN_OR_COMPLAIN(auto search, SearchOptionsOf(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto world, ReadWorld(options.scenario), kBadInput);
  std::unique_ptr<OutputFile> file;
  if (!options.out.empty()) {
    ASSIGN_OR_COMPLAIN(auto opened, OutputFile::Open(options.out), kBadInput);
    file = std::move(opened);
  }
  Result<FoundAssignment> found;
  {
    ProgressMeter meter(1, "searches");
    search.progressed = [&meter](double share) { meter.Set(0, share); };
    found = SearchAssignment(*world, search);
  }
  if (!found.has_value()) return Complain(found.error(), kBadInput);
  if (file != nullptr) {
    file->stream() << FormatAllocationRatios(found->ratios);
    COMPLAIN_IF_ERROR(file->Commit(), kCouldNotGoOn);
  }
  COMPLAIN_IF_ERROR(PrintOut(options.form == OutputForm::kJson ? AssignmentJson(search, *found)
                                                               : AssignmentTable(search, *found)),
                    kCouldNotGoOn);
  return kDone;
}

}  // namespace fairlead
