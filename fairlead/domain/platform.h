// What can run: accelerators of some kinds, each with a number of units, sharing one memory.
//
// Units are what an accelerator can be divided into: 1 for a Simba chiplet, cores of a CPU,
// multiprocessors of a GPU, subarrays of Planaria. The units given to running segments never
// exceed what an accelerator has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/id.h"

namespace fairlead {

struct AcceleratorKind {
  std::string name;
  int units = 1;  // of every accelerator of this kind
};

struct Accelerator {
  std::string name;  // "simba.0"; the bare kind where there is only one
  KindId kind;
};

struct Platform {
  std::vector<AcceleratorKind> kinds;
  std::vector<Accelerator> accelerators;
  std::int64_t bandwidth = 0;  // bytes per second of the shared memory; 0: no limit

  // Adds `count` accelerators of a new kind, named by the rule above.
  KindId AddKind(std::string name, int count, int units = 1);
  KindId FindKind(std::string_view name) const;                // invalid id when unknown
  AcceleratorId FindAccelerator(std::string_view name) const;  // invalid id when unknown

  int UnitsOf(AcceleratorId accelerator) const {
    return kinds[accelerators[accelerator.index()].kind.index()].units;
  }
  std::vector<int> CountByKind() const;
};

}  // namespace fairlead
