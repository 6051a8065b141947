#include "fairlead/networks/line.h"

#include <memory>
#include <utility>

namespace fairlead {

WeightsPointer PartOf(const Lines& lines, float Line::*part) {
  Weights weights{.dims = {static_cast<std::int64_t>(lines.size())}, .values = {}};
  weights.values.reserve(lines.size());
  for (const Line& line : lines) weights.values.push_back(line.*part);
  return std::make_shared<const Weights>(std::move(weights));
}

ChannelScale AsChannelScale(const Lines& lines) {
  return {PartOf(lines, &Line::alpha), PartOf(lines, &Line::beta)};
}

}  // namespace fairlead
