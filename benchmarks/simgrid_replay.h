// Carries out a recorded schedule in SimGrid: a host for each accelerator, and one link that all of
// them share. There is no policy and no accounting on that side, only the segments in the order in
// which they ran, each once what it waits for is over.
//
// SimGrid allows one engine in the life of a process, so this works once in a process.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "benchmarks/harness.h"
#include "benchmarks/recorded_schedule.h"

namespace fairlead {

// Who starts the segments of a host.
enum class Driver : std::uint8_t {
  kActors,     // an actor on each host, SimGrid's usual way
  kCallbacks,  // whatever ends starts what waited for it, without any actor
};

// What a segment is.
enum class SegmentModel : std::uint8_t {
  kComputeAndSend,  // an execution on the host, beside a communication over the link
  kParallelTask,    // one task that needs both in proportion (the model ptask_L07)
  kBounded,         // an execution on a host that stands for the memory, no faster than alone
};

struct Modelling {
  std::string_view name;
  Driver driver;
  SegmentModel segments;
  bool has_link = true;
};
std::span<const Modelling> Modellings();

struct PeerRun {
  Spent spent;         // of the simulation, not of building platform and lists
  double end = 0;      // of the last segment, in seconds of the world
  double running = 0;  // of all segments, added up
};
PeerRun RunInSimGrid(const Modelling& modelling, const RecordedSchedule& schedule);

}  // namespace fairlead
