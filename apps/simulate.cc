// fairlead simulate
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "apps/chosen_world.h"
#include "apps/help_text.h"
#include "apps/input_files.h"
#include "apps/loads.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/report_file.h"
#include "apps/run_files.h"
#include "apps/signal_watch.h"
#include "apps/sweep.h"
#include "apps/terminal.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/machine.h"
#include "fairlead/report/json.h"
#include "fairlead/report/objective.h"
#include "fairlead/report/table.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/run.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/objective_text.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"
#include "fairlead/world/world_words.h"

namespace fairlead {
namespace {

// None where nothing of them runs.
Result<std::unique_ptr<LoadedNetworks>> LoadNetworks(const SimulateOptions& options,
                                                     const World& world) {
  if (options.live != "run") return nullptr;
  ASSIGN_OR_RETURN(auto networks, LoadLiveNetworks(world, &ReadInput));
  if (CoresOf(world, Machine::This().UsableCores()).left.empty()) Tell("{}", kNoCoreLeft);
  return networks;
}

Pace PaceOf(const SimulateOptions& options) {
  if (options.live.empty()) return Pace::kSimulated;
  if (options.live == "run") return Pace::kRun;
  return options.live == "spin" ? Pace::kSpin : Pace::kSleep;
}

std::vector<RunSpec> Specs(const SimulateOptions& options, const World& world,
                           const std::vector<std::string>& policies, const LoadedNetworks* networks,
                           std::span<const KeptAgreement> books) {
  std::vector<RunSpec> specs;
  for (const std::string& policy : policies) {
    for (int i = 0; i < options.seeds; ++i) {
      specs.push_back(
          {.policy = policy,
           .seed = options.seed.value_or(world.scenario.seed) + static_cast<std::uint64_t>(i),
           .pace = PaceOf(options),
           .networks = networks,
           .books = books,
           .compare = options.compare});
    }
  }
  return specs;
}

// Of those who are not in this world any more, the books stay closed; somebody should know.
Result<std::vector<KeptAgreement>> ReadBooks(const std::string& path, const World& world) {
  if (path.empty()) return std::vector<KeptAgreement>{};
  ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
  ASSIGN_OR_RETURN(auto books, ParseBooks(path, text));
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const PlannedAgreement& planned : world.agreements) {
    known.emplace(world.tenants[planned.agreement.tenant.index()].name,
                  world.networks[planned.agreement.network.index()].name());
  }
  const auto strange = std::ranges::count_if(books, [&](const KeptAgreement& kept) {
    return !known.contains({kept.tenant, kept.network});
  });
  if (strange == std::ssize(books))
    return Fail("{}: none of its {} agreements is in this scenario", path, books.size());
  if (strange > 0)
    Tell("{}: {} of its {} agreements are not in this scenario\n", path, strange, books.size());
  return books;
}

ReportHeading HeadingOf(const Scenario& scenario) {
  return {.scenario = scenario.name, .version = FAIRLEAD_VERSION, .config = ScenarioJson(scenario)};
}

// How many runs go on at a time.
int ThreadsFor(const SimulateOptions& options, std::size_t runs) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (PaceOf(options) == Pace::kRun) return 1;  // there is one set of cores
  const int threads = options.jobs > 0       ? options.jobs
                      : options.live.empty() ? static_cast<int>(cores)
                                             : 1;  // live runs would disturb each other
  return std::min(threads, static_cast<int>(runs));
}

// The runs of all loads, the world's own among them, by load.
Result<std::vector<RunsAtLoad>> RunLoads(const World& world,
                                         const std::vector<WorldAtLoad>& other_loads,
                                         const std::vector<RunFigures>& runs, RunPlan plan) {
  std::vector<RunsAtLoad> loads;
  if (world.scenario.load.has_value() || !other_loads.empty())
    loads.push_back({OwnLoad(world), runs});
  for (const WorldAtLoad& other : other_loads) {
    ProgressMeter meter(plan.specs.size());
    plan.progressed = [&](std::size_t run, double share) { meter.Set(run, share); };
    ASSIGN_OR_RETURN(auto at_load, RunAll(*other.world, plan));
    loads.push_back({other.load, std::move(at_load)});
  }
  std::ranges::sort(loads, {}, &RunsAtLoad::load);
  return loads;
}

// Runs everything, and writes all files.
Result<std::vector<RunFigures>> RunAndReport(const SimulateOptions& options, const World& world,
                                             const std::vector<WorldAtLoad>& other_loads,
                                             const std::vector<RunSpec>& specs,
                                             const std::stop_token& stop) {
  std::unique_ptr<ReportFile> report;
  if (!options.report.empty()) {
    ASSIGN_OR_RETURN(report, ReportFile::Open(options.report, specs));
  }
  const int threads = ThreadsFor(options, specs.size());
  ASSIGN_OR_RETURN(const TraceWindow window, ParseTraceWindow(options));
  RunFiles files(options, window, specs);
  RETURN_IF_ERROR(files.Try());
  Result<std::vector<RunFigures>> runs;
  {
    ProgressMeter meter(specs.size());
    const RunPlan plan{.specs = specs,
                       .threads = threads,
                       .stop = stop,
                       .open = [&](std::size_t run) -> Result<RunOutputs> {
                         ASSIGN_OR_RETURN(RunOutputs outputs, files.Open(run));
                         if (report != nullptr) report->Watch(run, outputs);
                         return outputs;
                       },
                       .close = [&](std::size_t run) -> Status {
                         if (report != nullptr) report->Collect(run);
                         return files.Close(run);
                       },
                       .failed = [&](std::size_t run) { files.KeepRecording(run); },
                       .progressed = [&](std::size_t run, double share) { meter.Set(run, share); }};
    runs = RunAll(world, plan);
  }
  if (!runs.has_value() || report == nullptr) return runs;
  if (runs->empty()) return runs;  // interrupted before any began
  ASSIGN_OR_RETURN(const auto loads, RunLoads(world, other_loads, *runs,
                                              {.specs = specs, .threads = threads, .stop = stop}));
  RETURN_IF_ERROR(report->Write({.heading = HeadingOf(world.scenario),
                                 .world = WordsOf(world),
                                 .command = options.command,
                                 .runs = *runs,
                                 .latencies = {},
                                 .timelines = {},
                                 .loads = loads}));
  return runs;
}

// What the scenario asks of policies that did not run: neither met nor unmet.
std::string NotAsked(const std::vector<Objective>& objectives,
                     const std::vector<RunFigures>& runs) {
  std::string text;
  for (const Objective& objective : objectives) {
    if (objective.policy.empty() ||
        std::ranges::find(runs, objective.policy, &RunFigures::policy) != runs.end())
      continue;
    text += fmt::format("  -        {}: not judged, since {} did not run\n", objective.text,
                        objective.policy);
  }
  return text.empty() ? text : "Asked of others by the scenario:\n" + text;
}

// Live runs, and those under a guard, go on after a wrong plan; somebody should know.
void TellOfWrongPlans(const std::vector<RunFigures>& runs) {
  for (const RunFigures& run : runs) {
    if (run.plan_faults > 0)
      Tell("{} with seed {}: {} wrong entries of its plans were skipped\n", run.policy, run.seed,
           run.plan_faults);
  }
}

// Figures of nothing look like figures of something bad.
void TellOfSilence(const World& world, const std::vector<RunFigures>& runs) {
  const bool silent = std::ranges::any_of(
      runs, [](const RunFigures& run) { return run.counts.ended() == 0 && !run.interrupted; });
  if (silent)
    Tell("{}: no request is counted: none arrives {}\n", world.scenario.file,
         world.scenario.warm_up > Duration::zero()
             ? "between the end of the warm-up and the horizon"
             : "before the horizon");
}

// Two outputs in one file would destroy each other.
Status CheckOutputs(const SimulateOptions& options) {
  const std::string* const paths[] = {&options.outcomes, &options.trace, &options.recording,
                                      &options.books, &options.report};
  for (const std::string* path : paths) {
    if (!path->empty() && std::ranges::count(paths, *path, [](auto* p) { return *p; }) > 1)
      return Fail(
          "two of --outcomes, --trace, --record, --books and --report name the same file '{}'",
          *path);
  }
  return {};
}

// Whether standard output belongs to a file of the run, so that people read elsewhere.
bool PrintsARun(const SimulateOptions& options) {
  return options.outcomes == kStandardOutput || options.trace == kStandardOutput ||
         options.recording == kStandardOutput || options.books == kStandardOutput ||
         options.report == kStandardOutput;
}

Status Print(const SimulateOptions& options, const std::string& text) {
  const bool table = options.form == SimulateForm::kTable || options.form == SimulateForm::kWide;
  if (!PrintsARun(options)) return PrintOut(table ? ForTerminal(text) : text);
  TellText(text);
  return {};
}

std::string NotesOf(const World& world) {
  std::string text;
  for (const std::string& note : world.notes) text += Wrapped(note, 0, 2) + "\n";
  return text;
}

std::string ResultText(SimulateForm form, const World& world, const std::vector<RunFigures>& runs,
                       const std::vector<ObjectiveVerdict>& verdicts,
                       const std::vector<Objective>& objectives) {
  if (form == SimulateForm::kJson) return FormatJson(HeadingOf(world.scenario), runs, verdicts);
  if (form == SimulateForm::kCsv) return AgreementsCsvHeader() + AgreementsCsvLines(runs);
  const auto shown = form == SimulateForm::kWide ? AgreementsShown::kAll : AgreementsShown::kIfFew;
  return FormatTable(world.scenario.name, runs, shown) + NotesOf(world) +
         FormatObjectives(verdicts) + NotAsked(objectives, runs);
}

}  // namespace

int Run(const SimulateOptions& options) {
  SignalWatch signals;
  if (const Status outputs = CheckOutputs(options); !outputs.has_value())
    return Complain(outputs.error(), kBadInput);
  const auto points = SweepPoints(options);
  if (!points.has_value()) return Complain(points.error(), kBadInput);
  if (points->size() > 1) return RunSweep(options, *points, signals);
  const auto world = LoadWorld(options, points->front());
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  for (const std::string& warning : (*world)->warnings) Tell("{}\n", warning);
  const auto policies = ChoosePolicies(options, **world);
  if (!policies.has_value()) return Complain(policies.error(), kBadInput);
  const auto objectives = ReadObjectives(options, **world, *policies);
  if (!objectives.has_value()) return Complain(objectives.error(), kBadInput);
  const auto other_loads = WorldsAtOtherLoads(options.loads, **world);
  if (!other_loads.has_value()) return Complain(other_loads.error(), kBadInput);

  if (const auto window = ParseTraceWindow(options); !window.has_value())
    return Complain(window.error(), kBadInput);
  const Status pace = CheckPace(**world, PaceOf(options));
  if (!pace.has_value()) return Complain(pace.error(), kBadInput);

  const auto networks = LoadNetworks(options, **world);
  if (!networks.has_value()) return Complain(networks.error(), kBadInput);
  const auto books = ReadBooks(options.continued, **world);
  if (!books.has_value()) return Complain(books.error(), kBadInput);
  if (options.books == options.continued) AllowOverwriting(options.books);  // they go on
  const std::vector<RunSpec> specs = Specs(options, **world, *policies, networks->get(), *books);
  if (PrintsARun(options) && specs.size() > 1)
    return Complain({fmt::format("standard output ('-') takes the file of one run; these are {}",
                                 specs.size())},
                    kBadInput);
  signals.Arm();
  const auto runs = RunAndReport(options, **world, *other_loads, specs, signals.token());
  if (!runs.has_value())
    return Complain({runs.error().message + "\nOutput files that are there are complete" +
                     (options.recording.empty()
                          ? "."
                          : "; the recording of what failed is cut off there: replay --cut-off.")},
                    kCouldNotGoOn);

  // What an interrupted run would have come to is not known.
  std::vector<ObjectiveVerdict> verdicts;
  if (signals.signal() == 0) verdicts = Judge(*objectives, *runs);
  const std::string text = ResultText(options.form, **world, *runs, verdicts, *objectives);
  const Status printed = Print(options, text);
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  TellOfWrongPlans(*runs);
  TellOfSilence(**world, *runs);
  if (signals.signal() != 0) {
    Tell("interrupted: {} of {} runs ended\n",
         std::ranges::count(*runs, false, &RunFigures::interrupted), specs.size());
    return kInterrupted + signals.signal();
  }
  return TellOfUnmet(verdicts);
}

}  // namespace fairlead
