#include "fairlead/scenario/ready_platforms.h"

namespace fairlead {

std::span<const ReadyPlatform> ReadyPlatforms() {
  static const std::vector<ReadyPlatform> platforms = {
      {.name = "h200-partitions",
       .description = "an H200 cut into 64, 32, 16 and 16 multiprocessors; measured, 16 bit",
       .bandwidth = 4'800'000'000'000,
       .accelerators = {{.kind = "p0"}, {.kind = "p1"}, {.kind = "p2"}, {.kind = "p3"}},
       .measured = true},
      {.name = "xeon-16",
       .description = "16 cores of a Xeon as units of one accelerator; measured, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = "cores-16",
       .description = "16 cores as units, networks in two versions; our own executor, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = "xavier",
       .description = "a GPU and two DLAs, which leave some operators to it; rooflines, 16 bit",
       .bandwidth = 137'000'000'000,
       .accelerators = {{.kind = "xavier-gpu"}, {.kind = "xavier-dla", .count = 2}}},
  };
  return platforms;
}

}  // namespace fairlead
