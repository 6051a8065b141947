// The best conceivable hit rate of the worst agreement, as part of a fluid bound's program.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/fluid_loads.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// What the solver may be off, as a share.
inline constexpr double kFluidTolerance = 1e-7;

// What one agreement asks for.
struct AgreementDemand {
  std::size_t network = 0;
  double all = 0;  // those that no placement serves in time included
  std::array<double, kMostBuckets> by_bucket{};
  double Possible() const { return std::accumulate(by_bucket.begin(), by_bucket.end(), 0.0); }
};

struct Demands {
  std::vector<AgreementDemand> list;  // of agreements with arrivals
  double all = 0;
  double possible = 0;
  double worst_share = 1;  // the smallest possible share of an agreement

  Demands(const FluidLoads& loads, std::span<const ArrivalCount> arrivals,
          const std::vector<bool>& in_time);
};

// Raises the worst agreement's share w of hits.
//
// A looser deadline is never dearer, so an agreement that needs w * all hits takes them from its
// loosest buckets first. What a network's agreements need together from its bucket b and tighter
// ones is then the sum of max(0, w * all - what the looser buckets hold): a convex function of w,
// and so the largest of its tangents. Only tangents that are needed enter the program, one round
// after the other; agreements never become variables.
class WorstShare {
 public:
  WorstShare(const Demands& demands, const FluidLoads& loads, std::vector<std::vector<int>> amounts,
             LinearProgram& linear, int worst)
      : demands_(demands),
        loads_(loads),
        amounts_(std::move(amounts)),
        linear_(linear),
        worst_(worst) {}

  // The largest w up to `limit`.
  Result<double> Raise(double limit);

 private:
  struct Tangent {
    double slope = 0;
    double held = 0;  // by looser buckets
  };
  using Tangents = std::vector<std::array<Tangent, kMostBuckets>>;

  Tangents TangentsAt(double share) const;
  // Adds the tangents at this share that `wanted` agrees to, given how much of the need is not
  // served now, as a share; whether there were any.
  template <typename Wanted>
  bool AddTangents(double share, Wanted wanted);

  const Demands& demands_;
  const FluidLoads& loads_;
  std::vector<std::vector<int>> amounts_;  // by network and bucket
  LinearProgram& linear_;
  int worst_;
};

}  // namespace fairlead
