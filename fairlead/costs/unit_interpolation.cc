#include "fairlead/costs/unit_interpolation.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

auto WhatOf(const ProfileRow& row) {
  return std::tuple(row.network, row.layer, row.kind, row.configuration.batch,
                    row.configuration.version);
}

Duration Between(Duration low, Duration high, double share) {
  if (low <= Duration::zero() || high <= Duration::zero()) return low;
  const double a = std::log(static_cast<double>(low.count()));
  const double b = std::log(static_cast<double>(high.count()));
  return Duration{std::llround(std::exp(a + share * (b - a)))};
}

}  // namespace

Profile WithAllUnits(Profile profile) {
  std::ranges::sort(profile.rows, [](const ProfileRow& a, const ProfileRow& b) {
    return std::pair(WhatOf(a), a.configuration.units) <
           std::pair(WhatOf(b), b.configuration.units);
  });
  std::vector<ProfileRow> all;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const ProfileRow& low = profile.rows[i];
    all.push_back(low);
    if (i + 1 == profile.rows.size() || WhatOf(profile.rows[i + 1]) != WhatOf(low)) continue;
    const ProfileRow& high = profile.rows[i + 1];
    const double fewer = std::log(low.configuration.units);
    const double more = std::log(high.configuration.units);
    for (int units = low.configuration.units + 1; units < high.configuration.units; ++units) {
      const double share = (std::log(units) - fewer) / (more - fewer);
      ProfileRow row = low;
      row.configuration.units = units;
      row.cost.latency = Between(low.cost.latency, high.cost.latency, share);
      if (low.cost.pressed_latency > Duration::zero() ||
          high.cost.pressed_latency > Duration::zero())
        row.cost.pressed_latency = Between(low.cost.Pressed(), high.cost.Pressed(), share);
      all.push_back(row);
    }
  }
  profile.rows = std::move(all);
  return profile;
}

}  // namespace fairlead
