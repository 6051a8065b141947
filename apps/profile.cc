// fairlead profile
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/random_layers.h"
#include "fairlead/networks/weight_drawing.h"
#include "fairlead/profiling/machine_profiler.h"
#include "fairlead/profiling/machine_report.h"
#include "fairlead/profiling/machine_tables.h"
#include "fairlead/running/hand_over_profile.h"
#include "fairlead/running/mix_check.h"
#include "fairlead/serving/clock.h"
#include "fairlead/world/cpu_partitions.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

constexpr Sharing kSharing = Sharing::kMaxMin;

// What is measured, and where.
struct Subject {
  std::vector<OperatorGraph> graphs;
  std::optional<OperatorGraph> drawn;  // layers at random
  std::vector<CpuPartitionSpec> specs;
  std::vector<std::unique_ptr<Processor>> processors;
};

Result<std::vector<OperatorGraph>> FindGraphs(const ProfileOptions& options) {
  std::vector<OperatorGraph> graphs;
  for (const std::string& name : options.networks) {
    // How long a network takes does not depend on its weights.
    ASSIGN_OR_RETURN(OperatorGraph graph,
                     FindGraphByName(name, &ReadInput, {.weights_seed = options.seed}));
    const bool twice = std::ranges::any_of(
        graphs, [&](const OperatorGraph& other) { return other.name == graph.name; });
    if (twice) return Fail("network '{}' stands twice", graph.name);
    if (graph.operators.empty()) return Fail("network '{}' has no operators", graph.name);
    graphs.push_back(FuseOperators(std::move(graph)));
  }
  return graphs;
}

Result<Subject> Prepare(const ProfileOptions& options) {
  Subject subject;
  ASSIGN_OR_RETURN(subject.specs, CutCores({.sizes = options.partitions,
                                            .cores = options.cores,
                                            .instructions = options.instructions},
                                           Machine::This().UsableCores()));
  ASSIGN_OR_RETURN(subject.graphs, FindGraphs(options));
  if (options.random_layers > 0)
    subject.drawn =
        FuseOperators(DrawWeights(RandomLayers(options.random_layers, options.seed), options.seed));
  for (const CpuPartitionSpec& spec : subject.specs) {
    ASSIGN_OR_RETURN(auto processor, MakeCpuPartition(spec));
    subject.processors.push_back(std::move(processor));
  }
  return subject;
}

Result<ProfilerOptions> ProfilerOptionsOf(const ProfileOptions& options) {
  ProfilerOptions parsed{.rounds = options.repetitions.value_or(options.quick ? 3 : 9),
                         .coruns = options.coruns.value_or(options.quick ? 40 : 200),
                         .mixes = options.mixes.value_or(12),
                         .seed = options.seed,
                         .first_of_alike = options.first_of_alike};
  if (options.quick) parsed.burst = std::chrono::milliseconds{100};
  if (!options.time.empty()) {
    ASSIGN_OR_RETURN(parsed.time, OfOption("--time", ParseDuration(options.time)));
  }
  if (!options.visit.empty()) {
    ASSIGN_OR_RETURN(parsed.burst, OfOption("--visit", ParseDuration(options.visit)));
    if (parsed.burst <= Duration::zero()) return Fail("--visit: expected some time");
  }
  parsed.batches.assign(options.batches.begin(), options.batches.end());
  std::ranges::sort(parsed.batches);
  if (std::ranges::adjacent_find(parsed.batches) != parsed.batches.end())
    return Fail("--batch: a size stands twice");
  return parsed;
}

Result<MachineProfile> Measure(const Subject& subject, const ProfilerOptions& options) {
  const RealClock clock;
  ProgressMeter meter(1, "measured");
  ProfilerSetup setup{.networks = {},
                      .partitions = {},
                      .drawn = subject.drawn.has_value() ? &*subject.drawn : nullptr,
                      .clock = &clock,
                      .options = options,
                      .progressed = [&](double share) { meter.Set(0, share); }};
  for (const OperatorGraph& graph : subject.graphs) setup.networks.push_back(&graph);
  for (std::size_t p = 0; p < subject.specs.size(); ++p)
    setup.partitions.push_back({subject.processors[p].get(), subject.specs[p].cores});
  return ProfileMachine(setup);
}

// Executors throw when a layer fails.
Result<MachineProfile> MeasureSafely(const Subject& subject, const ProfilerOptions& options) {
  try {
    return Measure(subject, options);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    return Fail("a layer failed while it was measured: {}", failure.what());
  }
}

Result<MachineReport> Report(const Subject& subject, const MachineProfile& machine,
                             const ProfileOptions& options) {
  MachineReport report{.version = FAIRLEAD_VERSION,
                       .processor = Machine::This().ProcessorName(),
                       .instructions = {},
                       .onnx = {},
                       .seed = options.seed,
                       .sharing = std::string(ToString(kSharing)),
                       .predictions = {}};
  for (const CpuPartitionSpec& spec : subject.specs)
    report.instructions.emplace_back(Name(spec.cap));
  for (const std::string& network : options.networks) {
    if (network.ends_with(kOnnxEnding))
      report.onnx.push_back(std::filesystem::absolute(network).string());
  }
  // In whole megabytes, so that people can read it.
  report.bandwidth = std::max<std::int64_t>(std::llround(machine.Bandwidth() / 1e6), 1) * 1'000'000;
  ASSIGN_OR_RETURN(report.predictions, PredictMixes(machine, {report.bandwidth, kSharing}));
  return report;
}

struct NamedFile {
  std::string name;
  std::string text;
};

std::vector<NamedFile> FilesOf(const MachineProfile& machine, const MachineReport& report) {
  const Profile profile = ProfileOfMachine(machine);
  std::vector<NamedFile> files = {{"profile.csv", FormatProfile(profile)},
                                  {"layers.csv", LayersTable(machine)},
                                  {"models.csv", ModelsTable(machine)},
                                  {"networks.csv", NetworksTable(machine)},
                                  {"operators.csv", OperatorsTable(machine)}};
  if (!profile.hand_overs.None())
    files.push_back(
        {std::string(kHandOversFile), FormatHandOvers(profile.hand_overs, profile.kinds)});
  if (!machine.coruns.empty())
    files.push_back({"corun.csv", CoRunsTable(machine, Measured::kOfNetworks)});
  if (std::ranges::any_of(machine.layers, &DistinctLayer::drawn))
    files.push_back({"corun_train.csv", CoRunsTable(machine, Measured::kDrawn)});
  if (!machine.mixes.empty()) {
    const MixFiles mix = FilesOf(machine, machine.mixes.front());
    files.push_back({"mixes.csv", MixesTable(machine)});
    files.push_back({"requests.csv", mix.requests});
    files.push_back({"plan.csv", mix.plan});
  }
  if (machine.no_counters.empty()) files.push_back({"counters.csv", CountersTable(machine)});
  files.push_back({"scenario.yaml", MachineScenario(machine, report)});
  files.push_back({"summary.json", MachineAsJson(machine, report)});
  return files;
}

Status WriteFiles(const std::string& folder, const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    ASSIGN_OR_RETURN(const auto output, OutputFile::Open(folder + "/" + file.name));
    output->stream() << file.text;
    RETURN_IF_ERROR(output->Commit());
  }
  return {};
}

std::string NextCommands(const std::string& folder, const MachineProfile& machine,
                         const MachineReport& report, const std::vector<NamedFile>& files) {
  std::string written = fmt::format("Written to {}:", folder);
  for (const NamedFile& file : files) written += ' ' + file.name;
  std::string text = "\n" + WithinWidth(written);
  text += fmt::format(
      "Next, tenants with promises on this machine, simulated, and live on it:\n"
      "  {1} simulate {0}/scenario.yaml\n"
      "  {1} simulate {0}/scenario.yaml --live run\n",
      folder, TypedCommand());
  if (!machine.mixes.empty())
    text += fmt::format(
        "or the first mix:\n"
        "  {3} simulate --profile {0}/profile.csv --requests {0}/requests.csv \\\n"
        "      --plan {0}/plan.csv --bandwidth {1} --sharing {2} --outcomes {0}/outcomes.csv\n",
        folder, FormatBandwidth(report.bandwidth), report.sharing, TypedCommand());
  return text;
}

void TellOfNoCoreLeft(const Subject& subject) {
  std::size_t taken = 0;
  for (const CpuPartitionSpec& spec : subject.specs) taken += spec.cores.size();
  if (taken >= Machine::This().UsableCores().size()) fmt::print(stderr, "{}", kNoCoreLeft);
}

}  // namespace

int Run(const ProfileOptions& options) {
  const SignalWatch signals;
  ASSIGN_OR_COMPLAIN(const auto profiler_options, ProfilerOptionsOf(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto subject, Prepare(options), kBadInput);
  COMPLAIN_IF_ERROR(MakeFolder(options.out, "summary.json"), kBadInput);

  TellOfNoCoreLeft(subject);
  ASSIGN_OR_COMPLAIN(auto machine, MeasureSafely(subject, profiler_options), kCouldNotGoOn);
  ASSIGN_OR_COMPLAIN(const auto report, Report(subject, machine, options), kCouldNotGoOn);
  if (!options.no_hand_overs) {
    ASSIGN_OR_COMPLAIN(auto hand_overs,
                       MeasureHandOvers({.scenario = MachineScenario(machine, report),
                                         .profile = FormatProfile(ProfileOfMachine(machine)),
                                         .read = &ReadFile,
                                         .time = std::chrono::seconds(options.quick ? 2 : 6),
                                         .seed = options.seed}),
                       kCouldNotGoOn);
    machine.hand_overs = std::move(hand_overs);
  }
  const std::vector<NamedFile> files = FilesOf(machine, report);
  COMPLAIN_IF_ERROR(WriteFiles(options.out, files), kCouldNotGoOn);

  if (options.form == OutputForm::kJson) {
    fmt::print("{}", MachineAsJson(machine, report));
  } else {
    fmt::print("{}{}", WithinWidth(MachineAsTable(machine, report)),
               NextCommands(options.out, machine, report, files));
  }
  return kDone;
}

}  // namespace fairlead
