// Sixteen cores that were measured: what layers cost on any number of them, and how networks slow
// each other. With our own executor in two versions (data/cores16), and with PyTorch (data/cpu16).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/costs/profile.h"
#include "fairlead/interference/pressure.h"

namespace fairlead {

// The platforms' names in a scenario.
inline constexpr std::string_view kMeasuredCores = "cores-16";
inline constexpr std::string_view kXeonCores = "xeon-16";
bool AreMeasuredCores(std::string_view platform);

// On `cores-16` every number of cores from 1 to 16, measured ones and between them; on `xeon-16`
// the measured ones. There nobody measured a press: a network suffers from one as in one of ten of
// the mixes that the curve is fitted to.
const Profile& MeasuredCoresProfile(std::string_view platform = kMeasuredCores);

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
const PressureCurve& MeasuredCoresCurve(std::string_view platform = kMeasuredCores);

// Of whole-network latencies in the mixes that the curve has not seen.
struct PressureAccuracy {
  std::size_t count = 0;
  double curve = 0;  // 1 - mean absolute percentage error
  double none = 0;   // of saying that nobody is slowed
};
PressureAccuracy AccuracyOfMeasuredCores(std::string_view platform = kMeasuredCores);

// Copies of one network side by side on four cores each.
struct MeasuredCopies {
  std::string network;
  int copies = 1;
  double slowdown = 1;
};
std::vector<MeasuredCopies> MeasuredCopiesOnCores();

// Precondition: the platform is a ready one and measured.
Profile MeasuredProfileOf(std::string_view platform);

// Alone, in the usual version. Precondition: the network was measured.
double SecondsOnCores(std::string_view network, int units);

}  // namespace fairlead
