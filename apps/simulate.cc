// fairlead simulate
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apps/objective.h"
#include "apps/progress.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/config/run.h"
#include "fairlead/config/scenario.h"
#include "fairlead/config/world.h"
#include "fairlead/report/json.h"
#include "fairlead/report/table.h"

namespace fairlead {
namespace {

Result<std::unique_ptr<const World>> LoadWorld(const SimulateOptions& options) {
  if (options.profile.empty()) {
    if (options.scenario.empty())
      return Fail("fairlead simulate: name a scenario, or --profile and --requests");
    ASSIGN_OR_RETURN(const std::string text, ReadFile(options.scenario));
    ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(options.scenario, text));
    return BuildWorld(std::move(scenario), &ReadFile);
  }
  BareWorldOptions bare{
      .profile = options.profile, .requests = options.requests, .plan = options.plan};
  if (!options.bandwidth.empty()) {
    auto bandwidth = ParseBandwidth(options.bandwidth);
    if (!bandwidth.has_value()) return Fail("--bandwidth: {}", bandwidth.error().message);
    bare.bandwidth = *bandwidth;
  }
  auto sharing = ParseSharing(options.sharing);
  if (!sharing.has_value()) return Fail("--sharing: {}", sharing.error().message);
  bare.sharing = *sharing;
  return BuildBareWorld(bare, &ReadFile);
}

Result<std::vector<std::string>> ChoosePolicies(const SimulateOptions& options,
                                                const World& world) {
  std::string list = options.policies;
  if (list.empty() && world.plan.has_value()) list = "fixed-plan";
  if (list.empty()) {
    for (const std::string& policy : world.scenario.policies)
      list += (list.empty() ? "" : ",") + policy;
  }
  if (list.empty()) list = "all";
  auto policies = ParsePolicyList(list);
  if (!policies.has_value()) return Fail("--policy: {}", policies.error().message);
  return policies;
}

// The files of each run, open while it runs. A file is written under another name and takes its
// own when it is complete, so that what stands on disk is never half a result.
class RunFiles {
 public:
  RunFiles(const SimulateOptions& options, const std::vector<RunSpec>& specs)
      : specs_(specs), open_(specs.size()) {
    outputs_[0] = options.outcomes;
    outputs_[1] = options.trace;
    outputs_[2] = options.recording;
  }

  Result<RunOutputs> Open(std::size_t run) {
    std::ostream* streams[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      if (outputs_[i].empty()) continue;
      auto file = std::make_unique<OpenFile>();
      file->path = PathOf(outputs_[i], run);
      file->stream.open(file->path + ".part", std::ios::binary | std::ios::trunc);
      if (!file->stream) return Fail("{}: cannot be written: {}", file->path, std::strerror(errno));
      streams[i] = &file->stream;
      open_[run].push_back(std::move(file));
    }
    return RunOutputs{streams[0], streams[1], streams[2]};
  }

  Status Close(std::size_t run) {
    for (const std::unique_ptr<OpenFile>& file : open_[run]) {
      file->stream.close();
      if (file->stream.fail() ||
          std::rename((file->path + ".part").c_str(), file->path.c_str()) != 0)
        return Fail("{}: cannot be written: is the disk full?", file->path);
    }
    open_[run].clear();
    return {};
  }

  // What a failed run leaves.
  ~RunFiles() {
    for (const auto& files : open_) {
      for (const auto& file : files) std::remove((file->path + ".part").c_str());
    }
  }

 private:
  struct OpenFile {
    std::string path;
    std::ofstream stream;
  };

  // F.csv, or F.<policy>.<seed>.csv with several runs.
  std::string PathOf(const std::string& path, std::size_t run) const {
    if (specs_.size() == 1) return path;
    const std::size_t slash = path.find_last_of('/');
    std::size_t dot = path.find_last_of('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
    std::string policy = specs_[run].policy;
    std::ranges::replace_if(
        policy, [](char c) { return c == ':' || c == ';' || c == '='; }, '-');
    return fmt::format("{}.{}.{}{}", path.substr(0, dot), policy, specs_[run].seed,
                       path.substr(dot));
  }

  const std::vector<RunSpec>& specs_;
  std::string outputs_[3];
  std::vector<std::vector<std::unique_ptr<OpenFile>>> open_;  // per run
};

std::vector<RunSpec> Specs(const SimulateOptions& options, const World& world,
                           const std::vector<std::string>& policies) {
  const Pace pace = options.live.empty()     ? Pace::kSimulated
                    : options.live == "spin" ? Pace::kSpin
                                             : Pace::kSleep;
  std::vector<RunSpec> specs;
  for (const std::string& policy : policies) {
    for (int i = 0; i < options.seeds; ++i) {
      specs.push_back(
          {.policy = policy,
           .seed = options.seed.value_or(world.scenario.seed) + static_cast<std::uint64_t>(i),
           .pace = pace});
    }
  }
  return specs;
}

int JudgeAll(const std::vector<Objective>& objectives, const std::vector<RunFigures>& runs) {
  int status = kDone;
  for (const RunFigures& run : runs) {
    for (const Objective& objective : objectives) {
      const auto outcome = Judge(objective, run);
      if (!outcome.has_value()) return Complain(outcome.error(), kBadInput);
      if (outcome->met) continue;
      fmt::print(stderr, "not met by {} with seed {}: {}\n", run.policy, run.seed,
                 outcome->explanation);
      status = kObjectiveNotMet;
    }
  }
  return status;
}

// Two outputs in one file would destroy each other.
Status CheckOutputs(const SimulateOptions& options) {
  const std::string* const paths[] = {&options.outcomes, &options.trace, &options.recording};
  for (const std::string* path : paths) {
    if (!path->empty() && std::ranges::count(paths, *path, [](auto* p) { return *p; }) > 1)
      return Fail("two of --outcomes, --trace and --record name the same file '{}'", *path);
  }
  return {};
}

}  // namespace

int Run(const SimulateOptions& options) {
  if (const Status outputs = CheckOutputs(options); !outputs.has_value())
    return Complain(outputs.error(), kBadInput);
  std::vector<Objective> objectives;
  for (const std::string& text : options.require) {
    auto objective = ParseObjective(text);
    if (!objective.has_value()) return Complain(objective.error(), kBadInput);
    objectives.push_back(std::move(*objective));
  }
  const auto world = LoadWorld(options);
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  for (const Objective& objective : objectives) {
    const Status known = CheckFigure(objective, (*world)->platform);
    if (!known.has_value()) return Complain(known.error(), kBadInput);
  }
  const auto policies = ChoosePolicies(options, **world);
  if (!policies.has_value()) return Complain(policies.error(), kBadInput);
  for (const std::string& policy : *policies) {
    if (policy == "fixed-plan" && !(*world)->plan.has_value())
      return Complain({"--policy fixed-plan needs --plan, with --profile and --requests"},
                      kBadInput);
    if (policy != "fixed-plan" && (*world)->plan.has_value())
      return Complain({"--plan goes with --policy fixed-plan alone"}, kBadInput);
  }

  RunPlan plan;
  plan.specs = Specs(options, **world, *policies);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  plan.threads = options.jobs > 0       ? options.jobs
                 : options.live.empty() ? static_cast<int>(cores)
                                        : 1;  // live runs would disturb each other
  plan.threads = std::min(plan.threads, static_cast<int>(plan.specs.size()));
  RunFiles files(options, plan.specs);
  Result<std::vector<RunFigures>> runs;
  {
    ProgressMeter meter(plan.specs.size());
    plan.open = [&](std::size_t run) { return files.Open(run); };
    plan.close = [&](std::size_t run) { return files.Close(run); };
    plan.progressed = [&](std::size_t run, double share) { meter.Set(run, share); };
    runs = RunAll(**world, plan);
  }
  if (!runs.has_value())
    return Complain({runs.error().message + "\nOutput files that are there are complete."},
                    kCouldNotGoOn);

  const Scenario& scenario = (*world)->scenario;
  const std::string text = options.form == OutputForm::kJson
                               ? FormatJson({.scenario = scenario.name,
                                             .version = FAIRLEAD_VERSION,
                                             .config = ScenarioJson(scenario)},
                                            *runs)
                               : FormatTable(scenario.name, *runs);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return Complain({"cannot write to standard output"}, kCouldNotGoOn);
  return JudgeAll(objectives, *runs);
}

}  // namespace fairlead
