// A processor of equal units (cores, multiprocessors) as a roofline: a layer takes a fixed overhead
// and then the longer of its arithmetic and its compulsory traffic, both of which go faster with
// more units until the memory is busy. What such processors reach on layers that do not fill them
// is folded into the rates.
#pragma once

#include <cstdint>

#include "fairlead/base/time.h"
#include "fairlead/costs/layer_cost.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

struct UnitRoofline {
  std::int64_t units = 1;
  double gmacs_per_s = 1;  // of one unit
  double depthwise_gmacs_per_s =
      0;                         // of one unit, where each input has its own kernel; 0: the same
  double vector_gops_per_s = 1;  // of one unit, in operators that do not multiply
  double unit_gb_per_s = 1;      // what one unit can draw
  double dram_gb_per_s = 16;     // what all can draw together
  Duration overhead{};           // of each layer: launching, synchronising
  std::int64_t word_bits = 32;
  double mac_pj = 0;
  double dram_pj_per_byte = 64;
};

// Precondition: 1 <= units <= processor.units.
LayerCost CostOn(const UnitRoofline& processor, const LayerShape& shape, std::int64_t units);

}  // namespace fairlead
