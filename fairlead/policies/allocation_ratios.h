// Which part of each network's requests goes to which accelerator: what `goal-directed` obeys, and
// what a search over assignments finds (running/assignment_search.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// By name, so that it holds however a run numbers its world. Networks that are not named go where
// they are fast.
struct AllocationRatios {
  struct Row {
    std::string network;
    std::string accelerator;  // "dla.1"; the bare kind where there is one
    double ratio = 0;         // not negative; only their proportions within a network count
  };
  std::vector<Row> rows;
};

// CSV: network,accelerator,ratio. A pair that stands twice, and a network without a positive ratio,
// are errors.
Result<AllocationRatios> ParseAllocationRatios(const std::string& file, std::string_view text);
std::string FormatAllocationRatios(const AllocationRatios& ratios);

// Ratios for accelerators without a table.
enum class UsualRatios : std::uint8_t {
  kSpeed,  // in proportion to how fast the network is there
  kEqual,  // alike wherever it can run
};

// The ratios of a network by accelerator, which sum to 1 over those that are online and can run its
// first segment: what is away counts as if it were not listed.
// Rows that name nothing that is there are ignored. O(rows + segments x kinds + accelerators).
std::vector<double> RatiosOf(const AllocationRatios& ratios, UsualRatios usual,
                             const SystemView& view, NetworkId network);

// How long a whole network takes on a kind: segments that can't run there where they are fastest.
Duration WholeLatency(const SystemView& view, NetworkId network, KindId kind);

}  // namespace fairlead
