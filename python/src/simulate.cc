// fairlead.simulate: runs under policies of the registry and of Python, and their results as JSON.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/report/run_json.h"
#include "fairlead/report/table.h"
#include "fairlead/running/run.h"
#include "fairlead/world/objective_text.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"
#include "python/src/agent_policy.h"
#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/python_policy.h"
#include "python/src/python_world.h"

namespace py = pybind11;

namespace fairlead {
namespace {

// A policy to run: of the registry by its spec, or of Python.
struct ChosenPolicy {
  std::string name;
  py::object maker;  // called with the seed; None: the registry's
};

struct SimulateCall {
  std::vector<ChosenPolicy> policies;
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> require;
  int jobs = 0;  // 0: one per core
  bool bounds = true;
  std::string outcomes, trace, recording;  // files of the only run; may be empty
};

// What one run writes.
class RunFiles {
 public:
  explicit RunFiles(const SimulateCall& call) {
    Open(outcomes_, call.outcomes);
    Open(trace_, call.trace);
    Open(recording_, call.recording);
  }
  RunOutputs outputs() {
    RunOutputs outputs;
    if (outcomes_.is_open()) outputs.outcomes = &outcomes_;
    if (trace_.is_open()) outputs.trace = &trace_;
    if (recording_.is_open()) outputs.recording = &recording_;
    return outputs;
  }
  void Close() {
    for (std::ofstream* file : {&outcomes_, &trace_, &recording_}) {
      if (!file->is_open()) continue;
      file->close();
      if (file->fail()) throw RunError("a file of the run could not be written");
    }
  }

 private:
  static void Open(std::ofstream& file, const std::string& path) {
    if (path.empty()) return;
    file.open(path, std::ios::binary);
    if (!file.is_open()) throw InputError(path + ": cannot be written");
  }

  std::ofstream outcomes_;
  std::ofstream trace_;
  std::ofstream recording_;
};

// Runs of the registry's policies, side by side; meanwhile Python hears of signals.
std::vector<RunFigures> RunNative(const World& world, const SimulateCall& call,
                                  std::vector<RunSpec> specs, RunFiles& files) {
  if (specs.empty()) return {};
  std::stop_source stop;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  RunPlan plan{.specs = std::move(specs), .stop = stop.get_token()};
  plan.threads =
      std::min<int>(call.jobs > 0 ? call.jobs : cores, static_cast<int>(plan.specs.size()));
  plan.open = [&](std::size_t) -> Result<RunOutputs> { return files.outputs(); };
  bool interrupted = false;
  std::optional<Result<std::vector<RunFigures>>> figures;
  {
    const py::gil_scoped_release unlocked;
    auto running = std::async(std::launch::async, [&] { return RunAll(world, plan); });
    while (running.wait_for(std::chrono::milliseconds{50}) != std::future_status::ready) {
      const py::gil_scoped_acquire locked;
      if (interrupted || PyErr_CheckSignals() == 0) continue;
      interrupted = true;
      stop.request_stop();
    }
    figures.emplace(running.get());
  }
  if (interrupted) throw py::error_already_set();
  if (!figures->has_value()) RaiseRun(figures->error());
  return std::move(**figures);
}

// One run of a policy of Python's, on this thread.
RunFigures RunPython(const World& world, RunSpec spec, const py::object& maker, RunFiles& files) {
  PythonFailure failure;
  spec.stop = failure.stop.get_token();
  const py::object first = maker(spec.seed);
  bool begun = false;
  spec.own = [&](std::uint64_t seed) -> std::unique_ptr<SchedulingPolicy> {
    const py::gil_scoped_acquire locked;
    py::object policy = first;
    try {
      if (std::exchange(begun, true)) policy = maker(seed);  // its guard lets it return
    } catch (py::error_already_set& error) {
      failure.raised.emplace(std::move(error));
      failure.stop.request_stop();
    }
    if (!py::hasattr(policy, "decide")) return MakeAgentPolicy(spec.policy, policy, failure);
    return std::make_unique<PythonPolicy>(spec.policy, std::move(policy), failure);
  };
  std::optional<Result<RunFigures>> figures;
  {
    const py::gil_scoped_release unlocked;
    figures.emplace(RunOnce(world, spec, files.outputs()));
  }
  if (failure.raised.has_value()) throw py::error_already_set(std::move(*failure.raised));
  if (!figures->has_value()) RaiseRun(figures->error());
  return std::move(**figures);
}

std::vector<RunFigures> RunAllOf(const World& world, const SimulateCall& call, RunFiles& files) {
  BoundsBySeed bounds;
  std::vector<RunSpec> native;
  for (const ChosenPolicy& policy : call.policies) {
    if (!policy.maker.is_none()) continue;
    for (const std::uint64_t seed : call.seeds)
      native.push_back({.policy = policy.name, .seed = seed, .bounds = call.bounds});
  }
  std::vector<RunFigures> done = RunNative(world, call, std::move(native), files);
  auto next = done.begin();
  std::vector<RunFigures> all;
  for (const ChosenPolicy& policy : call.policies) {
    for (const std::uint64_t seed : call.seeds) {
      if (policy.maker.is_none()) {
        all.push_back(std::move(*next++));
        continue;
      }
      all.push_back(RunPython(
          world,
          {.policy = policy.name, .seed = seed, .bounds = call.bounds, .known_bounds = &bounds},
          policy.maker, files));
    }
  }
  return all;
}

std::vector<Objective> ObjectivesOf(const World& world, const std::vector<std::string>& require) {
  auto objectives = ResolveRequirements(world);
  if (!objectives.has_value()) RaiseInput(objectives.error());
  for (const std::string& text : require) {
    auto objective = ResolveObjective(text, world);
    if (!objective.has_value())
      throw InputError("require " + text + ": " + objective.error().message);
    objectives->push_back(std::move(*objective));
  }
  return std::move(*objectives);
}

// The specs that a list of the command line stands for. Files of policies are loaded.
std::vector<std::string> ExpandPolicies(const World& world, std::string list) {
  if (list.empty()) {
    for (const NamedPolicy& policy : world.scenario.policies)
      list += (list.empty() ? "" : ",") + policy.spec;
  }
  if (list.empty()) list = "all";
  if (const Status loaded = LoadPolicyPlugins(list); !loaded.has_value())
    RaiseInput(loaded.error());
  auto policies = ParsePolicyList(list);
  if (!policies.has_value()) RaiseInput(policies.error());
  for (const std::string& policy : *policies) {
    if (ChoosePolicy(policy)->needs.plan)
      throw InputError("policy " + policy + " needs a plan: it runs with the program alone");
  }
  return std::move(*policies);
}

// The results as JSON, and as the table that the program prints.
std::pair<std::string, std::string> Simulate(
    const World& world, const std::vector<std::pair<std::string, py::object>>& policies,
    std::vector<std::uint64_t> seeds, std::vector<std::string> require, int jobs, bool bounds,
    const std::vector<std::string>& written) {
  SimulateCall call{.policies = {},
                    .seeds = std::move(seeds),
                    .require = std::move(require),
                    .jobs = jobs,
                    .bounds = bounds,
                    .outcomes = written.at(0),
                    .trace = written.at(1),
                    .recording = written.at(2)};
  for (const auto& [name, maker] : policies) call.policies.push_back({name, maker});
  const std::vector<Objective> objectives = ObjectivesOf(world, call.require);
  RunFiles files(call);
  const std::vector<RunFigures> runs = RunAllOf(world, call, files);
  files.Close();
  const std::vector<ObjectiveVerdict> verdicts = Judge(objectives, runs);
  const ReportHeading heading{.scenario = world.scenario.name,
                              .version = FAIRLEAD_VERSION,
                              .config = ScenarioJson(world.scenario)};
  return {FormatJson(heading, runs, verdicts),
          FormatTable(world.scenario.name, runs) + FormatObjectives(verdicts)};
}

}  // namespace

void BindSimulate(py::module_& module) {
  module.def("expand_policies", &ExpandPolicies);
  module.def("simulate", &Simulate);
}

}  // namespace fairlead
