// What was learned on top of the house policy: a small network over a set. Each ready segment is
// shown with how all that is ready is on the whole, and gets a correction of its own.
//
// Two layers: relu, then two numbers, cut to what may be corrected: a claim by up to a fifth, the
// slack to spare by up to 1. All weights of the last layer zero is the house policy itself.
#pragma once

#include <memory>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/neural/dense_network.h"
#include "fairlead/policies/house_advice.h"

namespace fairlead {

inline constexpr std::string_view kHouseAdvisorName = "house-advisor";
inline constexpr int kHouseAdvisorVersion = 1;
inline constexpr double kMostClaimAdvised = 0.2;
inline constexpr double kMostSpareAdvised = 1;

// Reads a file of dense_network.h. An error says what does not fit, without the file's name.
Result<DenseNetwork> ParseHouseAdvisor(std::string_view text);

// The network as ParseHouseAdvisor returns it.
std::unique_ptr<HouseAdvisor> MakeHouseAdvisor(DenseNetwork network);

}  // namespace fairlead
