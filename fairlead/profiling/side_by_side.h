// Pieces of networks that repeat back to back, each on its own partition, at the same time.
//
// Every measurement is one of these: a network alone (one lane), a layer beside others (one timed
// lane, the others keep their partitions busy), networks side by side (all lanes timed). A pass
// counts only if all lanes were under way when it began and none had stopped when it ended.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/processor.h"
#include "fairlead/profiling/partition_thread.h"

namespace fairlead {

struct Lane {
  PartitionThread* partition = nullptr;  // not owned
  NetworkRun* run = nullptr;             // not owned; of a network loaded there
  std::size_t first = 0;                 // the layers from here
  std::size_t last = 0;                  // to before this
  int warm_up = 1;                       // passes before anything counts
  int passes = 0;                        // timed; 0: the lane only keeps its partition busy
  int repeats = 1;                       // of the layers in a pass, for layers of microseconds
  bool by_layer = false;                 // reads the clock after each layer too
};

struct TimedPass {
  double nanoseconds = 0;  // of one repeat
  bool disturbed = false;  // another program took a core meanwhile
};

struct LaneTimes {
  std::vector<TimedPass> passes;
  std::vector<double> layer_nanoseconds;  // by layer: pass after pass
};

// Returns the times of each lane. At least one lane is timed; lanes have different partitions. What
// a run throws ends all lanes, and is thrown again here.
std::vector<LaneTimes> RunSideBySide(std::span<const Lane> lanes, const LiveClock& clock);

// The mean of the undisturbed passes; of all where there is no such.
double MeanNanoseconds(std::span<const TimedPass> passes);

}  // namespace fairlead
