// fairlead experiment
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "experiments/kinds/kinds.h"
#include "fairlead/running/experiments.h"
#include "fairlead/scenario/split.h"
#include "fairlead/world/policy_plugin.h"

namespace fairlead {
namespace {

int ListExperiments() {
  for (const std::string& name : ExperimentNames()) {
    const auto file = ReadExperiment(name, ReadInput);
    if (!file.has_value()) return Complain(file.error(), kCouldNotGoOn);
    constexpr std::size_t kNames = 20;
    const bool fits = name.size() < kNames;
    fmt::print("{:<{}}{}\n{:{}}{}; --quick: {}\n", fits ? name : name + "\n", fits ? kNames : 0,
               (fits ? "" : std::string(kNames, ' ')) + Wrapped(file->question, kNames, kNames), "",
               kNames, file->time, file->quick_time);
  }
  return kDone;
}

Result<ExperimentFile> ChosenExperiment(const std::string& name) {
  const std::vector<std::string> names = ExperimentNames();
  const auto known = [&names] { return fmt::format("{}", fmt::join(names, ", ")); };
  if (name.empty()) return Fail("experiment: no name; expected one of {}", known());
  if (name.find('/') == std::string::npos && std::ranges::find(names, name) == names.end())
    return Fail("there is no experiment '{}'; expected one of {}, or a folder: ./{}", name, known(),
                name);
  return ReadExperiment(name, ReadInput);
}

Status WriteOut(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, OutputFile::Open(path));
  file->stream() << text;
  return file->Commit();
}

Status WriteAll(const std::string& stem, const JudgedExperiment& experiment) {
  RETURN_IF_ERROR(WriteOut(stem + ".json", FormatExperimentJson(experiment)));
  for (const ExperimentFigure& one : experiment.results.figures)
    RETURN_IF_ERROR(WriteOut(fmt::format("{}-{}.csv", stem, one.figure.name), one.csv));
  return WriteOut(stem + ".html", FormatExperimentPage(experiment));
}

Result<ExperimentPlan> PlanOf(const ExperimentOptions& options, const std::string& stem) {
  ExperimentPlan plan{.quick = options.quick, .seeds = options.seeds, .jobs = options.jobs};
  plan.read = ReadInput;
  if (!stem.empty()) plan.runs_file = stem + (options.quick ? ".quick.runs.csv" : ".runs.csv");
  if (options.policies.empty()) return plan;
  if (const Status loaded = LoadPolicyPlugins(options.policies); !loaded.has_value())
    return Fail("--policy: {}", loaded.error().message);
  for (const std::string_view policy : SplitAt(options.policies, ','))
    plan.policies.emplace_back(policy);
  return plan;
}

constexpr std::string_view kAll = "all";

// One experiment, from its file to what is printed. The status is that of the verb; where the
// experiment has ended, it is added to those that were run.
int RunOne(const ExperimentOptions& options, const std::string& name, SignalWatch& signals,
           std::vector<JudgedExperiment>& ran) {
  const auto file = ChosenExperiment(name);
  if (!file.has_value()) return Complain(file.error(), kBadInput);
  const std::string stem = options.folder.empty() ? "" : options.folder + "/" + file->name;
  auto plan = PlanOf(options, stem);
  if (!plan.has_value()) return Complain(plan.error(), kBadInput);
  plan->stop = signals.token();
  auto results = [&] {
    ProgressMeter meter(1, "experiments");
    plan->progressed = [&meter](double share) { meter.Set(0, share); };
    return RunExperiment(*file, *plan, OwnExperimentKinds());
  }();
  if (signals.signal() != 0) {
    if (!stem.empty())
      Tell("interrupted; what has finished is kept in {}: run the same again to go on\n",
           plan->runs_file);
    return kInterrupted + signals.signal();
  }
  if (!results.has_value()) return Complain(results.error(), kCouldNotGoOn);
  const JudgedExperiment& judged = ran.emplace_back(
      JudgedExperiment{.heading = {.name = file->name,
                                   .question = file->question,
                                   .paper = file->paper,
                                   .refuted_by = file->refuted_by,
                                   .command = options.command,
                                   .version = FAIRLEAD_VERSION,
                                   .quick = options.quick},
                       .results = std::move(*results),
                       .expected = options.quick ? file->expected_quick : file->expected,
                       .claims = file->claims});
  if (!stem.empty()) {
    const Status written = WriteAll(stem, judged);
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const Status printed =
      PrintOut(options.form == OutputForm::kJson ? FormatExperimentJson(judged)
                                                 : FormatExperimentTable(judged));
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  const auto surprises = Surprises(judged);
  for (const std::string& surprise : surprises) Tell("not as expected: {}\n", surprise);
  if (!surprises.empty()) return kObjectiveNotMet;
  const auto [holds, open, short_of, refuted] = CountVerdicts(judged);
  return short_of + refuted > 0 ? kClaimDoesNotHold : kDone;
}

// The worst status: what is not as expected says more than a claim that does not hold.
int RunAllOfThem(const ExperimentOptions& options, SignalWatch& signals) {
  std::vector<JudgedExperiment> ran;
  int status = kDone;
  for (const std::string& name : ExperimentNames()) {
    ExperimentOptions one = options;
    const std::size_t word = one.command.find(" all");
    if (word != std::string::npos) one.command.replace(word + 1, kAll.size(), name);
    const int of_one = RunOne(one, name, signals, ran);
    if (of_one == kBadInput || of_one == kCouldNotGoOn || of_one >= kInterrupted) return of_one;
    if (status != kObjectiveNotMet && of_one != kDone) status = of_one;
  }
  if (options.folder.empty()) return status;
  const Status written = WriteOut(options.folder + "/index.html", FormatExperimentsPage(ran));
  return written.has_value() ? status : Complain(written.error(), kCouldNotGoOn);
}

}  // namespace

int Run(const ExperimentOptions& options) {
  if (options.list) return ListExperiments();
  if (!options.folder.empty()) {
    const Status made = MakeFolder(options.folder, "index.html");
    if (!made.has_value()) return Complain(made.error(), kBadInput);
  }
  SignalWatch signals;
  signals.Arm();
  std::vector<JudgedExperiment> ran;
  return options.name == kAll ? RunAllOfThem(options, signals)
                              : RunOne(options, options.name, signals, ran);
}

}  // namespace fairlead
