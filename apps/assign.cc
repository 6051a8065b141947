// fairlead assign
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/input_files.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/running/assignment_search.h"

namespace fairlead {
namespace {

using OrderedJson = nlohmann::ordered_json;
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
  OrderedJson json = {
      {"version", FAIRLEAD_VERSION},        {"goal", FormatSearchGoal(options.goal)},
      {"search", ToString(options.method)}, {"score", found.score},
      {"score_by_speed", found.by_speed},   {"draws", found.draws},
      {"simulations", found.simulations}};
  json["guarantee"] = nullptr;
  if (options.method == SearchMethod::kSampling)
    json["guarantee"] = {{"best_share", SureShare(found.draws, kSure)}, {"probability", kSure}};
  json["ratios"] = OrderedJson::array();
  for (const AllocationRatios::Row& row : found.ratios.rows)
    json["ratios"].push_back(
        {{"network", row.network}, {"accelerator", row.accelerator}, {"ratio", row.ratio}});
  return json.dump(2) + "\n";
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
  auto search = SearchOptionsOf(options);
  if (!search.has_value()) return Complain(search.error(), kBadInput);
  const auto world = ReadWorld(options.scenario);
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  std::unique_ptr<OutputFile> file;
  if (!options.out.empty()) {
    auto opened = OutputFile::Open(options.out);
    if (!opened.has_value()) return Complain(opened.error(), kBadInput);
    file = std::move(*opened);
  }
  Result<FoundAssignment> found;
  {
    ProgressMeter meter(1, "searches");
    search->progressed = [&meter](double share) { meter.Set(0, share); };
    found = SearchAssignment(**world, *search);
  }
  if (!found.has_value()) return Complain(found.error(), kBadInput);
  if (file != nullptr) {
    file->stream() << FormatAllocationRatios(found->ratios);
    const Status written = file->Commit();
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const Status printed =
      PrintOut(options.form == OutputForm::kJson ? AssignmentJson(*search, *found)
                                                 : AssignmentTable(*search, *found));
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  return kDone;
}

}  // namespace fairlead
