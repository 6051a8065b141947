// Where the marks of a swarm go: each at its value, and as near to the middle of its row as it can
// be without touching another.
#pragma once

#include <span>
#include <vector>

namespace fairlead {

// How far from the middle each mark goes, for marks of a diameter at sorted positions. Two marks
// are never nearer than the diameter. Equal positions give equal offsets; the first of marks at
// one place is in the middle, the next below, the next above. O(n k^2) with k marks in a stretch
// of two diameters.
std::vector<double> SwarmOffsets(std::span<const double> positions, double diameter);

// Neighbours that are drawn as one mark, where there are too many for a row.
struct SwarmGroup {
  std::size_t first = 0;
  std::size_t count = 1;
};

// Groups of sorted positions: alone where a stretch of one diameter holds at most `most` of them,
// else in as many nearly equal groups. In order, all covered.
std::vector<SwarmGroup> GroupCrowded(std::span<const double> positions, double diameter,
                                     std::size_t most);

}  // namespace fairlead
