// The machine under a live run: the engine's thread off the partitions' cores, and what others took
// of these.
#pragma once

#include <chrono>
#include <vector>

#include "fairlead/base/stopwatch.h"
#include "fairlead/base/time.h"
#include "fairlead/profiling/interruptions.h"
#include "fairlead/report/figures.h"
#include "fairlead/running/live_networks.h"

namespace fairlead {

// How long a partition's thread looks out for its next segment before it sleeps: longer than it
// takes to wake one, and far shorter than a request.
inline constexpr Duration kLookOut = std::chrono::microseconds{200};

// While it is there the calling thread, which makes and destroys it, runs on the cores that are
// left, if any.
class OffThePartitions {
 public:
  explicit OffThePartitions(const LiveCores& cores);
  ~OffThePartitions();
  OffThePartitions(const OffThePartitions&) = delete;
  OffThePartitions& operator=(const OffThePartitions&) = delete;

  // Since it was made.
  void Write(LiveFigures& figures) const;

 private:
  double OwnTime() const;  // on the partitions' cores, in seconds

  const LiveCores cores_;
  std::vector<int> before_;
  CoreTime used_before_;
  double own_before_ = 0;
  Stopwatch stopwatch_;
};

}  // namespace fairlead
