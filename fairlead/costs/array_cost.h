// The cost of a layer on an accelerator described by its parts: the best way over the array, the
// best way through the buffers, and the slowest of array, buffers and memory, all overlapping.
//
// Laws that every result obeys, by construction: never more multiplications in a cycle than the
// array has, never less traffic than inputs, weights and outputs once, never more bandwidth than
// the pins, and never slower for more of anything.
#pragma once

#include "fairlead/costs/array_accelerator.h"
#include "fairlead/costs/layer_cost.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

LayerCost CostOn(const ArrayAccelerator& accelerator, const LayerShape& shape);

}  // namespace fairlead
