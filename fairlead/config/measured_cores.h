// Sixteen cores that were measured with our own executor (data/cores16): what layers cost on any
// number of them, in two versions, and how networks slow each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/costs/profile.h"
#include "fairlead/interference/pressure.h"

namespace fairlead {

// The platform's name in a scenario.
inline constexpr std::string_view kMeasuredCores = "cores-16";

// Every number of cores from 1 to 16, measured ones and between them.
const Profile& MeasuredCoresProfile();

// A network that repeats beside others.
struct MixedCores {
  std::string network;
  int version = 0;
  int units = 1;
  double alone_us = 0;
  double us = 0;  // in the mix
};
// How each of a mix was slowed, and by what.
std::vector<PressedExample> ExamplesOf(std::span<const MixedCores> mix, const Profile& profile);

// Fitted to every other mix, from the first on: what `interference: {truth: measured}` obeys.
const PressureCurve& MeasuredCoresCurve();

// Of whole-network latencies in the mixes that the curve has not seen.
struct PressureAccuracy {
  std::size_t count = 0;
  double curve = 0;  // 1 - mean absolute percentage error
  double none = 0;   // of saying that nobody is slowed
};
PressureAccuracy AccuracyOfMeasuredCores();

// Copies of one network side by side on four cores each.
struct MeasuredCopies {
  std::string network;
  int copies = 1;
  double slowdown = 1;
};
std::vector<MeasuredCopies> MeasuredCopiesOnCores();

// Alone, in the usual version. Precondition: the network was measured.
double SecondsOnCores(std::string_view network, int units);

}  // namespace fairlead
