// Random worlds with more work than can be done in time, so that bounds bind.
#pragma once

#include <cstdint>

#include "tests/conformance/random_world.h"

namespace fairlead::testing {

// Those of DrawWorld with many requests that have little time, and accelerators that go away, some
// for good. Every other world is plain instead: short networks and much alike accelerators, so that
// good policies come near to what is possible; some with units that are together faster apart, with
// batches, with any sharing rule.
RandomWorldTexts DrawCrowdedWorld(std::uint64_t seed);

}  // namespace fairlead::testing
