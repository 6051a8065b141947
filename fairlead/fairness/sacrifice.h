// When not all promises can be kept, a policy may give one up for a while: it is sacrificed. What
// that came to.
#pragma once

#include <cstdint>

#include "fairlead/base/time.h"
#include "fairlead/fairness/outcome_counts.h"

namespace fairlead {

struct SacrificeBooks {
  Instant since = kNever;  // kNever: not sacrificed now
  std::int64_t times = 0;  // that it was
  Duration ended_spells{};
  OutcomeCounts ended{};  // covered, measured requests that ended meanwhile

  bool now() const { return since != kNever; }
  // All spells until this instant, the current one included.
  Duration Time(Instant now) const {
    return ended_spells + (since == kNever ? Duration{} : now - since);
  }
};

}  // namespace fairlead
