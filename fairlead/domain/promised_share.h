// The share of hits that an agreement promises, one way or the other.
#pragma once

#include <algorithm>

#include "fairlead/domain/tenant.h"

namespace fairlead {

// A window promise is one too; 0 for best effort.
inline double PromisedShare(const ServiceAgreement& agreement) {
  const double by_window =
      agreement.window > 0 ? 1 - static_cast<double>(agreement.max_misses) / agreement.window : 0;
  return std::max(agreement.target.value_or(0), by_window);
}

}  // namespace fairlead
