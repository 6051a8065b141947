// Whether a division of things among agents can be improved for one without harm to another.
//
// Over plain numbers, so that it serves any run. Utilities add up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairlead {

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
