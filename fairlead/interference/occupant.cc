#include "fairlead/interference/occupant.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::size_t kAboutAll = 15;
constexpr float kNothing = -20;  // the logarithm of what is not there

float Log(double value) { return static_cast<float>(std::log(std::max(value, 2e-9))); }

}  // namespace

Occupant::Occupant(const OccupantSizes& s) {
  const double bytes = s.in_bytes + s.weight_bytes + s.out_bytes;
  as_measured = {Log(s.us),
                 Log(s.macs),
                 Log(s.in_bytes),
                 Log(s.weight_bytes),
                 Log(s.out_bytes),
                 Log(bytes / s.us),
                 Log(s.macs / s.us),
                 Log(s.macs / std::max(bytes, 1.0)),
                 Log(s.least_us / s.us),
                 static_cast<float>(s.convolution),
                 static_cast<float>(s.weight_bytes / std::max(bytes, 1.0))};
  as_neighbour = {Log(bytes / s.us),
                  Log(s.weight_bytes),
                  Log(s.in_bytes),
                  Log(s.out_bytes),
                  Log(s.macs / s.us),
                  Log(s.us),
                  static_cast<float>(s.convolution)};
  const auto part = [](double value) { return static_cast<float>(value); };
  sums = {part(bytes),
          part(s.weight_bytes),
          part(s.in_bytes),
          part(s.out_bytes),
          part(bytes / s.us),
          part(s.weight_bytes / s.us),
          part(s.in_bytes / s.us),
          part(s.out_bytes / s.us),
          part(s.macs / s.us)};
}

std::size_t LayerInputs(std::size_t partitions) {
  return 1 + Occupant::kAsMeasured + partitions * Occupant::kAsNeighbour + kAboutAll;
}

void FillLayerInputs(std::span<const Occupant* const> occupants, std::size_t partition,
                     std::span<float> inputs) {
  CHECK(inputs.size() == LayerInputs(occupants.size()) && occupants[partition] != nullptr);
  const Occupant& measured = *occupants[partition];
  float* next = inputs.data();
  *next++ = static_cast<float>(partition);
  next = std::ranges::copy(measured.as_measured, next).out;
  Occupant::Sums all;
  float number = 0;
  float largest_rate = 0;
  float largest = 0;
  float largest_weights = 0;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) {
      next = std::fill_n(next, Occupant::kAsNeighbour, kNothing);
      continue;
    }
    const Occupant& other = *occupants[p];
    next = std::ranges::copy(other.as_neighbour, next).out;
    ++number;
    all.bytes += other.sums.bytes;
    all.weights += other.sums.weights;
    all.in += other.sums.in;
    all.out += other.sums.out;
    all.byte_rate += other.sums.byte_rate;
    all.weight_rate += other.sums.weight_rate;
    all.in_rate += other.sums.in_rate;
    all.out_rate += other.sums.out_rate;
    all.mac_rate += other.sums.mac_rate;
    largest_rate = std::max(largest_rate, other.sums.byte_rate);
    largest = std::max(largest, other.sums.bytes);
    largest_weights = std::max(largest_weights, other.sums.weights);
  }
  *next++ = number;
  for (const float value :
       {all.byte_rate, all.weights, all.bytes, all.mac_rate, largest_rate, all.out, all.in,
        all.bytes + measured.sums.bytes, all.byte_rate + measured.sums.byte_rate, all.weight_rate,
        all.out_rate, all.in_rate, largest, largest_weights})
    *next++ = std::log(std::max(value, 2e-9F));
}

}  // namespace fairlead
