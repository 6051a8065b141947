// Whether kinds of accelerators matter: what share of the work is clearly faster on which, and how
// busy each was. An average over all accelerators hides four that are full and four that are idle.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/costs/cost_table.h"

namespace fairlead {

struct BusyShare {
  std::string accelerator;
  std::string kind;
  double share = 0;  // of the makespan, weighted by units in use
};

struct KindShare {
  std::string kind;
  double share = 0;
};

// The mean over the accelerators of each kind, in the order in which kinds first stand there.
std::vector<KindShare> BusyByKind(std::span<const BusyShare> busy);

// A segment prefers a kind on which it takes at least this much less time than on any other.
inline constexpr double kClearlyFaster = 1.1;  // the other latencies over that one

// The work of a segment is its latency where it is fastest.
struct WorkPreference {
  std::vector<KindShare> kinds;  // of the work, by the kind that it prefers
  double undecided = 0;          // of the work: two kinds or more are about as fast
};

// Of the given numbers of requests, by network. None where these are no work. Costs are those of
// one job alone on a whole accelerator; kinds without an accelerator do not count.
std::optional<WorkPreference> PreferredKinds(const CostTable& costs, const Platform& platform,
                                             std::span<const NetworkGraph> networks,
                                             std::span<const double> requests);

}  // namespace fairlead
