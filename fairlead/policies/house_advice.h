// What may be learned on top of the house policy: how far its order within a class is corrected,
// segment by segment, and when a job counts as unlikely.
//
// Contracts, entitlements, classes and triage stay the house's own: whatever is advised, what the
// house guarantees about them holds. Advice of nothing is the house policy itself.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fairlead {

// One ready segment, in numbers of about [-1, 1].
struct HouseFeatures {
  static constexpr std::size_t kSize = 9;
  std::array<double, kSize> values{};
};

// All that is ready at one decision, as one: how it is on the whole.
struct HouseContext {
  static constexpr std::size_t kSize = 4;
  std::array<double, kSize> values{};
};

struct HouseCorrection {
  double claim = 0;  // added to that of the agreement: hits owed, as a share
  double spare = 0;  // added to the slack that a likely job has, in parts of its rest
};

class HouseAdvisor {
 public:
  virtual ~HouseAdvisor() = default;
  // Fills in a correction for each segment. Equal arguments give equal corrections; finite ones.
  virtual void Advise(const HouseContext& context, std::span<const HouseFeatures> segments,
                      std::span<HouseCorrection> corrections) = 0;
};

}  // namespace fairlead
