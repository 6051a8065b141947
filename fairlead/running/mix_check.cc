#include "fairlead/running/mix_check.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "fairlead/base/csv.h"
#include "fairlead/profiling/machine_tables.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

constexpr double kPassesOfTheSlowest = 20;
constexpr double kMostPasses = 2000;

// How often each partition runs its network; 0 where idle.
std::vector<int> PassesOf(const MachineProfile& machine, const NetworkMix& mix) {
  double slowest = 0;
  for (std::size_t p = 0; p < mix.networks.size(); ++p) {
    if (mix.networks[p] != kIdle)
      slowest =
          std::max(slowest, machine.Alone(static_cast<std::size_t>(mix.networks[p]), 0, p).burst);
  }
  std::vector<int> passes(mix.networks.size());
  for (std::size_t p = 0; p < passes.size(); ++p) {
    if (mix.networks[p] == kIdle) continue;
    const double own = machine.Alone(static_cast<std::size_t>(mix.networks[p]), 0, p).burst;
    passes[p] = static_cast<int>(
        std::min(std::ceil(kPassesOfTheSlowest * slowest / std::max(own, 1.0)), kMostPasses));
  }
  return passes;
}

// Networks repeat back to back in mixes.
MachineProfile InBursts(MachineProfile machine) {
  for (ProfiledNetwork& network : machine.alone) {
    const double factor = network.burst / network.nanoseconds;
    for (ProfiledLayer& layer : network.layers) layer.nanoseconds *= factor;
  }
  return machine;
}

// Requests are numbered partition by partition.
std::vector<Instant> FinishesOf(std::span<const LoggedJob> jobs, std::size_t first, int count) {
  std::vector<Instant> finishes(static_cast<std::size_t>(count));
  for (const LoggedJob& job : jobs) {
    if (job.request >= first && job.request < first + finishes.size())
      finishes[job.request - first] = job.finish;
  }
  return finishes;
}

MixPrediction MeansOf(std::span<const LoggedJob> jobs, const std::vector<int>& passes) {
  std::vector<std::vector<Instant>> finishes;
  std::size_t first = 0;
  Instant end = kNever;  // of the partition that is through first
  for (int count : passes) {
    finishes.push_back(FinishesOf(jobs, first, count));
    first += static_cast<std::size_t>(count);
    if (count > 0) end = std::min(end, finishes.back().back());
  }
  MixPrediction prediction;
  for (const std::vector<Instant>& own : finishes) {
    // At least one pass, even if it lasts longer than all of the others'.
    const auto counted =
        std::max<std::ptrdiff_t>(std::ranges::upper_bound(own, end) - own.begin(), 1);
    prediction.nanoseconds.push_back(
        own.empty() ? 0
                    : static_cast<double>(Nanoseconds(own[static_cast<std::size_t>(counted) - 1])) /
                          static_cast<double>(counted));
  }
  return prediction;
}

Result<MixPrediction> Predict(const MachineProfile& machine, const NetworkMix& mix,
                              const std::string& profile, const SharedMemory& memory) {
  const MixFiles files = FilesOf(machine, mix);
  const BareWorldOptions options{.profile = "profile.csv",
                                 .requests = "requests.csv",
                                 .plan = "plan.csv",
                                 .bandwidth = memory.bandwidth,
                                 .sharing = memory.sharing};
  const FileReader read = [&](const std::string& path) -> Result<std::string> {
    if (path == options.profile) return profile;
    return path == options.plan ? files.plan : files.requests;
  };
  ASSIGN_OR_RETURN(const auto world, BuildBareWorld(options, read));
  SeededWorld seeded(*world, 1);
  ASSIGN_OR_RETURN(auto policy, seeded.Policy("fixed-plan"));
  SimulationSetup setup = seeded.Setup();
  OutcomeLog log;
  setup.listener = &log;
  Simulator simulator(std::move(setup), std::move(policy));
  RETURN_IF_ERROR(simulator.Run());
  return MeansOf(log.jobs(), PassesOf(machine, mix));
}

}  // namespace

MixFiles FilesOf(const MachineProfile& machine, const NetworkMix& mix) {
  MixFiles files{.requests = "request,arrival_ns,tenant,network,deadline_ns\n",
                 .plan = "request,layer,accelerator,order\n"};
  const std::vector<int> passes = PassesOf(machine, mix);
  std::size_t request = 0;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const std::string& partition = machine.partitions[p].name;
    std::size_t order = 0;
    for (int pass = 0; pass < passes[p]; ++pass, ++request) {
      const ProfiledNetwork& network =
          machine.Alone(static_cast<std::size_t>(mix.networks[p]), 0, p);
      files.requests +=
          fmt::format("{},0,{},{},{}\n", request, CsvField(partition),
                      CsvField(machine.networks[network.network]),
                      std::max<std::int64_t>(std::llround(network.burst), 1) * passes[p] * 2);
      for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
        files.plan += fmt::format("{},{},{},{}\n", request, layer, CsvField(partition), order++);
    }
  }
  return files;
}

Result<std::vector<MixPrediction>> PredictMixes(const MachineProfile& machine,
                                                const SharedMemory& memory) {
  const std::string profile = FormatProfile(ProfileOfMachine(InBursts(machine)));
  std::vector<MixPrediction> predictions;
  for (const NetworkMix& mix : machine.mixes) {
    ASSIGN_OR_RETURN(MixPrediction prediction, Predict(machine, mix, profile, memory));
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace fairlead
