// Whether a division among agents is fair: sharing incentive, weighted envy, weighted welfare.
//
// Over plain numbers, so that they serve any run: utilities are what agents had of a whole run, in
// any unit that one agent's own numbers share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairlead {

// phi: what an agent had with others, over what its share alone would have brought (3.3). Where
// utilities are gains 1 or more is an incentive to share, where they are costs 1 or less is.
// Nothing over nothing is 1.
double SharingIncentive(double shared, double expected);

// The mean utility by weight.
double WeightedWelfare(std::span<const std::int64_t> weights, std::span<const double> utilities);

struct Envy {
  // Row i, column j: w_i u_i(X_j) / (w_j u_i(X_i)): what j has is worth to i, by weight, over what
  // i's own is. Above 1 the agent i envies j (3.5).
  std::vector<double> ratios;
  int pairs = 0;       // of different agents, the first of which envies the second
  int envious = 0;     // agents that envy anybody by more than the tolerance
  double largest = 0;  // of all ratios of different agents
};

// `swapped`: row i, column j is u_i(X_j), what i would have had of j's allocation.
Envy WeightedEnvy(std::span<const std::int64_t> weights, std::span<const double> swapped,
                  double tolerance = 1e-9);

// Whether a division of things among agents can be improved for one without harm to another.
//
// Over plain numbers, so that it serves any run. Utilities add up.

enum class ParetoVerdict : std::uint8_t {
  kEfficient,   // proved
  kImprovable,  // an improvement was found
  kUndecided,   // neither
};

struct ParetoQuestion {
  int agents = 0;
  std::span<const double> utilities;  // agents x things; not negative
  std::span<const int> holders;       // of each thing, -1: nobody
};

// Efficient if prices exist at which everybody holds what is worth most for its money (no cycle of
// agents can trade up: Bellman and Ford over logarithms), which even covers divisions of parts of
// things. Improvable if somebody holds, or nobody, what is useless there and useful elsewhere, or
// if two can swap two things. Where neither shows, all divisions are tried if they are a million at
// most. Cost: agents x agents x (agents + things).
ParetoVerdict JudgePareto(const ParetoQuestion& question);

}  // namespace fairlead
