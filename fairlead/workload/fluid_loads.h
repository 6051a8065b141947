// The requests of each network by deadline: what a fluid bound has to serve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/fluid_shape.h"

namespace fairlead {

inline constexpr std::size_t kMostBuckets = 8;  // of one network

// Requests of one network whose deadlines are treated alike.
struct DeadlineBucket {
  Duration deadline{};  // the largest
  Duration smallest{};
  bool limits = true;  // the slowest placement does not fit the deadline
  double weight = 0;   // requests, or requests per second
};

struct WeightedDeadline {
  Duration deadline{};
  double weight = 0;
};

// The requests of one network that can meet their deadlines.
struct FluidLoad {
  FluidShape shape;
  std::vector<WeightedDeadline> deadlines;
  std::vector<DeadlineBucket> buckets;  // the loosest first

  // Makes the buckets: one for all deadlines that any placement fits, and up to `most` in all.
  void Divide(std::size_t most);
  std::size_t BucketOf(Duration deadline) const {
    const auto found = std::ranges::find_if(
        buckets, [deadline](const DeadlineBucket& bucket) { return bucket.smallest <= deadline; });
    CHECK(found != buckets.end());
    return static_cast<std::size_t>(found - buckets.begin());
  }
};

// The loads of all networks. Deadlines that can't be met are refused; so are networks that can't
// run.
class FluidLoads {
 public:
  explicit FluidLoads(const FluidSystem& system)
      : system_(system), loads_(system.networks.size()) {}

  // Whether these requests can meet their deadline, alone.
  bool Add(NetworkId network, Duration deadline, double weight);
  // Once all are added.
  void Divide();

  std::size_t size() const { return loads_.size(); }
  // Null for a network without requests.
  const FluidLoad* Of(std::size_t network) const {
    return loads_[network].has_value() ? &*loads_[network] : nullptr;
  }

 private:
  const FluidSystem& system_;
  std::vector<std::optional<FluidLoad>> loads_;
};

}  // namespace fairlead
