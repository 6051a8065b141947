// What the simulator says about networks side by side, beside what was measured.
#pragma once

#include <vector>

#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

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

}  // namespace fairlead
