// The memory traffic of a network's operators, counted: for machines that do not let us measure it.
//
// A pass touches every weight once, so a cache that cannot hold them all (and what the largest
// operator works on) has lost each one before the next pass comes for it, as caches that forget the
// least recently used do. What an operator reads was just written, so it comes from memory only
// where the operator's own inputs and outputs exceed the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Bytes of each operator for a batch, with `cache_bytes` of cache; numbers have four bytes.
std::vector<std::int64_t> CountTraffic(const OperatorGraph& graph, std::int64_t batch,
                                       std::int64_t cache_bytes);

}  // namespace fairlead
