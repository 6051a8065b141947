// What runs on a partition, as slowdown models see it: a layer, or the mean over the layers of a
// segment; and the numbers that models of layers are given about what runs side by side.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fairlead {

struct OccupantSizes {
  double us = 1;        // alone, here
  double least_us = 1;  // alone, on the partition where it is fastest
  double macs = 0;
  double in_bytes = 0;
  double weight_bytes = 0;
  double out_bytes = 0;
  double convolution = 1;  // 0 for linear layers
};

// Logarithms are taken once, not for every set that it runs in.
class Occupant {
 public:
  explicit Occupant(const OccupantSizes& sizes);

  static constexpr std::size_t kAsMeasured = 11;
  static constexpr std::size_t kAsNeighbour = 7;
  std::array<float, kAsMeasured> as_measured;
  std::array<float, kAsNeighbour> as_neighbour;
  // Each sums up over those beside: bytes and their rates (per µs), operations per µs.
  struct Sums {
    float bytes = 0;
    float weights = 0;
    float in = 0;
    float out = 0;
    float byte_rate = 0;
    float weight_rate = 0;
    float in_rate = 0;
    float out_rate = 0;
    float mac_rate = 0;
  } sums;
};

// How many numbers there are about a set on so many partitions.
std::size_t LayerInputs(std::size_t partitions);
// The numbers for the occupant of `partition` beside those of others; null: idle.
void FillLayerInputs(std::span<const Occupant* const> occupants, std::size_t partition,
                     std::span<float> inputs);

}  // namespace fairlead
