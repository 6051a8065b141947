// What `fairlead profile` found, for people (a table that explains itself) and for programs (JSON).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// What the simulator says about networks side by side, beside what was measured.
struct MixPrediction {
  std::vector<double> nanoseconds;  // by partition, as NetworkMix has them; 0 where idle
};

// The simulator's over the measured latency, minus 1, of every busy partition in order.
inline std::vector<double> ErrorsOf(const NetworkMix& mix, const MixPrediction& prediction) {
  std::vector<double> errors;
  for (std::size_t p = 0; p < mix.networks.size(); ++p) {
    if (mix.networks[p] != kIdle)
      errors.push_back(prediction.nanoseconds[p] / mix.nanoseconds[p] - 1);
  }
  return errors;
}

struct MachineReport {
  std::string version;
  std::string processor;                   // as the vendor calls it
  std::vector<std::string> instructions;   // by partition: the cap
  std::vector<std::string> onnx;           // files that networks came from, absolute
  std::uint64_t seed = 0;                  // of what was drawn
  std::int64_t bandwidth = 0;              // of the simulated memory
  std::string sharing;                     // and how it is divided
  std::vector<MixPrediction> predictions;  // of each mix
};

std::string MachineAsTable(const MachineProfile& machine, const MachineReport& report);
std::string MachineAsJson(const MachineProfile& machine, const MachineReport& report);

// Where the costs of hand-overs stand, beside profile.csv, if they were measured.
inline constexpr std::string_view kHandOversFile = "hand_overs.csv";

// A scenario on this machine: a tenant for each network, at a moderate load. It names profile.csv
// and kHandOversFile beside it, and what is needed to run it live.
std::string MachineScenario(const MachineProfile& machine, const MachineReport& report);

// The absolute errors of all predictions.
struct PredictionErrors {
  std::size_t count = 0;
  double median = 0;
  double largest = 0;
};
PredictionErrors ErrorsOf(const MachineProfile& machine,
                          const std::vector<MixPrediction>& predictions);

// Latency side by side over latency alone: of all layers in co-runs, or of all networks in mixes.
struct Slowdowns {
  std::size_t count = 0;
  double median = 0;
  double p90 = 0;
};
Slowdowns LayerSlowdowns(const MachineProfile& machine);
Slowdowns NetworkSlowdowns(const MachineProfile& machine);

}  // namespace fairlead
