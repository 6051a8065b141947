#include "fairlead/profiling/machine_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fairlead/base/statistics.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/core_list.h"

namespace fairlead {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMillion = 1e6;
constexpr double kQuiet = 0.05;  // others may use so much
constexpr double kMebi = 1024.0 * 1024.0;

Slowdowns SummariseSlowdowns(std::vector<double> slowdowns) {
  if (slowdowns.empty()) return {};
  std::ranges::sort(slowdowns);
  return {.count = slowdowns.size(),
          .median = Quantile(slowdowns, 0.5),
          .p90 = Quantile(slowdowns, 0.9)};
}

double AloneInMix(const MachineProfile& machine, const NetworkMix& mix, std::size_t partition) {
  const auto network = static_cast<std::size_t>(mix.networks[partition]);
  return machine.Alone(network, 0, partition).burst;
}

std::int64_t TrafficOf(const ProfiledNetwork& network) {
  std::int64_t bytes = 0;
  for (const ProfiledLayer& layer : network.layers) bytes += layer.dram_bytes;
  return bytes;
}

// ---- For people ------------------------------------------------------------------------------

std::string PartitionsText(const MachineProfile& machine, const MachineReport& report) {
  std::string text =
      fmt::format("{}\n\n{:<12}{:<14}{:<14}{:>11}{:>12}{:>15}\n",
                  report.processor.empty() ? "This machine" : report.processor, "partition",
                  "cores", "instructions", "cache MiB", "reads GB/s", "together GB/s");
  for (std::size_t p = 0; p < machine.partitions.size(); ++p) {
    const ProfiledPartition& partition = machine.partitions[p];
    text += fmt::format("{:<12}{:<14}{:<14}{:>11.1f}{:>12.1f}{:>15.1f}\n", partition.name,
                        FormatCores(partition.cores), report.instructions[p],
                        static_cast<double>(partition.cache_bytes) / kMebi,
                        partition.read_alone / 1e9, partition.read_together / 1e9);
  }
  return text;
}

std::string AloneText(const MachineProfile& machine) {
  std::string text = fmt::format("{:<22}{:>6}  {:<5}{:>9}{:>9}{:>9}{:>8}{:>9}\n", "alone", "batch",
                                 "on", "ms", "spread", "burst", "layers", "MB");
  for (const ProfiledNetwork& network : machine.alone) {
    text += fmt::format("{:<22}{:>6}  {:<5}{:>9.3f}{:>7.1f} %{:>9.3f}{:>8.3f}{:>9.1f}\n",
                        machine.networks[network.network], network.batch,
                        machine.partitions[network.partition].name, network.nanoseconds / kMillion,
                        100 * network.spread, network.burst / kMillion, network.layers_sum,
                        static_cast<double>(TrafficOf(network)) / 1e6);
  }
  return text;
}

std::string MixesText(const MachineProfile& machine, const MachineReport& report) {
  std::string text = fmt::format("{:<26}  {:<5}{:>9}{:>9}{:>10}{:>11}{:>8}\n", "side by side", "on",
                                 "ms", "alone", "slowdown", "simulated", "error");
  for (std::size_t m = 0; m < machine.mixes.size(); ++m) {
    const NetworkMix& mix = machine.mixes[m];
    std::string number = std::to_string(m);
    for (std::size_t p = 0; p < mix.networks.size(); ++p) {
      if (mix.networks[p] == kIdle) continue;
      const double alone = AloneInMix(machine, mix, p);
      const double simulated = report.predictions[m].nanoseconds[p];
      text += fmt::format("{:<4}{:<22}  {:<5}{:>9.3f}{:>9.3f}{:>10.3f}{:>11.3f}{:>6.1f} %\n",
                          std::exchange(number, ""),
                          machine.networks[static_cast<std::size_t>(mix.networks[p])],
                          machine.partitions[p].name, mix.nanoseconds[p] / kMillion,
                          alone / kMillion, mix.nanoseconds[p] / alone, simulated / kMillion,
                          100 * (simulated / mix.nanoseconds[p] - 1));
    }
  }
  return text;
}

std::string NoiseText(std::string_view what, const NoiseFloor& noise) {
  if (noise.cases == 0) return {};
  return fmt::format(
      "  {} measured twice: {:.1f} % apart in the median, {:.1f} % at the 90th "
      "percentile ({} in all)\n",
      what, 100 * noise.median, 100 * noise.p90, noise.cases);
}

std::string SlowdownText(std::string_view what, const Slowdowns& slowdowns) {
  if (slowdowns.count == 0) return {};
  return fmt::format(
      "  {} side by side: {:.3f} times as long in the median, {:.3f} at the 90th "
      "percentile ({})\n",
      what, slowdowns.median, slowdowns.p90, slowdowns.count);
}

std::string FactsText(const MachineProfile& machine, const MachineReport& report) {
  std::string text = fmt::format(
      "In {:.0f} s, {} round{}. ms: as requests meet it, the median in turn with the others; "
      "burst: repeated, as side by side; layers: their sum over the whole; MB: of traffic.\n",
      machine.seconds, machine.rounds, machine.rounds == 1 ? "" : "s");
  text += SlowdownText("layers", LayerSlowdowns(machine));
  text += SlowdownText("networks", NetworkSlowdowns(machine));
  text += NoiseText("layers", NoiseOf(machine.coruns));
  text += NoiseText("networks", NoiseOf(machine.mixes));
  const PredictionErrors errors = ErrorsOf(machine, report.predictions);
  if (errors.count > 0)
    text += fmt::format(
        "  the simulator with {} of memory, shared {}: {:.1f} % off in the median, "
        "{:.1f} % at most ({} latencies)\n",
        FormatBandwidth(report.bandwidth), report.sharing, 100 * errors.median,
        100 * errors.largest, errors.count);
  text += fmt::format(
      "  other programs used {:.1f} % of these cores and disturbed {:.1f} % of the "
      "passes; {:.1f} % was stolen\n",
      100 * machine.others_share, 100 * machine.disturbed_share, 100 * machine.stolen_share);
  if (machine.others_share > kQuiet || machine.stolen_share > kQuiet)
    text +=
        "  that is much: measure again when the machine is quieter, or with a higher priority\n";
  text += machine.no_counters.empty()
              ? "  traffic: misses of the last-level cache, as the processor counts them\n"
              : "  " + machine.no_counters + ": traffic is counted by the networks' shapes\n";
  return text;
}

// ---- For programs ----------------------------------------------------------------------------

Json PartitionsJson(const MachineProfile& machine, const MachineReport& report) {
  Json list = Json::array();
  for (std::size_t p = 0; p < machine.partitions.size(); ++p) {
    const ProfiledPartition& partition = machine.partitions[p];
    list.push_back({{"name", partition.name},
                    {"cores", partition.cores},
                    {"instructions", report.instructions[p]},
                    {"cache_bytes", partition.cache_bytes},
                    {"read_bytes_per_s", partition.read_alone},
                    {"read_together_bytes_per_s", partition.read_together}});
  }
  return list;
}

Json AloneJson(const MachineProfile& machine) {
  Json list = Json::array();
  for (const ProfiledNetwork& network : machine.alone) {
    list.push_back({{"network", machine.networks[network.network]},
                    {"batch", network.batch},
                    {"partition", machine.partitions[network.partition].name},
                    {"layers", network.layers.size()},
                    {"latency_ns", network.nanoseconds},
                    {"spread", network.spread},
                    {"burst_ns", network.burst},
                    {"median_ns", network.median},
                    {"layers_over_whole", network.layers_sum},
                    {"dram_bytes", TrafficOf(network)}});
  }
  return list;
}

Json MixesJson(const MachineProfile& machine, const MachineReport& report) {
  Json list = Json::array();
  for (std::size_t m = 0; m < machine.mixes.size(); ++m) {
    const NetworkMix& mix = machine.mixes[m];
    Json lanes = Json::array();
    for (std::size_t p = 0; p < mix.networks.size(); ++p) {
      if (mix.networks[p] == kIdle) continue;
      const double simulated = report.predictions[m].nanoseconds[p];
      lanes.push_back({{"partition", machine.partitions[p].name},
                       {"network", machine.networks[static_cast<std::size_t>(mix.networks[p])]},
                       {"latency_ns", mix.nanoseconds[p]},
                       {"slowdown", mix.nanoseconds[p] / AloneInMix(machine, mix, p)},
                       {"simulated_ns", simulated},
                       {"error", simulated / mix.nanoseconds[p] - 1}});
    }
    list.push_back(std::move(lanes));
  }
  return list;
}

Json NoiseJson(const NoiseFloor& noise) {
  if (noise.cases == 0) return nullptr;
  return {{"pairs", noise.cases}, {"median", noise.median}, {"p90", noise.p90}};
}

Json SlowdownJson(const Slowdowns& slowdowns) {
  if (slowdowns.count == 0) return nullptr;
  return {{"count", slowdowns.count}, {"median", slowdowns.median}, {"p90", slowdowns.p90}};
}

}  // namespace

PredictionErrors ErrorsOf(const MachineProfile& machine,
                          const std::vector<MixPrediction>& predictions) {
  std::vector<double> errors;
  for (std::size_t m = 0; m < predictions.size(); ++m) {
    for (double error : ErrorsOf(machine.mixes[m], predictions[m]))
      errors.push_back(std::abs(error));
  }
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  return {.count = errors.size(), .median = Quantile(errors, 0.5), .largest = errors.back()};
}

Slowdowns LayerSlowdowns(const MachineProfile& machine) {
  std::vector<double> slowdowns;
  for (const LayerCoRun& corun : machine.coruns)
    slowdowns.push_back(corun.nanoseconds /
                        machine.layers[corun.layer].nanoseconds[corun.partition]);
  return SummariseSlowdowns(std::move(slowdowns));
}

Slowdowns NetworkSlowdowns(const MachineProfile& machine) {
  std::vector<double> slowdowns;
  for (const NetworkMix& mix : machine.mixes) {
    for (std::size_t p = 0; p < mix.networks.size(); ++p) {
      if (mix.networks[p] != kIdle)
        slowdowns.push_back(mix.nanoseconds[p] / AloneInMix(machine, mix, p));
    }
  }
  return SummariseSlowdowns(std::move(slowdowns));
}

std::string MachineAsTable(const MachineProfile& machine, const MachineReport& report) {
  std::string text = PartitionsText(machine, report) + "\n" + AloneText(machine) + "\n";
  if (!machine.mixes.empty()) text += MixesText(machine, report) + "\n";
  return text + FactsText(machine, report);
}

std::string MachineScenario(const MachineProfile& machine, const MachineReport& report) {
  // Strings of JSON are strings of YAML.
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  double slowest = 0;
  for (const ProfiledNetwork& network : machine.alone)
    slowest = std::max(slowest, network.nanoseconds);
  // So that there are a couple of thousand requests.
  const Duration horizon{std::max<std::int64_t>(std::llround(slowest), 1) * 2000};
  std::string text = fmt::format(
      "# Written by fairlead profile: tenants on this machine as it was measured.\n"
      "name: measured\n"
      "policies: [fcfs-h, edf-h, 'edf-h:drop=early', edf-share]\n"
      "horizon: {}\n"
      "load: 0.7\n"
      "networks:\n"
      "  profile: profile.csv\n",
      FormatDuration(horizon));
  if (!report.onnx.empty()) text += "  onnx:\n";
  for (const std::string& file : report.onnx) text += fmt::format("    - {}\n", quoted(file));
  if (!machine.hand_overs.None()) text += fmt::format("hand_overs: {}\n", kHandOversFile);
  text += fmt::format(
      "platform:\n"
      "  bandwidth: {}\n"
      "  sharing: {}\n"
      "  accelerators:\n",
      FormatBandwidth(report.bandwidth), report.sharing);
  for (std::size_t p = 0; p < machine.partitions.size(); ++p) {
    text += fmt::format("    - {{kind: {}, cores: [{}], instructions: {}}}\n",
                        quoted(machine.partitions[p].name),
                        fmt::join(machine.partitions[p].cores, ", "), report.instructions[p]);
  }
  text += "deadlines: {factor: 4}\narrivals: {process: poisson}\ntenants:\n";
  for (const std::string& network : machine.networks)
    text += fmt::format("  - {{name: {0}, networks: [{0}], target: 90%}}\n", quoted(network));
  return text;
}

std::string MachineAsJson(const MachineProfile& machine, const MachineReport& report) {
  const PredictionErrors errors = ErrorsOf(machine, report.predictions);
  Json json = {
      {"version", report.version},
      {"processor", report.processor},
      {"seed", report.seed},
      {"rounds", machine.rounds},
      {"seconds", machine.seconds},
      {"partitions", PartitionsJson(machine, report)},
      {"bandwidth_bytes_per_s", report.bandwidth},
      {"sharing", report.sharing},
      {"alone", AloneJson(machine)},
      {"mixes", MixesJson(machine, report)},
      {"slowdown",
       {{"layers", SlowdownJson(LayerSlowdowns(machine))},
        {"networks", SlowdownJson(NetworkSlowdowns(machine))}}},
      {"noise",
       {{"layers", NoiseJson(NoiseOf(machine.coruns))},
        {"networks", NoiseJson(NoiseOf(machine.mixes))}}},
      {"prediction_error", nullptr},
      {"disturbed_share", machine.disturbed_share},
      {"others_share", machine.others_share},
      {"stolen_share", machine.stolen_share},
      {"counters", machine.events},
      {"no_counters", machine.no_counters.empty() ? Json(nullptr) : Json(machine.no_counters)}};
  if (errors.count > 0)
    json["prediction_error"] = {
        {"count", errors.count}, {"median", errors.median}, {"largest", errors.largest}};
  // Names come from files and may hold anything: what is not UTF-8 is replaced, never thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fairlead
