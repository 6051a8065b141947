// How long recipes take on the calling thread's partition.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

#include "fairlead/execution/onednn/recipe.h"

namespace fairlead {

struct TimingCase {
  const Recipe* recipe = nullptr;  // not owned
  std::vector<std::size_t> read_bytes;
  std::size_t output_bytes = 0;
};

// The least time of each in nanoseconds, on zeros. Rivals take turns, so that what disturbs the
// machine for a while disturbs all; those far behind the best are timed once or twice only.
// Infinite where oneDNN fails.
std::vector<double> TimeRecipes(std::span<const TimingCase> cases, const dnnl::engine& engine,
                                const dnnl::stream& stream);

}  // namespace fairlead
