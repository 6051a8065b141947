// Constraints on what can be served when, for a fluid bound's program.
//
// At any prices, a request of a class takes at least so much worth of accelerator time and traffic
// between its arrival and its deadline, and the platform offers so much worth per second. What the
// requests of some classes can get of that together (MostWork) limits how many of them are
// served: a constraint on the program's amounts, whatever the prices and the classes. Good prices
// are those of the program itself, good classes those that it serves most of.
//
// A segment has less time than its request: what comes before it must be over, and what comes after
// it must still fit. So requests are also cut into pieces along their paths, each with its own
// narrower window and the least that its segments take.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/workload/fluid_program.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// How much of their work requests can have done between arrival and deadline, at most.
//
// One resource, work that can be cut at will: serving the earliest deadline first, and throwing
// away what is left of a request at its deadline, does the most. So this holds for every window of
// time at once: what must fit between two instants is never more than these offer.

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

// Some segments of each request of a class, and when they can run.
struct RequestPiece {
  std::size_t of_class = 0;
  std::vector<std::size_t> segments;
  Duration head{};  // from the arrival at least
  Duration tail{};  // to the deadline at least
};

class WindowCuts {
 public:
  // Windows of requests by class. References outlive it.
  WindowCuts(const FluidLoads& loads, const Presence& presence,
             const std::vector<RequestWindow>& windows);

  // Adds constraints that the program's last solution breaks, at the program's own prices and at
  // those to try; whether there were any. `amounts` are the program's variables, by class.
  bool Add(FluidProgram& program, std::span<const int> amounts);
  void Try(ResourcePrices prices) { tried_.push_back(std::move(prices)); }

 private:
  struct Cut {
    int row;
    ResourcePrices prices;
    double total;  // that the row is a share of
  };
  // What requests take: as wholes, or piece by piece.
  struct Taken {
    const MostWork& most_work;
    std::vector<std::vector<std::size_t>> parts;  // by class
    std::vector<ClassWork> works;                 // by part
    double Of(std::size_t of_class) const;
  };

  Taken Whole(const ResourcePrices& prices) const;
  Taken InPieces(const ResourcePrices& prices) const;
  ResourcePrices OwnPrices(const FluidProgram& program) const;
  bool AddAt(const ResourcePrices& prices, Taken taken, LinearProgram& linear,
             std::span<const int> amounts);
  std::vector<double> CapacityAt(const ResourcePrices& prices) const;

  const FluidLoads& loads_;
  const Presence& presence_;
  std::vector<RequestPiece> pieces_;
  MostWork of_wholes_;
  MostWork of_pieces_;
  std::vector<ResourcePrices> tried_;
  std::vector<Cut> cuts_;
  std::size_t windows_left_;  // to look at
};

// What one request of the class takes at least, at these prices, if it keeps its deadline.
double LeastWork(const FluidClass& requests, const ResourcePrices& prices);

}  // namespace fairlead
