// How much of their work requests can have done between arrival and deadline, at most.
//
// One resource, work that can be cut at will: serving the earliest deadline first, and throwing
// away what is left of a request at its deadline, does the most. So this holds for every window of
// time at once: what must fit between two instants is never more than these offer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/workload/presence.h"

namespace fairlead {

struct RequestWindow {
  Instant arrival{};
  Instant deadline{};
  std::size_t requests = 0;  // the class that it belongs to
};

// What requests of one class take from the resource.
struct ClassWork {
  double work = 0;       // each
  double most_rate = 0;  // per second, each, however little else runs
  bool counts = false;   // others are passed over
};

class MostWork {
 public:
  MostWork(std::vector<RequestWindow> windows, std::span<const PresenceStretch> stretches);

  // Given what the resource does per second in each stretch. O(n log n).
  double Of(std::span<const ClassWork> classes, std::span<const double> capacity) const;

  std::size_t size() const { return by_arrival_.size(); }

 private:
  std::vector<RequestWindow> by_arrival_;
  std::vector<RequestWindow> by_deadline_;
  std::vector<Instant> stretches_;  // when they begin
};

}  // namespace fairlead
