// Built-in accelerators as rooflines: quantised arithmetic against compulsory traffic.
//
// A layer takes the longer of its arithmetic, in whole steps of the array that its dataflow
// allows, and its compulsory traffic (inputs, weights and outputs once) at 16 bytes a cycle; all at
// 1 GHz, so a cycle is a nanosecond. Energy is so much per operation and per byte. No refetches, no
// fill and drain: against Timeloop's mapper latencies are within 10 % for 96 % of the
// layers or more, but traffic is a lower bound (data/timeloop/README.md). Analytical models with
// buffers will take its place.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/layer.h"
#include "fairlead/costs/profile.h"

namespace fairlead {

struct RooflineAccelerator {
  std::string_view name;
  std::string_view description;
  std::int64_t macs_per_cycle = 0;
  std::int64_t word_bytes = 1;
  double pj_per_mac = 0;                                // with what it moves on the chip
  double pj_per_byte = 0;                               // of the shared memory
  std::int64_t (*cycles)(const LayerShape&) = nullptr;  // of arithmetic, for one group

  SegmentCost Cost(const LayerShape& shape) const;
};

std::span<const RooflineAccelerator> RooflineAccelerators();

// All built-in networks on the named accelerators, which exist.
Profile ZooProfile(std::span<const std::string_view> accelerators);

}  // namespace fairlead
