// fairlead experiment
#include <fmt/format.h>

#include <string>

#include "apps/help_text.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/running/experiments.h"
#include "fairlead/scenario/experiment_card.h"

namespace fairlead {
namespace {

int ListExperiments() {
  for (const Experiment& experiment : Experiments()) {
    const auto card = ReadExperimentCard(experiment.name);
    if (!card.has_value()) return Complain(card.error(), kCouldNotGoOn);
    constexpr std::size_t kNames = 20;
    const bool fits = card->name.size() < kNames;
    fmt::print("{:<{}}{}\n{:{}}{}; --quick: {}\n", fits ? card->name : card->name + "\n",
               fits ? kNames : 0,
               (fits ? "" : std::string(kNames, ' ')) + Wrapped(card->question, kNames, kNames), "",
               kNames, card->time, card->quick_time);
  }
  return kDone;
}

std::string KnownExperiments() {
  std::string names;
  for (const Experiment& experiment : Experiments()) {
    names += names.empty() ? "" : ", ";
    names += experiment.name;
  }
  return names;
}

Status WriteOut(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, OutputFile::Open(path));
  file->stream() << text;
  return file->Commit();
}

Status WriteAll(const std::string& folder, const JudgedExperiment& experiment) {
  const std::string stem = folder + "/" + experiment.heading.name;
  RETURN_IF_ERROR(WriteOut(stem + ".json", FormatExperimentJson(experiment)));
  return WriteOut(stem + ".html", FormatExperimentPage(experiment));
}

}  // namespace

int Run(const ExperimentOptions& options) {
  if (options.list) return ListExperiments();
  if (options.name.empty())
    return Complain({"experiment: no name; expected one of " + KnownExperiments()}, kBadInput);
  const Experiment* experiment = FindExperiment(options.name);
  if (experiment == nullptr)
    return Complain({fmt::format("there is no experiment '{}'; expected one of {}", options.name,
                                 KnownExperiments())},
                    kBadInput);
  const auto card = ReadExperimentCard(experiment->name);
  if (!card.has_value()) return Complain(card.error(), kCouldNotGoOn);
  if (!options.folder.empty()) {
    const Status made = MakeFolder(options.folder, options.name + ".html");
    if (!made.has_value()) return Complain(made.error(), kBadInput);
  }
  SignalWatch signals;
  signals.Arm();
  ExperimentPlan plan{.quick = options.quick, .seeds = options.seeds, .stop = signals.token()};
  auto results = [&] {
    ProgressMeter meter(1, "experiments");
    plan.progressed = [&meter](double share) { meter.Set(0, share); };
    return experiment->run(plan);
  }();
  if (signals.signal() != 0) return kInterrupted + signals.signal();
  if (!results.has_value()) return Complain(results.error(), kCouldNotGoOn);
  const JudgedExperiment judged{.heading = {.name = card->name,
                                            .question = card->question,
                                            .reproduces = card->reproduces,
                                            .refuted_by = card->refuted_by,
                                            .command = options.command,
                                            .version = FAIRLEAD_VERSION,
                                            .quick = options.quick},
                                .results = std::move(*results),
                                .expected = options.quick ? card->expected_quick : card->expected};
  if (!options.folder.empty()) {
    const Status written = WriteAll(options.folder, judged);
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const Status printed =
      PrintOut(options.form == OutputForm::kJson ? FormatExperimentJson(judged)
                                                 : FormatExperimentTable(judged));
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  const auto surprises = Surprises(judged);
  for (const std::string& surprise : surprises) Tell("not as expected: {}\n", surprise);
  return surprises.empty() ? kDone : kObjectiveNotMet;
}

}  // namespace fairlead
