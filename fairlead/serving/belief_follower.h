// Beliefs that follow what is measured: how long segments really take on each kind, as a quantile
// of the last ones, proposed as inputs now and then.
//
// What is measured of a segment is compared with what was believed of that very start, hand-over
// and switch included, so the ratio is about the segment alone; slowdown by co-runners is part of
// it. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

struct BeliefFollowing {
  double quantile = 0.5;
  Duration every = std::chrono::seconds{1};
  std::size_t least = 32;   // so many are needed
  double tolerance = 0.05;  // what differs by less stays
};

class BeliefFollower {
 public:
  explicit BeliefFollower(BeliefFollowing options) : options_(options) {}

  // A segment has finished.
  void Note(const SystemState& state, const Assignment& assignment, Instant now);
  // What should be believed from now on; most often nothing. Those that would make a segment prefer
  // other kinds are left out.
  const std::vector<BeliefChange>& Propose(const SystemState& state);

 private:
  static constexpr std::size_t kKept = 64;
  struct Key {
    NetworkId network;
    SegmentId segment;
    KindId kind;
    int units;
    int batch;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // The last ratios of measured to believed, since the belief changed.
  struct Ratios {
    std::array<float, kKept> last{};
    std::size_t count = 0;
  };

  double QuantileOf(const Ratios& ratios) const;

  const BeliefFollowing options_;
  Instant due_{};
  std::map<Key, Ratios> ratios_;  // as many as the cost table has rows, at most
  std::vector<BeliefChange> changes_;
};

}  // namespace fairlead
