// The cores and caches of this machine, and threads bound to cores.
//
// hwloc finds out what there is. It asks the kernel, and the processor itself where /sys is not
// mounted, as in some containers; cores that a container withholds are none.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"

struct hwloc_topology;

namespace fairlead {

class Machine {
 public:
  // The one that we run on: looked at once, which takes some tens of milliseconds.
  static const Machine& This();
  // One that is not there, in hwloc's words: "l3:2 core:4 pu:1" has two caches of four cores each.
  static Machine Imagined(const std::string& description);

  // As the vendor calls its processor; empty where nobody knows.
  std::string ProcessorName() const;

  // Cores are numbered as the system does. Those that the calling thread may use, ascending.
  std::vector<int> UsableCores() const;
  // The calling thread, and those that it makes from now on, run on these only.
  Status BindThread(std::span<const int> cores) const;

  // The bytes of last-level cache that each group of cores can call its own when all groups are
  // busy: each cache is divided among the cores of all groups that share it. 0: unknown.
  std::vector<std::int64_t> CacheShares(std::span<const std::vector<int>> groups) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };

  explicit Machine(const std::string& description);  // empty: this machine

  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

}  // namespace fairlead
