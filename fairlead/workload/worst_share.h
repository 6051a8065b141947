// The best conceivable hit rate of the worst agreement, as part of a fluid bound's program.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/workload/fluid_loads.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// What the solver may be off, as a share.
inline constexpr double kFluidTolerance = 1e-7;

// What one agreement asks for.
struct AgreementDemand {
  std::size_t network = 0;
  double all = 0;                // those that no placement serves in time included
  std::vector<double> of_class;  // by class of the network, the loosest first
  double Possible() const { return std::accumulate(of_class.begin(), of_class.end(), 0.0); }
};

struct Demands {
  std::vector<AgreementDemand> list;  // of agreements with arrivals
  double all = 0;

  // Requests of an agreement that no placement serves in time have no class.
  static constexpr std::size_t kNoClass = SIZE_MAX;
  void Add(const FluidLoads& loads, AgreementId agreement, NetworkId network, std::size_t of_class,
           double count);

  double Possible() const;
  double SmallestPossibleShare() const;  // of an agreement

 private:
  std::vector<std::size_t> index_;  // in the list, by agreement
};

// Raises the worst agreement's share w of hits.
//
// A looser deadline is never dearer, so an agreement that needs w * all hits takes them from its
// loosest classes first. What a network's agreements need together from its class c and tighter
// ones is then the sum of max(0, w * all - what the looser classes hold): a convex function of w,
// and so the largest of its tangents. Only tangents that are needed enter the program, one round
// after the other; agreements never become variables.
class WorstShare {
 public:
  // `amounts` and `worst` are the program's variables. References outlive it.
  WorstShare(const Demands& demands, const FluidLoads& loads, std::span<const int> amounts,
             LinearProgram& linear, int worst)
      : demands_(demands), loads_(loads), amounts_(amounts), linear_(linear), worst_(worst) {}

  // Raises the program's objective w, up to `limit`, instead of what it was.
  void Begin(double limit);
  // Adds what the last solution's w lacks; whether there was anything.
  bool Add(double share);

 private:
  struct Tangent {
    double slope = 0;
    double held = 0;  // by looser classes
  };

  std::vector<Tangent> TangentsAt(double share) const;  // by class
  template <typename Wanted>
  bool AddTangents(double share, Wanted wanted);

  const Demands& demands_;
  const FluidLoads& loads_;
  std::span<const int> amounts_;
  LinearProgram& linear_;
  int worst_;
};

}  // namespace fairlead
