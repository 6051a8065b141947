// fairlead simulate
#include "apps/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/progress.h"
#include "apps/results.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/machine.h"
#include "fairlead/report/html_report.h"
#include "fairlead/report/objective.h"
#include "fairlead/report/run_json.h"
#include "fairlead/report/table.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/run.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/objective_text.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"
#include "fairlead/world/world_words.h"

namespace fairlead {

// ---- What is run ---------------------------------------------------------------------------

Result<std::unique_ptr<const World>> LoadWorld(const SimulateOptions& options,
                                               const ChosenScenario& chosen) {
  if (options.profile.empty()) {
    if (chosen.file.empty())
      return Fail("fairlead simulate: name a scenario, or --profile and --requests");
    ASSIGN_OR_RETURN(const std::string text, ReadInput(chosen.file));
    ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(chosen.file, text, chosen.settings));
    if (!options.requests.empty())
      RETURN_IF_ERROR(
          ReplaceRequests(scenario, std::filesystem::absolute(options.requests).string()));
    return BuildWorld(
        std::move(scenario), &ReadInput,
        options.live == "run" ? SegmentOrder::kOneAfterAnother : SegmentOrder::kAsNeeded);
  }
  BareWorldOptions bare{
      .profile = options.profile, .requests = options.requests, .plan = options.plan};
  if (!options.bandwidth.empty()) {
    ASSIGN_OR_RETURN(bare.bandwidth, OfOption("--bandwidth", ParseBandwidth(options.bandwidth)));
  }
  ASSIGN_OR_RETURN(bare.sharing, OfOption("--sharing", ParseSharing(options.sharing)));
  return BuildBareWorld(bare, &ReadInput);
}

Result<std::vector<std::string>> ChoosePolicies(const SimulateOptions& options,
                                                const World& world) {
  std::string list = options.policies;
  if (list.empty() && world.plan.has_value()) list = "fixed-plan";
  if (list.empty()) {
    for (const NamedPolicy& policy : world.scenario.policies)
      list += (list.empty() ? "" : ",") + policy.spec;
  }
  if (list.empty()) list = "all";
  RETURN_IF_ERROR(OfOption("--policy", LoadPolicyPlugins(options.policies)));
  ASSIGN_OR_RETURN(auto policies, OfOption("--policy", ParsePolicyList(list)));
  for (const std::string& policy : policies) {
    const bool needs_plan = ChoosePolicy(policy)->needs.plan;
    if (needs_plan && !world.plan.has_value())
      return Fail("--policy {} needs --plan, with --profile and --requests", policy);
    if (!needs_plan && world.plan.has_value())
      return Fail("--plan goes with --policy fixed-plan alone");
    if (needs_plan || FindPlugin(policy.substr(0, policy.find(':'))) != nullptr) continue;
    // Whether the files that it is made from are good is known before anything runs.
    ASSIGN_OR_RETURN(const auto made,
                     OfOption("--policy " + policy,
                              MakePolicy(policy, {.seed = 1, .platform = &world.platform})));
  }
  return policies;
}

// What the scenario demands, and what the command line does.
Result<std::vector<Objective>> ReadObjectives(const SimulateOptions& options, const World& world,
                                              const std::vector<std::string>& policies) {
  ASSIGN_OR_RETURN(std::vector<Objective> objectives, ResolveRequirements(world));
  for (const std::string& text : options.require) {
    ASSIGN_OR_RETURN(auto objective, OfOption("--require " + text, ResolveObjective(text, world)));
    if (!objective.rival.empty() && std::ranges::find(policies, objective.rival) == policies.end())
      return Fail("--require {}: {} does not run; name it in --policy too", text, objective.rival);
    objectives.push_back(std::move(objective));
  }
  return objectives;
}

std::vector<RunSpec> SpecsOf(const SimulateOptions& options, const World& world,
                             const std::vector<std::string>& policies) {
  const std::uint64_t first = options.seed.value_or(world.scenario.seed);
  std::vector<RunSpec> specs;
  for (const std::string& policy : policies) {
    for (int i = 0; i < options.seeds; ++i)
      specs.push_back({.policy = policy, .seed = first + static_cast<std::uint64_t>(i)});
  }
  return specs;
}

int TellOfUnmet(const std::vector<ObjectiveVerdict>& verdicts) {
  int status = kDone;
  for (const ObjectiveVerdict& verdict : verdicts) {
    if (verdict.met.value_or(true)) continue;
    Tell("not met by {} {}: {}\n", verdict.policy,
         verdict.seeds.size() == 1 ? fmt::format("with seed {}", verdict.seeds.front())
                                   : fmt::format("in the mean of {} seeds", verdict.seeds.size()),
         Explain(verdict));
    status = kObjectiveNotMet;
  }
  return status;
}

namespace {

// The scenario at other loads, for --loads.
struct WorldAtLoad {
  double load = 0;
  std::unique_ptr<const World> world;
};

constexpr double kLeastLoad = 1e-6;  // as in scenarios
constexpr double kMostLoad = 1000;

Result<std::set<double>> ParseLoads(std::string_view list) {
  std::set<double> loads;
  while (true) {
    const std::string_view word = list.substr(0, list.find(','));
    const auto load = ParseNumber(word);
    if (!load.has_value() || *load < kLeastLoad || *load > kMostLoad)
      return Fail("--loads: '{}' is not a number from {} to {}", word, kLeastLoad, kMostLoad);
    loads.insert(*load);
    if (word.size() == list.size()) return loads;
    list.remove_prefix(word.size() + 1);
  }
}

// What the scenario says, or what its rates come to; 0 where that is not known.
double OwnLoad(const World& world) {
  return world.scenario.load.value_or(world.listed() ? 0 : world.offered_load);
}

// "0.6,0.8,1.0" as worlds, by load, each once, without the load that the world has itself. Nothing
// for an empty list. Where tenants have rates these are scaled, all alike. Fails for a requests
// file.
Result<std::vector<WorldAtLoad>> WorldsAtOtherLoads(std::string_view list, const World& world) {
  std::vector<WorldAtLoad> worlds;
  if (list.empty()) return worlds;
  ASSIGN_OR_RETURN(std::set<double> loads, ParseLoads(list));
  const double own = OwnLoad(world);
  if (!(own > 0)) return Fail("--loads: what is asked for in this scenario has no load");
  loads.erase(own);
  for (double load : loads) {
    Scenario scenario = world.scenario;
    if (scenario.load.has_value()) {
      scenario.load = load;
    } else {
      for (TenantsConfig& tenants : scenario.tenants) *tenants.rate *= load / own;
    }
    ASSIGN_OR_RETURN(auto at_load,
                     OfOption(fmt::format("--loads {}", load),
                              BuildWorld(std::move(scenario), &ReadInput, world.segment_order)));
    worlds.push_back({load, std::move(at_load)});
  }
  return worlds;
}

// ---- Files ---------------------------------------------------------------------------------

constexpr std::size_t kRecording = 2;  // of a run's outputs

void TellOfLargeTrace(const std::string& path) {
  Tell(
      "{} has passed {} MB, which browsers hardly show; --trace-from and --trace-to cut out a "
      "part\n",
      path, TraceWriter::kLarge >> 20);
}

Result<TraceWindow> ParseTraceWindow(const SimulateOptions& options) {
  TraceWindow window;
  if (!options.trace_from.empty()) {
    ASSIGN_OR_RETURN(const Duration from,
                     OfOption("--trace-from", ParseDuration(options.trace_from)));
    window.from = Instant{} + from;
  }
  if (!options.trace_to.empty()) {
    ASSIGN_OR_RETURN(const Duration to, OfOption("--trace-to", ParseDuration(options.trace_to)));
    window.to = Instant{} + to;
  }
  if (window.to < window.from) return Fail("--trace-to lies before --trace-from");
  return window;
}

// The files of each run, open while it runs.
class RunFiles {
 public:
  // The specs outlive the files.
  RunFiles(const SimulateOptions& options, const TraceWindow& window,
           const std::vector<RunSpec>& specs)
      : specs_(specs),
        trace_window_(window),
        outputs_{options.outcomes, options.trace, options.recording, options.books},
        open_(specs.size()) {}

  // Opens each file and lets it be: what cannot be written is known before anything runs.
  Status Try() const {
    std::map<std::string, std::string> paths;  // where they lead
    for (std::size_t run = 0; run < specs_.size(); ++run) {
      for (const std::string& output : outputs_) {
        if (output.empty()) continue;
        const std::string path = PathOf(output, run);
        std::error_code ignored;
        const auto [found, fresh] = paths.emplace(WherePathLeads(path), path);
        const auto there = std::filesystem::status(path, ignored);
        if (!fresh && (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there)))
          return Fail("{} and {} are the same file", found->second, path);
        ASSIGN_OR_RETURN(const auto trial, OutputFile::Open(path));
      }
    }
    return {};
  }

  // Runs may open and close theirs from different threads.
  Result<RunOutputs> Open(std::size_t run) {
    std::array<std::ostream*, 4> streams{};
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].empty()) continue;
      ASSIGN_OR_RETURN(auto file, OutputFile::Open(PathOf(outputs_[i], run)));
      streams[i] = &file->stream();
      if (i == kRecording) open_[run].recording = file.get();
      open_[run].files.push_back(std::move(file));
    }
    return RunOutputs{.outcomes = streams[0],
                      .trace = streams[1],
                      .trace_window = trace_window_,
                      .trace_is_large = [path = outputs_[1]] { TellOfLargeTrace(path); },
                      .recording = streams[kRecording],
                      .books = streams[3]};
  }
  Status Close(std::size_t run) {
    for (const std::unique_ptr<OutputFile>& file : open_[run].files)
      RETURN_IF_ERROR(file->Commit());
    open_[run] = {};
    return {};
  }
  // Of a run that failed: what led there can be replayed. The rest is removed.
  void KeepRecording(std::size_t run) {
    // That it can't be written is the smaller misfortune.
    if (open_[run].recording != nullptr) std::ignore = open_[run].recording->Commit();
    open_[run] = {};
  }

 private:
  // F.csv, or F.<policy>.<seed>.csv with several runs.
  std::string PathOf(const std::string& path, std::size_t run) const {
    if (specs_.size() == 1) return path;
    const std::size_t slash = path.find_last_of('/');
    std::size_t dot = path.find_last_of('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
    std::string policy = specs_[run].policy;
    policy.erase(0, policy.find_last_of('/') + 1);  // of one from a file
    std::ranges::replace_if(
        policy, [](char c) { return c == ':' || c == ';' || c == '='; }, '-');
    return fmt::format("{}.{}.{}{}", path.substr(0, dot), policy, specs_[run].seed,
                       path.substr(dot));
  }

  const std::vector<RunSpec>& specs_;
  TraceWindow trace_window_;
  std::array<std::string, 4> outputs_;
  struct OpenFiles {
    std::vector<std::unique_ptr<OutputFile>> files;
    OutputFile* recording = nullptr;  // one of these
  };
  std::vector<OpenFiles> open_;  // per run
};

// The HTML report: gathers what figures alone do not tell while the runs go on, and writes the
// page.
class ReportFile {
 public:
  // Opens the file, so that what cannot be written is known before anything runs. Specs of one
  // policy stand together.
  static Result<std::unique_ptr<ReportFile>> Open(const std::string& path,
                                                  std::span<const RunSpec> specs) {
    std::unique_ptr<ReportFile> report(new ReportFile(specs));
    ASSIGN_OR_RETURN(report->file_, OutputFile::Open(path));
    return report;
  }

  // Before and after each run, from its thread.
  void Watch(std::size_t run, RunOutputs& outputs) {
    latencies_[run] = std::make_unique<Histogram>();
    outputs.latencies = latencies_[run].get();
    if (FirstOfPolicy(run)) outputs.timeline = &timelines_[policy_of_[run]].timeline;
  }
  void Collect(std::size_t run) {
    const std::lock_guard lock(mutex_);
    pooled_[policy_of_[run]].Add(*latencies_[run]);
    latencies_[run].reset();
  }

  // After the last run. Fills in what was gathered: `report` has the rest.
  Status Write(HtmlReport report) {
    report.latencies = pooled_;
    report.timelines = timelines_;
    file_->stream() << FormatHtmlReport(report);
    return file_->Commit();
  }

 private:
  explicit ReportFile(std::span<const RunSpec> specs) : latencies_(specs.size()) {
    for (const RunSpec& spec : specs) {
      if (timelines_.empty() || timelines_.back().policy != spec.policy)
        timelines_.push_back({.policy = spec.policy, .seed = spec.seed, .timeline = {}});
      policy_of_.push_back(timelines_.size() - 1);
    }
    pooled_.resize(timelines_.size());
  }
  bool FirstOfPolicy(std::size_t run) const {
    return run == 0 || policy_of_[run] != policy_of_[run - 1];
  }

  std::unique_ptr<OutputFile> file_;
  std::vector<std::size_t> policy_of_;                 // by run
  std::vector<std::unique_ptr<Histogram>> latencies_;  // by run, while it runs
  std::vector<PolicyTimeline> timelines_;              // by policy: of its first run
  std::mutex mutex_;
  std::vector<Histogram> pooled_;  // by policy; the mutex guards it
};

// ---- Runs ----------------------------------------------------------------------------------

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
int ThreadsOf(const SimulateOptions& options, std::size_t runs) {
  if (PaceOf(options) == Pace::kRun) return 1;  // there is one set of cores
  // Live runs would disturb each other.
  const int threads = options.live.empty() || options.jobs > 0 ? ThreadsFor(options.jobs) : 1;
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
  const int threads = ThreadsOf(options, specs.size());
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
  COMPLAIN_IF_ERROR(CheckOutputs(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto points, SweepPoints(options), kBadInput);
  if (points.size() > 1) return RunSweep(options, points, signals);
  ASSIGN_OR_COMPLAIN(const auto world, LoadWorld(options, points.front()), kBadInput);
  for (const std::string& warning : world->warnings) Tell("{}\n", warning);
  ASSIGN_OR_COMPLAIN(const auto policies, ChoosePolicies(options, *world), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto objectives, ReadObjectives(options, *world, policies), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto other_loads, WorldsAtOtherLoads(options.loads, *world), kBadInput);

  if (const auto window = ParseTraceWindow(options); !window.has_value())
    return Complain(window.error(), kBadInput);
  COMPLAIN_IF_ERROR(CheckPace(*world, PaceOf(options)), kBadInput);

  ASSIGN_OR_COMPLAIN(const auto networks, LoadNetworks(options, *world), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto books, ReadBooks(options.continued, *world), kBadInput);
  if (options.books == options.continued) AllowOverwriting(options.books);  // they go on
  std::vector<RunSpec> specs = SpecsOf(options, *world, policies);
  for (RunSpec& spec : specs) {
    spec.pace = PaceOf(options);
    spec.networks = networks.get();
    spec.books = books;
    spec.compare = options.compare;
  }
  if (PrintsARun(options) && specs.size() > 1)
    return Complain({fmt::format("standard output ('-') takes the file of one run; these are {}",
                                 specs.size())},
                    kBadInput);
  signals.Arm();
  const auto runs = RunAndReport(options, *world, other_loads, specs, signals.token());
  if (!runs.has_value())
    return Complain({runs.error().message + "\nOutput files that are there are complete" +
                     (options.recording.empty()
                          ? "."
                          : "; the recording of what failed is cut off there: replay --cut-off.")},
                    kCouldNotGoOn);

  // What an interrupted run would have come to is not known.
  std::vector<ObjectiveVerdict> verdicts;
  if (signals.signal() == 0) verdicts = Judge(objectives, *runs);
  const std::string text = ResultText(options.form, *world, *runs, verdicts, objectives);
  COMPLAIN_IF_ERROR(Print(options, text), kCouldNotGoOn);
  TellOfWrongPlans(*runs);
  TellOfSilence(*world, *runs);
  if (signals.signal() != 0) {
    Tell("interrupted: {} of {} runs ended\n",
         std::ranges::count(*runs, false, &RunFigures::interrupted), specs.size());
    return kInterrupted + signals.signal();
  }
  return TellOfUnmet(verdicts);
}

}  // namespace fairlead
