#include "fairlead/networks/scale_and_shift.h"

#include <memory>
#include <utility>

namespace fairlead {

WeightsPointer PartOf(const ScalesAndShifts& scales, float ScaleAndShift::*part) {
  Weights weights{.dims = {static_cast<std::int64_t>(scales.size())}, .values = {}};
  weights.values.reserve(scales.size());
  for (const ScaleAndShift& scale : scales) weights.values.push_back(scale.*part);
  return std::make_shared<const Weights>(std::move(weights));
}

ChannelScale AsChannelScale(const ScalesAndShifts& scales) {
  return {PartOf(scales, &ScaleAndShift::alpha), PartOf(scales, &ScaleAndShift::beta)};
}

}  // namespace fairlead
