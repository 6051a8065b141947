// A small measured machine for tests: two partitions, the second half as fast, and two networks.
#pragma once

#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

inline MachineProfile TestMachine() {
  MachineProfile machine;
  machine.networks = {"mobile_net", "tiny"};
  machine.batches = {1};
  machine.partitions = {{.name = "p0",
                         .cores = {0, 1},
                         .cache_bytes = 16 << 20,
                         .read_alone = 20e9,
                         .read_together = 15e9},
                        {.name = "p1",
                         .cores = {2},
                         .cache_bytes = 8 << 20,
                         .read_alone = 10e9,
                         .read_together = 5e9}};
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t p = 0; p < 2; ++p) {
      const double scale = static_cast<double>(p + 1);
      ProfiledNetwork network{.network = n,
                              .partition = p,
                              .nanoseconds = (n == 0 ? 600'000 : 200'000) * scale,
                              .spread = 0.02,
                              .burst = (n == 0 ? 600'000 : 200'000) * scale,
                              .median = (n == 0 ? 610'000 : 205'000) * scale,
                              .layers_sum = 1.01,
                              .layers = {}};
      network.layers = {{.name = "conv, first",
                         .implementation = "jit",
                         .nanoseconds = 200'000 * scale,
                         .dram_bytes = 1'000'000,
                         .counts = {}}};
      if (n == 0) {
        network.layers.push_back({.name = "fc",
                                  .implementation = "gemm",
                                  .nanoseconds = 400'000 * scale,
                                  .dram_bytes = 0,
                                  .counts = {}});
        network.layers.push_back({.name = "reshape",
                                  .implementation = "none",
                                  .nanoseconds = 0.2,
                                  .dram_bytes = 50,
                                  .counts = {}});
      }
      machine.alone.push_back(std::move(network));
    }
  }
  const OperatorLayer conv{
      .cin = 3, .cout = 8, .kh = 3, .kw = 3, .stride = 2, .pad_h = 1, .pad_w = 1, .h = 32, .w = 32};
  const OperatorLayer linear{.linear = true, .n = 1, .cin = 64, .cout = 10};
  machine.layers = {{.shape = conv, .nanoseconds = {150'000, 310'001}},
                    {.shape = linear, .position = 1, .nanoseconds = {390'000, 800'000}}};
  machine.network_layers = {{0, 1}, {0}};
  machine.coruns = {{.layer = 0, .partition = 0, .others = {kIdle, 1}, .nanoseconds = 165'000},
                    {.layer = 0, .partition = 0, .others = {kIdle, 1}, .nanoseconds = 168'300},
                    {.layer = 1, .partition = 1, .others = {0, kIdle}, .nanoseconds = 1'200'000}};
  machine.mixes = {{.networks = {0, 1}, .nanoseconds = {660'000, 480'000}},
                   {.networks = {1, kIdle}, .nanoseconds = {200'000, 0}}};
  machine.no_counters = "no perf counters: cycles cannot be counted";
  machine.rounds = 9;
  return machine;
}

}  // namespace fairlead
