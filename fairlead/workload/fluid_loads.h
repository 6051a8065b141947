// The requests of each network by deadline: what a fluid bound has to serve.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/fluid_shape.h"

namespace fairlead {

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

// The requests of one network that can meet their deadlines on some kinds of accelerators.
struct FluidLoad {
  FluidShape shape;
  std::vector<WeightedDeadline> deadlines;
  std::vector<DeadlineBucket> buckets;  // the loosest first
  std::vector<std::size_t> classes;     // of each bucket

  // Makes the buckets: one for all deadlines that any placement fits, and up to `most` in all.
  void Divide(std::size_t most);
};

// One bucket of one load.
struct FluidClass {
  std::size_t network = 0;
  const FluidShape* shape = nullptr;
  DeadlineBucket bucket;
};

// The loads of all networks. Deadlines that can't be met are refused; so are networks that can't
// run.
class FluidLoads {
 public:
  explicit FluidLoads(const FluidSystem& system);

  const FluidOptions& options() const { return options_; }

  // A set of kinds that are there while a request lasts, by a number. There are only a few sets;
  // beyond these all of the first one count as there, which must contain every other.
  std::size_t SetOfKinds(const std::vector<bool>& there);

  // Whether these requests can meet their deadline, alone.
  bool Add(NetworkId network, std::size_t kinds, Duration deadline, double weight);
  // Once all are added.
  void Divide();

  // Those of a network lie together, the loosest first.
  std::span<const FluidClass> classes() const { return classes_; }
  // The first class of a network, and the one after its last.
  std::pair<std::size_t, std::size_t> ClassesOf(std::size_t network) const {
    return {first_class_[network], first_class_[network + 1]};
  }
  // Of a request that was added.
  std::size_t ClassOf(NetworkId network, std::size_t kinds, Duration deadline) const;
  std::size_t networks() const { return system_.networks.size(); }

 private:
  static constexpr std::size_t kMostSets = 6;

  const FluidSystem& system_;
  FluidOptions options_;
  std::vector<std::vector<bool>> sets_;
  std::vector<std::vector<std::optional<FluidLoad>>> loads_;  // by network and set of kinds
  std::vector<FluidClass> classes_;
  std::vector<std::size_t> first_class_;
};

}  // namespace fairlead
